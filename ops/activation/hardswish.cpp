// SPDX-License-Identifier: Apache-2.0
// aclnnHardswish, aclnnInplaceHardswish, aclnnHardswishBackward, aclnnHardswishBackwardV2.
#include "ops/activation/hardswish_kernel.h"

#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "ops/meta/rules.h"

using namespace aclgrad::ops;

namespace {

const DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

// The dtypes may differ: each of the list converts to each other.
const OperatorSpec kHardswish{
    "aclnnHardswish",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kDtypes), dtype_in(1, kDtypes), same_shape(1, 0)}};

const OperatorSpec kInplaceHardswish{
    "aclnnInplaceHardswish", {in_out("self")}, {not_null({0}), dtype_in(0, kDtypes)}};

// The two versions differ in which dtype they look at first.
OperatorSpec backward_spec(const char* name, size_t first_dtype, size_t second_dtype) {
  return {name,
          {input("gradOutput"), input("self"), output("out")},
          {not_null({0, 1, 2}), dtype_in(first_dtype, kDtypes), dtype_in(second_dtype, kDtypes),
           same_dtype(0, 1), same_dtype(2, 1), max_rank(0), max_rank(1), same_shape(0, 1),
           same_shape(2, 1)}};
}

const OperatorSpec kBackward = backward_spec("aclnnHardswishBackward", 1, 0);
const OperatorSpec kBackwardV2 = backward_spec("aclnnHardswishBackwardV2", 0, 1);

}  // namespace

ACLGRAD_OPERATOR(aclnnHardswish, 2, kHardswish, [](const Arguments& arguments) {
  return elementwise(arguments, {1}, {0}, hardswish_kernel());
})
ACLGRAD_OPERATOR(aclnnInplaceHardswish, 1, kInplaceHardswish, [](const Arguments& arguments) {
  return elementwise(arguments, {0}, {0}, hardswish_kernel());
})
ACLGRAD_OPERATOR(aclnnHardswishBackward, 3, kBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {2}, {0, 1}, hardswish_backward_kernel(Interval::kClosed));
})
ACLGRAD_OPERATOR(aclnnHardswishBackwardV2, 3, kBackwardV2, [](const Arguments& arguments) {
  return elementwise(arguments, {2}, {0, 1}, hardswish_backward_kernel(Interval::kOpen));
})
