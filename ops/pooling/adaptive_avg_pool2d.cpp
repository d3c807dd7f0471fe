// SPDX-License-Identifier: Apache-2.0
// aclnnAdaptiveAvgPool2d, aclnnAdaptiveAvgPool2dBackward.
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "ops/pooling/pooling_rules.h"

namespace aclgrad::ops::adaptive_avg_pool2d {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kOutputSize, kOut };

const OperatorSpec kSpec{
    "aclnnAdaptiveAvgPool2d",
    {input("self"), attribute("outputSize"), output("out")},
    Rules{not_null({kSelf, kOutputSize, kOut}), image_rank(kSelf), same_planes(kOut, kSelf),
          dtype_in({kSelf, kOut}, kFloats), same_dtype(kOut, kSelf), has_image_format(kSelf),
          has_image_format(kOut), sizes_are_outs(kOutputSize, kOut)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf) || arguments.empty(kOut)) return {};
  const Planes self(arguments, kSelf), out(arguments, kOut);
  return plan_average_pool(self, out, adaptive_windows(self, out));
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradOutput, kSelf, kOut };

// The gradient of a single average for each plane may be converted.
Rule out_dtype() {
  return when(
      [](const Arguments& arguments) {
        return image_sizes(arguments, kGradOutput) != std::vector<int64_t>{1, 1};
      },
      same_dtype(kOut, kSelf));
}

const OperatorSpec kSpec{
    "aclnnAdaptiveAvgPool2dBackward",
    {input("gradOutput"), input("self"), output("out")},
    Rules{not_null({kGradOutput, kSelf, kOut}), image_rank(kSelf), same_shape(kOut, kSelf),
          same_planes(kGradOutput, kSelf), dtype_in({kGradOutput, kSelf, kOut}, kFloats),
          same_dtype(kGradOutput, kSelf), out_dtype(), one_format({kSelf, kGradOutput, kOut})}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut) || arguments.empty(kGradOutput)) return {};
  const bool last = has_channels_last(arguments, kSelf);
  const Planes from(arguments, kGradOutput, 2, last), to(arguments, kOut, 2, last);
  return plan_average_pool_backward(from, to, adaptive_windows(to, from));
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnAdaptiveAvgPool2d, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnAdaptiveAvgPool2dBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::adaptive_avg_pool2d
