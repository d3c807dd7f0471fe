// SPDX-License-Identifier: Apache-2.0
// aclnnSilu, aclnnSiluBackward.
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/activation/activation_kernel.h"
#include "ops/arithmetic/arithmetic_rules.h"

using namespace aclgrad::ops;

namespace {

constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

const OperatorSpec kSilu{
    "aclnnSilu",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kFloats), dtype_in(1, kFloats), same_shape(1, 0)}};

constexpr DtypeSet kFloatsAndBf16{{ACL_FLOAT, ACL_FLOAT16, ACL_BF16}};

aclDataType common_or_float(const Arguments& arguments) {
  return arguments.dtype(0) == arguments.dtype(1) ? arguments.dtype(0) : ACL_FLOAT;
}

const OperatorSpec kSiluBackward{
    "aclnnSiluBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    {not_null({0, 1, 2}), dtype_in(0, kFloatsAndBf16), dtype_in(1, kFloatsAndBf16),
     dtype_in(2, kFloatsAndBf16), when(before_950, same_dtype(1, 0)),
     when(before_950, same_dtype(2, 0)), when(on_950, has_dtype(2, common_or_float)), max_rank(0),
     max_rank(1), max_rank(2), when(before_950, same_shape(1, 0)),
     when(before_950, same_shape(2, 0)), when(on_950, broadcastable(0, 1)),
     when(on_950, shape_is_broadcast(2, 0, 1))}};

}  // namespace

ACLGRAD_OPERATOR(aclnnSilu, 2, kSilu, [](const Arguments& arguments) {
  return elementwise(arguments, {1}, {0}, activation_kernel(Activation::kSilu));
})
ACLGRAD_OPERATOR(aclnnSiluBackward, 3, kSiluBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {2}, {0, 1}, activation_kernel(Activation::kSiluBackward));
})
