// SPDX-License-Identifier: Apache-2.0
// aclnnHardswish, aclnnInplaceHardswish, aclnnHardswishBackward, aclnnHardswishBackwardV2.
#include "ops/activation/hardswish_kernel.h"

#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::hardswish {
namespace {

enum : size_t { kSelf, kOut };

// The dtypes may differ: each of the list converts to each other.
const OperatorSpec kHardswish{
    "aclnnHardswish",
    {input("self"), output("out")},
    Rules{not_null({kSelf, kOut}), dtype_in({kSelf, kOut}, kFloats), same_shape(kOut, kSelf)}};

const OperatorSpec kInplaceHardswish{
    "aclnnInplaceHardswish", {in_out("self")}, {not_null({kSelf}), dtype_in(kSelf, kFloats)}};

namespace backward {

enum : size_t { kGradOutput, kSelf, kOut };

// The two versions differ in which dtype they look at first.
OperatorSpec spec(const char* name, size_t first_dtype, size_t second_dtype) {
  return {name,
          {input("gradOutput"), input("self"), output("out")},
          Rules{not_null({kGradOutput, kSelf, kOut}), dtype_in(first_dtype, kFloats),
                dtype_in(second_dtype, kFloats), same_dtype({kGradOutput, kOut}, kSelf),
                max_rank({kGradOutput, kSelf}), same_shape({kGradOutput, kOut}, kSelf)}};
}

const OperatorSpec kSpec = spec("aclnnHardswishBackward", kSelf, kGradOutput);
const OperatorSpec kV2Spec = spec("aclnnHardswishBackwardV2", kGradOutput, kSelf);

Plan plan(const Arguments& arguments, Interval interval) {
  return elementwise(arguments, {kOut}, {kGradOutput, kSelf}, hardswish_backward_kernel(interval));
}

}  // namespace backward

}  // namespace

ACLGRAD_OPERATOR(aclnnHardswish, kHardswish, [](const Arguments& arguments) {
  return elementwise(arguments, {kOut}, {kSelf}, hardswish_kernel());
})
ACLGRAD_OPERATOR(aclnnInplaceHardswish, kInplaceHardswish, [](const Arguments& arguments) {
  return elementwise(arguments, {kSelf}, {kSelf}, hardswish_kernel());
})
ACLGRAD_OPERATOR(aclnnHardswishBackward, backward::kSpec, [](const Arguments& arguments) {
  return backward::plan(arguments, Interval::kClosed);
})
ACLGRAD_OPERATOR(aclnnHardswishBackwardV2, backward::kV2Spec, [](const Arguments& arguments) {
  return backward::plan(arguments, Interval::kOpen);
})

}  // namespace aclgrad::ops::hardswish
