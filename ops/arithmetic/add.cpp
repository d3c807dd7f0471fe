// SPDX-License-Identifier: Apache-2.0
// aclnnAdd, aclnnAdds, aclnnSub, aclnnSubs, and their forms in place; aclnnRsub, aclnnRsubs,
// aclnnAddRelu, aclnnInplaceAddRelu.
#include "aclnnop/aclnn_add.h"

#include "aclnnop/aclnn_add_relu.h"
#include "aclnnop/aclnn_rsub.h"
#include "aclnnop/aclnn_sub.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"

namespace aclgrad::ops::add {
namespace {

using namespace additive;

OperatorSpec of_tensors(const char* name) {
  return {name,
          {input("self"), input("other"), attribute("alpha"), output("out")},
          additive_rules(kOut)};
}
OperatorSpec of_tensors_in_place(const char* name) {
  return {name, {in_out("selfRef"), input("other"), attribute("alpha")}, additive_rules(kSelf)};
}
OperatorSpec of_scalar(const char* name) {
  return {name,
          {input("self"), attribute("other"), attribute("alpha"), output("out")},
          additive_scalar_rules(kOut)};
}
OperatorSpec of_scalar_in_place(const char* name) {
  return {name,
          {in_out("selfRef"), attribute("other"), attribute("alpha")},
          additive_scalar_rules(kSelf)};
}

const OperatorSpec kAdd = of_tensors("aclnnAdd"), kSub = of_tensors("aclnnSub");
const OperatorSpec kInplaceAdd = of_tensors_in_place("aclnnInplaceAdd");
const OperatorSpec kInplaceSub = of_tensors_in_place("aclnnInplaceSub");
const OperatorSpec kAdds = of_scalar("aclnnAdds"), kSubs = of_scalar("aclnnSubs");
const OperatorSpec kInplaceAdds = of_scalar_in_place("aclnnInplaceAdds");
const OperatorSpec kInplaceSubs = of_scalar_in_place("aclnnInplaceSubs");

template <size_t kResult, Sign kSign>
Plan plan_tensors(const Arguments& arguments) {
  return plan_additive(arguments, kResult, kSign);
}
template <size_t kResult, Sign kSign>
Plan plan_scalar(const Arguments& arguments) {
  return plan_additive_scalar(arguments, kResult, kSign);
}

// Of real numbers with alpha; in place, out is kSelf.
Rules real_rules(size_t out) {
  const std::vector<size_t> tensors =
      out == kSelf ? std::vector<size_t>{kSelf, kOther} : std::vector<size_t>{kSelf, kOther, out};
  return {out == kSelf ? not_null({kSelf, kOther, kAlpha}) : not_null({kSelf, kOther, kAlpha, out}),
          dtype_in({kSelf, kOther}, kRealNumbers),
          scalar_converts(promote_tensors(kSelf, kOther), kAlpha),
          result_converts(promote_tensors(kSelf, kOther), out),
          max_rank(tensors),
          broadcastable(kSelf, kOther),
          shape_is_broadcast(out, kSelf, kOther)};
}

OperatorSpec of_real_tensors(const char* name) {
  return {
      name, {input("self"), input("other"), attribute("alpha"), output("out")}, real_rules(kOut)};
}

const OperatorSpec kRsub = of_real_tensors("aclnnRsub");
const OperatorSpec kAddRelu = of_real_tensors("aclnnAddRelu");
const OperatorSpec kInplaceAddRelu{"aclnnInplaceAddRelu",
                                   {in_out("selfRef"), input("other"), attribute("alpha")},
                                   real_rules(kSelf)};
const OperatorSpec kRsubs{
    "aclnnRsubs",
    {input("self"), attribute("other"), attribute("alpha"), output("out")},
    Rules{not_null({kSelf, kOther, kAlpha, kOut}), dtype_in(kSelf, kRealNumbers),
          dtype_in(kOther, kRealNumbersAndBool),
          scalar_converts(promote_addend(kSelf, kOther, kOut), kAlpha),
          result_converts(promote_addend(kSelf, kOther, kOut), kOut), max_rank(kSelf),
          same_shape(kOut, kSelf)}};

// As the kernels of sums have it, of which the first operand has no factor.
Plan plan_rsub(const Arguments& arguments) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(
      arguments, kOut, {kOther, kSelf}, dtype,
      scaled_sum(dtype, factor_in(arguments.scalar(kAlpha), dtype, Sign::kMinus)));
}
template <size_t kResult>
Plan plan_add_relu(const Arguments& arguments) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(
      arguments, kResult, {kSelf, kOther}, dtype,
      sum_above_zero(dtype, factor_in(arguments.scalar(kAlpha), dtype, Sign::kPlus)));
}
Plan plan_rsubs(const Arguments& arguments) {
  const aclDataType dtype = *promote_addend(kSelf, kOther, kOut)(arguments);
  return plan_arithmetic(arguments, kOut, {kSelf}, dtype,
                         linear(dtype, KernelScalar::of(arguments.scalar(kOther), dtype),
                                factor_in(arguments.scalar(kAlpha), dtype, Sign::kMinus)));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnAdd, kAdd, plan_tensors<kOut, Sign::kPlus>)
ACLGRAD_OPERATOR(aclnnInplaceAdd, kInplaceAdd, plan_tensors<kSelf, Sign::kPlus>)
ACLGRAD_OPERATOR(aclnnAdds, kAdds, plan_scalar<kOut, Sign::kPlus>)
ACLGRAD_OPERATOR(aclnnInplaceAdds, kInplaceAdds, plan_scalar<kSelf, Sign::kPlus>)
ACLGRAD_OPERATOR(aclnnSub, kSub, plan_tensors<kOut, Sign::kMinus>)
ACLGRAD_OPERATOR(aclnnInplaceSub, kInplaceSub, plan_tensors<kSelf, Sign::kMinus>)
ACLGRAD_OPERATOR(aclnnSubs, kSubs, plan_scalar<kOut, Sign::kMinus>)
ACLGRAD_OPERATOR(aclnnInplaceSubs, kInplaceSubs, plan_scalar<kSelf, Sign::kMinus>)
ACLGRAD_OPERATOR(aclnnRsub, kRsub, plan_rsub)
ACLGRAD_OPERATOR(aclnnRsubs, kRsubs, plan_rsubs)
ACLGRAD_OPERATOR(aclnnAddRelu, kAddRelu, plan_add_relu<kOut>)
ACLGRAD_OPERATOR(aclnnInplaceAddRelu, kInplaceAddRelu, plan_add_relu<kSelf>)

}  // namespace aclgrad::ops::add
