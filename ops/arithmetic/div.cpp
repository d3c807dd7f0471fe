// SPDX-License-Identifier: Apache-2.0
// aclnnDiv, aclnnInplaceDiv, aclnnDivs, aclnnInplaceDivs.
#include "aclnnop/aclnn_div.h"

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Integers and BOOL are divided in FLOAT.
aclDataType division_dtype(aclDataType dtype) {
  return is_floating(dtype) || is_complex(dtype) ? dtype : ACL_FLOAT;
}

Promotion quotient(const Promotion& promotion) {
  return [promotion](const Arguments& arguments) {
    return std::optional(division_dtype(*promotion(arguments)));
  };
}

// Any two of the arithmetic types have a common one. In place, what holds for self holds for out.
std::vector<Rule> tensor_rules(size_t out) {
  const Promotion promotion = promote_tensors(0, 1);
  std::vector<Rule> rules = {out == 0 ? not_null({1, 0}) : not_null({out, 1, 0}), max_rank(0),
                             max_rank(1)};
  if (out != 0) rules.push_back(max_rank(out));
  rules.insert(rules.end(), {broadcastable(0, 1), shape_is_broadcast(out, 0, 1),
                             dtype_in(1, kArithmeticDtypes), dtype_in(0, kArithmeticDtypes)});
  if (out != 0) rules.push_back(dtype_in(out, kArithmeticDtypes));
  rules.insert(rules.end(), {when(before_950, result_converts(promotion, out)),
                             when(on_950, result_converts(quotient(promotion), out)),
                             no_private_format(0), no_private_format(1)});
  if (out != 0) rules.push_back(no_private_format(out));
  return rules;
}

const std::vector<Rule> kScalarRules = {not_null({0, 1, 2}),
                                        no_private_format(0),
                                        no_private_format(2),
                                        dtype_in(0, kArithmeticDtypes),
                                        dtype_in(2, kArithmeticDtypes),
                                        max_rank(0),
                                        same_shape(2, 0),
                                        can_cast_tensor(0, 2)};
const std::vector<Rule> kScalarRulesInPlace = {not_null({0, 1}), no_private_format(0),
                                               dtype_in(0, kArithmeticDtypes), max_rank(0)};

const OperatorSpec kDiv{
    "aclnnDiv", {input("self"), input("other"), output("out")}, tensor_rules(2)};
const OperatorSpec kInplaceDiv{
    "aclnnInplaceDiv", {in_out("selfRef"), input("other")}, tensor_rules(0)};
const OperatorSpec kDivs{
    "aclnnDivs", {input("self"), attribute("other"), output("out")}, kScalarRules};
const OperatorSpec kInplaceDivs{
    "aclnnInplaceDivs", {in_out("selfRef"), attribute("other")}, kScalarRulesInPlace};

Plan plan_div(const Arguments& arguments, size_t out) {
  const aclDataType dtype = division_dtype(*promote_tensors(0, 1)(arguments));
  const Kernel kernel = is_complex(dtype) ? Kernel(complex_quotient_kernel())
                                          : Kernel(function_kernel(Function::kDivide));
  return plan_arithmetic(arguments, out, {0, 1}, dtype, kernel, true);
}

// By a number, which tensors of 16 bits take in FLOAT.
Plan plan_divs(const Arguments& arguments, size_t out) {
  const aclDataType dtype = division_dtype(arguments.dtype(0));
  const auto& other = arguments.scalar(1);
  if (is_complex(dtype)) {
    const Number factor = Number::of(other, dtype);
    return plan_arithmetic(arguments, out, {0}, dtype, complex_quotient_kernel(factor.complex));
  }
  const double number = dtype == ACL_DOUBLE ? other.to_double() : other.to_float();
  const bool multiplies =
      on_950(arguments) && is_floating(arguments.dtype(0)) && dtype != ACL_DOUBLE;
  const FloatKernel kernel = multiplies
                                 ? function_kernel(Function::kScale, 1 / static_cast<float>(number))
                                 : function_kernel(Function::kDivideBy, number);
  return plan_arithmetic(arguments, out, {0}, dtype, kernel, true);
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnDiv, 3, kDiv,
                 [](const Arguments& arguments) { return plan_div(arguments, 2); })
ACLGRAD_OPERATOR(aclnnInplaceDiv, 2, kInplaceDiv,
                 [](const Arguments& arguments) { return plan_div(arguments, 0); })
ACLGRAD_OPERATOR(aclnnDivs, 3, kDivs,
                 [](const Arguments& arguments) { return plan_divs(arguments, 2); })
ACLGRAD_OPERATOR(aclnnInplaceDivs, 2, kInplaceDivs,
                 [](const Arguments& arguments) { return plan_divs(arguments, 0); })
