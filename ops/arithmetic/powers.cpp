// SPDX-License-Identifier: Apache-2.0
// aclnnPowTensorScalar, aclnnPowTensorTensor, their forms in place, and aclnnPowScalarTensor.
#include <fmt/format.h>

#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"

namespace aclgrad::ops::powers {
namespace {

enum : size_t { kSelf, kExponent, kOut };

std::optional<aclDataType> promoted(aclDataType self, aclDataType exponent, aclDataType out) {
  if (exponent == ACL_DOUBLE && out == ACL_FLOAT) return ACL_FLOAT;
  if (is_complex(self) || is_complex(exponent)) return promote_types(self, exponent);
  if (is_floating(self)) return self;
  if (is_floating(exponent) || self == ACL_BOOL) return promote_types(self, exponent);
  return self;
}

Promotion promote_power(size_t out) {
  return [out](const Arguments& arguments) {
    return promoted(arguments.dtype(kSelf), arguments.scalar(kExponent).dtype,
                    arguments.dtype(out));
  };
}

Rule not_both_bool() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const auto is_bool = [&](size_t i) {
      const aclDataType dtype =
          arguments[i].tensor() != nullptr ? arguments.dtype(i) : arguments.scalar(i).dtype;
      return dtype == ACL_BOOL;
    };
    if (!is_bool(kSelf) || !is_bool(kExponent)) return std::nullopt;
    return fmt::format("{} and {} are both DT_BOOL, expected at most one.", arguments.name(kSelf),
                       arguments.name(kExponent));
  });
}

// Integers have no negative powers.
Rule integer_has_power(size_t out) {
  return require([out](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType dtype = *promote_power(out)(arguments);
    const double exponent = arguments.scalar(kExponent).to_double();
    if (!is_integer(dtype) || exponent >= 0) return std::nullopt;
    return fmt::format("{} must not be negative for a result in {}, but is {}.",
                       arguments.name(kExponent), dtype_name(dtype), exponent);
  });
}

// Any two of these dtypes promote, so that needs no check.
std::vector<Rule> scalar_rules(size_t out) {
  const Promotion promotion = promote_power(out);
  std::vector<Rule> rules = {
      out == kSelf ? not_null({kSelf, kExponent}) : not_null({kSelf, kExponent, out}),
      dtype_in(kSelf, kNumbersAndBool), dtype_in(kExponent, kNumbersAndBool)};
  if (out != kSelf) rules.push_back(dtype_in(out, kNumbersAndBool));
  rules.insert(rules.end(), {not_both_bool(), integer_has_power(out),
                             result_converts(promotion, out), max_rank(kSelf)});
  if (out != kSelf) rules.insert(rules.end(), {max_rank(out), same_shape(out, kSelf)});
  return rules;
}

const OperatorSpec kPowTensorScalar{"aclnnPowTensorScalar",
                                    {input("self"), attribute("exponent"), output("out")},
                                    scalar_rules(kOut)};
const OperatorSpec kInplacePowTensorScalar{
    "aclnnInplacePowTensorScalar", {in_out("selfRef"), attribute("exponent")}, scalar_rules(kSelf)};
Rules tensor_rules(size_t out) {
  const Promotion promotion = promote_tensors(kSelf, kExponent);
  const std::vector<size_t> tensors = out == kSelf ? std::vector<size_t>{kSelf, kExponent}
                                                   : std::vector<size_t>{kSelf, kExponent, out};
  return {out == kSelf ? not_null({kSelf, kExponent}) : not_null({kSelf, kExponent, out}),
          dtype_in(tensors, kNumbersAndBool),
          not_both_bool(),
          result_converts(promotion, out),
          max_rank(tensors),
          broadcastable(kSelf, kExponent),
          shape_is_broadcast(out, kSelf, kExponent)};
}

const OperatorSpec kPowTensorTensor{
    "aclnnPowTensorTensor", {input("self"), input("exponent"), output("out")}, tensor_rules(kOut)};
const OperatorSpec kInplacePowTensorTensor{
    "aclnnInplacePowTensorTensor", {in_out("selfRef"), input("exponent")}, tensor_rules(kSelf)};

// The dtype of a power of a number; a result in DOUBLE is computed in it.
Promotion promote_power_of_number() {
  return [](const Arguments& arguments) {
    const auto dtype =
        promoted(arguments.dtype(kExponent), arguments.scalar(kSelf).dtype, arguments.dtype(kOut));
    const bool widens = dtype && is_floating(*dtype) && arguments.dtype(kOut) == ACL_DOUBLE;
    return widens ? std::optional(ACL_DOUBLE) : dtype;
  };
}

const OperatorSpec kPowScalarTensor{
    "aclnnPowScalarTensor",
    {attribute("self"), input("exponent"), output("out")},
    Rules{not_null({kSelf, kExponent, kOut}), dtype_in(kSelf, kNumbersAndBool),
          dtype_in({kExponent, kOut}, kNumbersAndBool), not_both_bool(),
          result_converts(promote_power_of_number(), kOut), max_rank({kExponent, kOut}),
          same_shape(kOut, kExponent)}};

Plan plan_with_number(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_power(out)(arguments);
  const bool narrow = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
  const KernelScalar exponent =
      KernelScalar::of(arguments.scalar(kExponent), narrow ? ACL_FLOAT : dtype);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, power(dtype, exponent), true);
}

Plan plan_with_tensor(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_tensors(kSelf, kExponent)(arguments);
  return plan_arithmetic(arguments, out, {kSelf, kExponent}, dtype, power(dtype), true);
}

Plan plan_of_number(const Arguments& arguments) {
  const aclDataType dtype = *promote_power_of_number()(arguments);
  const bool narrow = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
  const KernelScalar base = KernelScalar::of(arguments.scalar(kSelf), narrow ? ACL_FLOAT : dtype);
  return plan_arithmetic(arguments, kOut, {kExponent}, dtype, power_of(dtype, base), true);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnPowTensorScalar, kPowTensorScalar,
                 [](const Arguments& arguments) { return plan_with_number(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplacePowTensorScalar, kInplacePowTensorScalar,
                 [](const Arguments& arguments) { return plan_with_number(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnPowTensorTensor, kPowTensorTensor,
                 [](const Arguments& arguments) { return plan_with_tensor(arguments, kOut); })
ACLGRAD_OPERATOR(aclnnInplacePowTensorTensor, kInplacePowTensorTensor,
                 [](const Arguments& arguments) { return plan_with_tensor(arguments, kSelf); })
ACLGRAD_OPERATOR(aclnnPowScalarTensor, kPowScalarTensor, plan_of_number)

}  // namespace aclgrad::ops::powers
