// SPDX-License-Identifier: Apache-2.0
// aclnnMul, aclnnInplaceMul, aclnnMuls, aclnnInplaceMuls.
#include "aclnnop/aclnn_mul.h"

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Any two of the arithmetic types have a common one, so its existence is no rule here. In place,
// what holds for self holds for out.
std::vector<Rule> tensor_rules(size_t out) {
  const Promotion promotion = promote_tensors(0, 1);
  std::vector<Rule> rules = {out == 0 ? not_null({0, 1}) : not_null({0, 1, out}),
                             dtype_in(0, kArithmeticDtypes), dtype_in(1, kArithmeticDtypes)};
  if (out != 0) rules.push_back(dtype_in(out, kArithmeticDtypes));
  rules.push_back(when(before_950, result_converts(promotion, out)));
  rules.push_back(max_rank(0));
  rules.push_back(max_rank(1));
  if (out != 0) rules.push_back(max_rank(out));
  rules.push_back(broadcastable(0, 1));
  rules.push_back(shape_is_broadcast(out, 0, 1));
  return rules;
}

std::vector<Rule> scalar_rules(size_t out) {
  const Promotion promotion = promote_factor(0, 1, out);
  std::vector<Rule> rules = {out == 0 ? not_null({0, 1}) : not_null({0, 1, out}),
                             dtype_in(0, kArithmeticDtypes)};
  if (out != 0) rules.push_back(dtype_in(out, kArithmeticDtypes));
  rules.push_back(when(on_950, promotion_exists(promotion, 0, 1)));
  rules.push_back(when(on_950, result_converts(promotion, out)));
  rules.push_back(max_rank(0));
  if (out != 0) rules.push_back(same_shape(out, 0));
  return rules;
}

const OperatorSpec kMul{
    "aclnnMul", {input("self"), input("other"), output("out")}, tensor_rules(2)};
const OperatorSpec kInplaceMul{
    "aclnnInplaceMul", {in_out("selfRef"), input("other")}, tensor_rules(0)};
const OperatorSpec kMuls{
    "aclnnMuls", {input("self"), attribute("other"), output("out")}, scalar_rules(2)};
const OperatorSpec kInplaceMuls{
    "aclnnInplaceMuls", {in_out("selfRef"), attribute("other")}, scalar_rules(0)};

Plan plan_mul(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_tensors(0, 1)(arguments);
  return plan_arithmetic(arguments, out, {0, 1}, dtype, product(dtype));
}

Plan plan_muls(const Arguments& arguments, size_t out) {
  const std::optional<aclDataType> dtype = promote_factor(0, 1, out)(arguments);
  if (!dtype) {
    throw Refusal{kInnerNullPointer, "self of dtype " + dtype_name(arguments.dtype(0)) +
                                         " and other of dtype " +
                                         dtype_name(arguments.scalar(1).dtype) +
                                         " have no common type, expected dtypes that promote."};
  }
  // A BF16 tensor is multiplied in FLOAT, so its factor keeps that precision.
  const aclDataType factor_dtype = *dtype == ACL_BF16 ? ACL_FLOAT : *dtype;
  return plan_arithmetic(arguments, out, {0}, *dtype,
                         product(*dtype, Number::of(arguments.scalar(1), factor_dtype)));
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnMul, 3, kMul,
                 [](const Arguments& arguments) { return plan_mul(arguments, 2); })
ACLGRAD_OPERATOR(aclnnInplaceMul, 2, kInplaceMul,
                 [](const Arguments& arguments) { return plan_mul(arguments, 0); })
ACLGRAD_OPERATOR(aclnnMuls, 3, kMuls,
                 [](const Arguments& arguments) { return plan_muls(arguments, 2); })
ACLGRAD_OPERATOR(aclnnInplaceMuls, 2, kInplaceMuls,
                 [](const Arguments& arguments) { return plan_muls(arguments, 0); })
