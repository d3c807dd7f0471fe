// SPDX-License-Identifier: Apache-2.0
// aclnnMaxPool2dWithIndices, aclnnMaxPool2dWithIndicesBackward.
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "ops/pooling/pooling_rules.h"

namespace aclgrad::ops::max_pool2d_with_indices {
namespace {

Planes planes(const Arguments& arguments, size_t tensor, size_t reference) {
  return {arguments, tensor, 2, has_channels_last(arguments, reference)};
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kKernelSize, kStride, kPadding, kDilation, kCeilMode, kOut, kIndices };
constexpr PoolParameters kWindows{kSelf, kKernelSize, kStride, kPadding, kDilation, kCeilMode};

const OperatorSpec kSpec{
    "aclnnMaxPool2dWithIndices",
    {input("self"), attribute("kernelSize"), attribute("stride"), attribute("padding"),
     attribute("dilation"), attribute("ceilMode"), output("out"), output("indices")},
    Rules{not_null({kSelf, kWindows.kernel, kWindows.stride, kWindows.padding, *kWindows.dilation,
                    kOut, kIndices}),
          dtype_in({kSelf, kOut}, kFloats), dtype_in(kIndices, kPlaceDtypes),
          same_dtype(kOut, kSelf), one_format({kSelf, kOut}), image_rank(kSelf),
          image_not_empty(kSelf), pool_arrays(kWindows), pool_window_fits(kWindows),
          pool_result_shape(kOut, kWindows), pool_result_shape(kIndices, kWindows)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  return plan_max_pool(planes(arguments, kSelf, kSelf), planes(arguments, kOut, kSelf),
                       {.indices = planes(arguments, kIndices, kSelf)},
                       pool_windows(arguments, kWindows));
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradOutput,
  kSelf,
  kIndices,
  kKernelSize,
  kStride,
  kPadding,
  kDilation,
  kCeilMode,
  kGradInput
};
constexpr PoolParameters kWindows{kSelf, kKernelSize, kStride, kPadding, kDilation, kCeilMode};

// Without elements there is nothing more to check.
Rule checked(Rule rule) {
  return when([](const Arguments& arguments) { return !arguments.empty(kSelf); }, std::move(rule));
}

const OperatorSpec kSpec{
    "aclnnMaxPool2dWithIndicesBackward",
    {input("gradOutput"), input("self"), input("indices"), attribute("kernelSize"),
     attribute("stride"), attribute("padding"), attribute("dilation"), attribute("ceilMode"),
     output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kIndices, kWindows.kernel, kWindows.stride,
                    kWindows.padding, *kWindows.dilation, kGradInput}),
          dtype_in({kGradOutput, kSelf}, kFloats), dtype_in(kIndices, kPlaceDtypes),
          dtype_in(kGradInput, kFloats), same_dtype({kGradOutput, kGradInput}, kSelf),
          one_format({kSelf, kGradOutput, kGradInput}), no_private_format(kIndices),
          image_rank(kSelf), pool_arrays(kWindows), checked(pool_window_fits(kWindows)),
          same_shape(kGradInput, kSelf), checked(pool_result_shape(kGradOutput, kWindows)),
          checked(pool_result_shape(kIndices, kWindows))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradInput)) return {};
  return plan_max_pool_backward(planes(arguments, kGradOutput, kSelf),
                                planes(arguments, kIndices, kSelf),
                                planes(arguments, kGradInput, kSelf));
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnMaxPool2dWithIndices, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnMaxPool2dWithIndicesBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::max_pool2d_with_indices
