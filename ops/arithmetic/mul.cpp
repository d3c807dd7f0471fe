// SPDX-License-Identifier: Apache-2.0
// aclnnMul, aclnnInplaceMul, aclnnMuls, aclnnInplaceMuls.
#include "aclnnop/aclnn_mul.h"

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops::mul {
namespace {

enum : size_t { kSelf, kOther, kOut };

// Any two of these dtypes promote, so that needs no check. In place, out is self and has its
// checks.
std::vector<Rule> tensor_rules(size_t out) {
  const Promotion promotion = promote_tensors(kSelf, kOther);
  std::vector<Rule> rules = {
      out == kSelf ? not_null({kSelf, kOther}) : not_null({kSelf, kOther, out}),
      dtype_in(kSelf, kNumbersAndBool), dtype_in(kOther, kNumbersAndBool)};
  if (out != kSelf) rules.push_back(dtype_in(out, kNumbersAndBool));
  rules.push_back(when(before_950, result_converts(promotion, out)));
  rules.push_back(max_rank(kSelf));
  rules.push_back(max_rank(kOther));
  if (out != kSelf) rules.push_back(max_rank(out));
  rules.push_back(broadcastable(kSelf, kOther));
  rules.push_back(shape_is_broadcast(out, kSelf, kOther));
  return rules;
}

std::vector<Rule> scalar_rules(size_t out) {
  const Promotion promotion = promote_factor(kSelf, kOther, out);
  std::vector<Rule> rules = {
      out == kSelf ? not_null({kSelf, kOther}) : not_null({kSelf, kOther, out}),
      dtype_in(kSelf, kNumbersAndBool)};
  if (out != kSelf) rules.push_back(dtype_in(out, kNumbersAndBool));
  rules.push_back(when(on_950, promotion_exists(promotion, kSelf, kOther)));
  rules.push_back(when(on_950, result_converts(promotion, out)));
  rules.push_back(max_rank(kSelf));
  if (out != kSelf) rules.push_back(same_shape(out, kSelf));
  return rules;
}

const OperatorSpec kMul{
    "aclnnMul", {input("self"), input("other"), output("out")}, tensor_rules(kOut)};
const OperatorSpec kInplaceMul{
    "aclnnInplaceMul", {in_out("selfRef"), input("other")}, tensor_rules(kSelf)};
const OperatorSpec kMuls{
    "aclnnMuls", {input("self"), attribute("other"), output("out")}, scalar_rules(kOut)};
const OperatorSpec kInplaceMuls{
    "aclnnInplaceMuls", {in_out("selfRef"), attribute("other")}, scalar_rules(kSelf)};

Plan plan_mul(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype, product(dtype));
}

Plan plan_muls(const Arguments& arguments, size_t out) {
  const std::optional<aclDataType> dtype = promote_factor(kSelf, kOther, out)(arguments);
  if (!dtype) {
    throw PlanError{kInnerNullPointer, "self of dtype " + dtype_name(arguments.dtype(kSelf)) +
                                           " and other of dtype " +
                                           dtype_name(arguments.scalar(kOther).dtype) +
                                           " have no common type, expected dtypes that promote."};
  }
  // A BF16 tensor is multiplied in FLOAT, so its factor keeps that precision.
  const aclDataType factor_dtype = *dtype == ACL_BF16 ? ACL_FLOAT : *dtype;
  return plan_arithmetic(arguments, out, {kSelf}, *dtype,
                         product(*dtype, KernelScalar::of(arguments.scalar(kOther), factor_dtype)));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnMul, kMul,
                 [](const Arguments& arguments) { return plan_mul(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceMul, kInplaceMul,
                 [](const Arguments& arguments) { return plan_mul(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnMuls, kMuls,
                 [](const Arguments& arguments) { return plan_muls(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceMuls, kInplaceMuls,
                 [](const Arguments& arguments) { return plan_muls(arguments, kSelf); })

}  // namespace aclgrad::ops::mul
