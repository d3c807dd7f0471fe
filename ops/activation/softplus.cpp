// SPDX-License-Identifier: Apache-2.0
// aclnnSoftplus, aclnnSoftplusBackward.
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "ops/activation/activation_kernel.h"
#include "ops/arithmetic/arithmetic_rules.h"

using namespace aclgrad::ops;

namespace {

constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};
constexpr DtypeSet kRealFloats{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, {ACL_BF16}};
constexpr DtypeSet kReal{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32,
                          ACL_INT64, ACL_UINT8, ACL_BOOL},
                         {ACL_BF16}};

enum Parameter { kGrad, kSelf, kBeta, kUpper, kGradInput };

const OperatorSpec kSoftplus{
    "aclnnSoftplus",
    {input("self"), attribute("beta"), attribute("threshold"), output("out")},
    {not_null({0, 1, 2, 3}), dtype_in(0, kFloats), dtype_in(3, kFloats),
     scalar_castable_to_float(1), scalar_castable_to_float(2), max_rank(0), max_rank(3),
     same_shape(3, 0)}};

const OperatorSpec kSoftplusBackward{
    "aclnnSoftplusBackward",
    {input("gradOutput"), input("self"), attribute("beta"), attribute("threshold"),
     output("gradInput")},
    {not_null({kGrad, kSelf, kGradInput, kBeta, kUpper}), dtype_in(kGrad, kRealFloats),
     dtype_in(kSelf, kReal), dtype_in(kGradInput, kRealFloats), max_rank(kGrad), max_rank(kSelf),
     max_rank(kGradInput), same_shape(kSelf, kGrad), same_shape(kGradInput, kGrad)}};

Plan plan_softplus_backward(const Arguments& arguments) {
  const aclDataType grad = arguments.dtype(kGrad);
  const bool equal = arguments.dtype(kSelf) == grad && arguments.dtype(kGradInput) == grad;
  return plan_arithmetic(
      arguments, kGradInput, {kGrad, kSelf}, equal ? grad : ACL_FLOAT,
      activation_kernel(Activation::kSoftplusBackward, arguments.scalar(kBeta).to_float(),
                        arguments.scalar(kUpper).to_float()));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnSoftplus, 4, kSoftplus, [](const Arguments& arguments) {
  return plan_arithmetic(arguments, 3, {0}, arguments.dtype(0),
                         activation_kernel(Activation::kSoftplus, arguments.scalar(1).to_float(),
                                           arguments.scalar(2).to_float()));
})
ACLGRAD_OPERATOR(aclnnSoftplusBackward, 5, kSoftplusBackward, plan_softplus_backward)
