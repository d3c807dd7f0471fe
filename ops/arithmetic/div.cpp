// SPDX-License-Identifier: Apache-2.0
// aclnnDiv, aclnnInplaceDiv, aclnnDivs, aclnnInplaceDivs.
#include "aclnnop/aclnn_div.h"

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops::div {
namespace {

enum : size_t { kSelf, kOther, kOut };

// Integers and BOOL are divided in FLOAT.
aclDataType division_dtype(aclDataType dtype) {
  return is_floating(dtype) || is_complex(dtype) ? dtype : ACL_FLOAT;
}

Promotion quotient(const Promotion& promotion) {
  return [promotion](const Arguments& arguments) {
    return std::optional(division_dtype(*promotion(arguments)));
  };
}

// Any two of these dtypes promote. In place, out is self and has its checks.
std::vector<Rule> tensor_rules(size_t out) {
  const Promotion promotion = promote_tensors(kSelf, kOther);
  std::vector<Rule> rules = {
      out == kSelf ? not_null({kOther, kSelf}) : not_null({out, kOther, kSelf}), max_rank(kSelf),
      max_rank(kOther)};
  if (out != kSelf) rules.push_back(max_rank(out));
  rules.insert(rules.end(), {broadcastable(kSelf, kOther), shape_is_broadcast(out, kSelf, kOther),
                             dtype_in(kOther, kNumbersAndBool), dtype_in(kSelf, kNumbersAndBool)});
  if (out != kSelf) rules.push_back(dtype_in(out, kNumbersAndBool));
  rules.insert(rules.end(), {when(before_950, result_converts(promotion, out)),
                             when(on_950, result_converts(quotient(promotion), out)),
                             no_private_format(kSelf), no_private_format(kOther)});
  if (out != kSelf) rules.push_back(no_private_format(out));
  return rules;
}

const std::vector<Rule> kScalarRules = {
    not_null({kSelf, kOther, kOut}),  no_private_format(kSelf),        no_private_format(kOut),
    dtype_in(kSelf, kNumbersAndBool), dtype_in(kOut, kNumbersAndBool), max_rank(kSelf),
    same_shape(kOut, kSelf),          can_cast_tensor(kSelf, kOut)};
const std::vector<Rule> kScalarRulesInPlace = {not_null({kSelf, kOther}), no_private_format(kSelf),
                                               dtype_in(kSelf, kNumbersAndBool), max_rank(kSelf)};

const OperatorSpec kDiv{
    "aclnnDiv", {input("self"), input("other"), output("out")}, tensor_rules(kOut)};
const OperatorSpec kInplaceDiv{
    "aclnnInplaceDiv", {in_out("selfRef"), input("other")}, tensor_rules(kSelf)};
const OperatorSpec kDivs{
    "aclnnDivs", {input("self"), attribute("other"), output("out")}, kScalarRules};
const OperatorSpec kInplaceDivs{
    "aclnnInplaceDivs", {in_out("selfRef"), attribute("other")}, kScalarRulesInPlace};

Plan plan_div(const Arguments& arguments, size_t out) {
  const aclDataType dtype = division_dtype(*promote_tensors(kSelf, kOther)(arguments));
  const Kernel kernel = is_complex(dtype) ? Kernel(complex_quotient_kernel())
                                          : Kernel(function_kernel(Function::kDivide));
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype, kernel, true);
}

// Division by a scalar, which is a FLOAT for tensors of 16 bits.
Plan plan_divs(const Arguments& arguments, size_t out) {
  const aclDataType dtype = division_dtype(arguments.dtype(kSelf));
  const auto& other = arguments.scalar(kOther);
  if (is_complex(dtype)) {
    const KernelScalar factor = KernelScalar::of(other, dtype);
    return plan_arithmetic(arguments, out, {kSelf}, dtype, complex_quotient_kernel(factor.complex));
  }
  const double number = dtype == ACL_DOUBLE ? other.to_double() : other.to_float();
  const bool multiplies =
      on_950(arguments) && is_floating(arguments.dtype(kSelf)) && dtype != ACL_DOUBLE;
  const FloatKernel kernel = multiplies
                                 ? function_kernel(Function::kScale, 1 / static_cast<float>(number))
                                 : function_kernel(Function::kDivideBy, number);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, kernel, true);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnDiv, kDiv,
                 [](const Arguments& arguments) { return plan_div(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceDiv, kInplaceDiv,
                 [](const Arguments& arguments) { return plan_div(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnDivs, kDivs,
                 [](const Arguments& arguments) { return plan_divs(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceDivs, kInplaceDivs,
                 [](const Arguments& arguments) { return plan_divs(arguments, kSelf); })

}  // namespace aclgrad::ops::div
