// SPDX-License-Identifier: Apache-2.0
// aclnnDiv, aclnnDivs, aclnnDivMod, aclnnDivMods and their forms in place.
#include "aclnnop/aclnn_div.h"

#include <fmt/format.h>

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/arithmetic/rounding_kernel.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops::div {
namespace {

// With a mode, the result comes after it.
enum : size_t { kSelf, kOther, kOut };
enum : size_t { kMode = 2, kOutOfMode };

enum Mode : int64_t { kTrue, kTruncated, kFloored };

// Integers and BOOL are divided in FLOAT.
aclDataType division_dtype(aclDataType dtype) {
  return is_floating(dtype) || is_complex(dtype) ? dtype : ACL_FLOAT;
}

Promotion quotient(const Promotion& promotion) {
  return [promotion](const Arguments& arguments) {
    return std::optional(division_dtype(*promotion(arguments)));
  };
}

// Rounded quotients of integers are integers, also on 950.
bool is_true_on_950(const Arguments& arguments) {
  return on_950(arguments) && arguments.integer(kMode) == kTrue;
}

// Any two of these dtypes promote. In place, out is self and has its checks.
std::vector<Rule> tensor_rules(size_t out, bool (*in_fractions)(const Arguments&) = on_950) {
  const Promotion promotion = promote_tensors(kSelf, kOther);
  std::vector<Rule> rules = {
      out == kSelf ? not_null({kOther, kSelf}) : not_null({out, kOther, kSelf}), max_rank(kSelf),
      max_rank(kOther)};
  if (out != kSelf) rules.push_back(max_rank(out));
  rules.insert(rules.end(), {broadcastable(kSelf, kOther), shape_is_broadcast(out, kSelf, kOther),
                             dtype_in(kOther, kNumbersAndBool), dtype_in(kSelf, kNumbersAndBool)});
  if (out != kSelf) rules.push_back(dtype_in(out, kNumbersAndBool));
  const auto in_promoted = [=](const Arguments& arguments) { return !in_fractions(arguments); };
  rules.insert(rules.end(), {when(in_promoted, result_converts(promotion, out)),
                             when(in_fractions, result_converts(quotient(promotion), out)),
                             no_private_format(kSelf), no_private_format(kOther)});
  if (out != kSelf) rules.push_back(no_private_format(out));
  return rules;
}

std::vector<Rule> scalar_rules(size_t out) {
  if (out == kSelf) {
    return {not_null({kSelf, kOther}), no_private_format(kSelf), dtype_in(kSelf, kNumbersAndBool),
            max_rank(kSelf)};
  }
  return {not_null({kSelf, kOther, out}),   no_private_format(kSelf),       no_private_format(out),
          dtype_in(kSelf, kNumbersAndBool), dtype_in(out, kNumbersAndBool), max_rank(kSelf),
          same_shape(out, kSelf),           can_cast_tensor(kSelf, out)};
}

// One of the three, and the true quotient alone of complex numbers.
Rules mode_rules() {
  return {integer_between(kMode, kTrue, kFloored),
          require([](const Arguments& arguments) -> std::optional<std::string> {
            if (arguments.integer(kMode) == kTrue) return std::nullopt;
            const auto* other = arguments[kOther].tensor();
            const aclDataType dtypes[] = {
                arguments.dtype(kSelf),
                other != nullptr ? other->dtype : arguments.scalar(kOther).dtype};
            for (const aclDataType dtype : dtypes) {
              if (is_complex(dtype)) {
                return fmt::format("mode must be 0 for {}, but is {}.", dtype_name(dtype),
                                   arguments.integer(kMode));
              }
            }
            return std::nullopt;
          })};
}

const OperatorSpec kDiv{
    "aclnnDiv", {input("self"), input("other"), output("out")}, tensor_rules(kOut)};
const OperatorSpec kInplaceDiv{
    "aclnnInplaceDiv", {in_out("selfRef"), input("other")}, tensor_rules(kSelf)};
const OperatorSpec kDivs{
    "aclnnDivs", {input("self"), attribute("other"), output("out")}, scalar_rules(kOut)};
const OperatorSpec kInplaceDivs{
    "aclnnInplaceDivs", {in_out("selfRef"), attribute("other")}, scalar_rules(kSelf)};

const OperatorSpec kDivMod{"aclnnDivMod",
                           {input("self"), input("other"), attribute("mode"), output("out")},
                           Rules{tensor_rules(kOutOfMode, is_true_on_950), mode_rules()}};
const OperatorSpec kInplaceDivMod{"aclnnInplaceDivMod",
                                  {in_out("selfRef"), input("other"), attribute("mode")},
                                  Rules{tensor_rules(kSelf, is_true_on_950), mode_rules()}};
const OperatorSpec kDivMods{"aclnnDivMods",
                            {input("self"), attribute("other"), attribute("mode"), output("out")},
                            Rules{scalar_rules(kOutOfMode), mode_rules()}};
const OperatorSpec kInplaceDivMods{"aclnnInplaceDivMods",
                                   {in_out("selfRef"), attribute("other"), attribute("mode")},
                                   Rules{scalar_rules(kSelf), mode_rules()}};

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

// Integers are divided as such, BOOL in FLOAT.
aclDataType rounded_dtype(aclDataType promoted) {
  return promoted == ACL_BOOL ? ACL_FLOAT : promoted;
}
Division division_of(const Arguments& arguments) {
  return arguments.integer(kMode) == kFloored ? Division::kFloored : Division::kTruncated;
}

Plan plan_div_mod(const Arguments& arguments, size_t out) {
  if (arguments.integer(kMode) == kTrue) return plan_div(arguments, out);
  const aclDataType dtype = rounded_dtype(*promote_tensors(kSelf, kOther)(arguments));
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype,
                         division(division_of(arguments), dtype), true);
}

Plan plan_div_mods(const Arguments& arguments, size_t out) {
  if (arguments.integer(kMode) == kTrue) return plan_divs(arguments, out);
  const aclDataType dtype = rounded_dtype(*promote_number(kSelf, kOther)(arguments));
  const Operands operands{.divisor = KernelScalar::of(arguments.scalar(kOther), dtype)};
  return plan_arithmetic(arguments, out, {kSelf}, dtype,
                         division(division_of(arguments), dtype, operands), true);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnDivMod, kDivMod,
                 [](const Arguments& arguments) { return plan_div_mod(arguments, kOutOfMode); })
ACLGRAD_OPERATOR(aclnnInplaceDivMod, kInplaceDivMod,
                 [](const Arguments& arguments) { return plan_div_mod(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnDivMods, kDivMods,
                 [](const Arguments& arguments) { return plan_div_mods(arguments, kOutOfMode); })
ACLGRAD_OPERATOR(aclnnInplaceDivMods, kInplaceDivMods,
                 [](const Arguments& arguments) { return plan_div_mods(arguments, kSelf); })

ACLGRAD_OPERATOR(aclnnDiv, kDiv,
                 [](const Arguments& arguments) { return plan_div(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceDiv, kInplaceDiv,
                 [](const Arguments& arguments) { return plan_div(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnDivs, kDivs,
                 [](const Arguments& arguments) { return plan_divs(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplaceDivs, kInplaceDivs,
                 [](const Arguments& arguments) { return plan_divs(arguments, kSelf); })

}  // namespace aclgrad::ops::div
