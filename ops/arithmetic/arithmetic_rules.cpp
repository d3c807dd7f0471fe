// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/arithmetic_rules.h"

#include <fmt/format.h>

#include <utility>

#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

aclDataType scalar_or_tensor_dtype(const Arguments& arguments, size_t i) {
  return arguments[i].tensor() != nullptr ? arguments.dtype(i) : arguments.scalar(i).dtype;
}

}  // namespace

Promotion promote_tensors(size_t self, size_t other) {
  return [=](const Arguments& arguments) {
    return promote_types(arguments.dtype(self), arguments.dtype(other));
  };
}

Promotion promote_number(size_t tensor, size_t number) {
  return [=](const Arguments& arguments) -> std::optional<aclDataType> {
    const aclDataType of_tensor = arguments.dtype(tensor);
    const aclDataType of_number = arguments.scalar(number).dtype;
    if (is_complex(of_tensor) || is_complex(of_number)) return promote_types(of_tensor, of_number);
    if (is_floating(of_tensor)) return of_tensor;
    if (is_floating(of_number)) return ACL_FLOAT;
    return of_tensor == ACL_BOOL ? of_number : of_tensor;
  };
}

Promotion promote_tensors(std::vector<size_t> tensors) {
  return [tensors](const Arguments& arguments) {
    std::optional<aclDataType> common = arguments.dtype(tensors[0]);
    for (const size_t tensor : tensors) {
      if (common) common = promote_types(*common, arguments.dtype(tensor));
    }
    return common;
  };
}

Rule promotes_to_one_of(std::vector<size_t> tensors, const DtypeSet& set) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const auto common = promote_tensors(tensors)(arguments);
    if (common && set.contains(*common)) return std::nullopt;
    std::string names;
    for (const size_t tensor : tensors) {
      names += fmt::format("{}{} ({})", names.empty() ? "" : " and ", arguments.name(tensor),
                           dtype_name(arguments.dtype(tensor)));
    }
    return fmt::format("{} do not promote to an expected dtype, one of {}.", names,
                       set.to_string());
  });
}

Promotion promote_addend(size_t self, size_t other, size_t out) {
  return [=](const Arguments& arguments) -> std::optional<aclDataType> {
    const aclDataType tensor = arguments.dtype(self);
    const aclDataType scalar = arguments.scalar(other).dtype;
    if (is_complex(tensor) || is_complex(scalar)) return promote_types(tensor, scalar);
    if (is_floating(tensor)) return tensor;
    if (scalar == ACL_DOUBLE && arguments.dtype(out) == ACL_FLOAT) return ACL_FLOAT;
    if (is_floating(scalar) || tensor == ACL_BOOL) return promote_types(tensor, scalar);
    return tensor;
  };
}

Promotion promote_factor(size_t self, size_t other, size_t out) {
  return [=](const Arguments& arguments) -> std::optional<aclDataType> {
    const aclDataType tensor = arguments.dtype(self);
    const aclDataType scalar = arguments.scalar(other).dtype;
    if (is_complex(tensor) || is_complex(scalar)) return promote_types(tensor, scalar);
    if (is_floating(tensor)) return tensor;
    if (scalar == ACL_DOUBLE && (tensor == ACL_BOOL || arguments.dtype(out) == ACL_FLOAT)) {
      return ACL_FLOAT;
    }
    if (is_floating(scalar) || tensor == ACL_BOOL) return promote_types(tensor, scalar);
    return tensor;
  };
}

Rule promotion_exists(Promotion promotion, size_t self, size_t other) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (promotion(arguments)) return std::nullopt;
    return fmt::format("{} ({}) and {} ({}) have no common type, expected dtypes that promote.",
                       arguments.name(self), dtype_name(scalar_or_tensor_dtype(arguments, self)),
                       arguments.name(other), dtype_name(scalar_or_tensor_dtype(arguments, other)));
  });
}

Rule scalar_converts(Promotion promotion, size_t scalar) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType from = arguments.scalar(scalar).dtype;
    const aclDataType to = *promotion(arguments);
    if (can_cast(from, to) || (to == ACL_BOOL && is_integer(from))) return std::nullopt;
    return fmt::format(
        "scalar {} of dtype {} cannot be cast to {}, expected one that can: self and "
        "other promote to it.",
        arguments.name(scalar), dtype_name(from), dtype_name(to));
  });
}

Rule result_converts(Promotion promotion, size_t out) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType from = *promotion(arguments);
    const aclDataType to = arguments.dtype(out);
    if (can_cast(from, to)) return std::nullopt;
    return fmt::format(
        "a result of dtype {} cannot be cast to {}, the dtype of {}; expected one that "
        "it can be cast to.",
        dtype_name(from), dtype_name(to), arguments.name(out));
  });
}

Plan plan_arithmetic(const Arguments& arguments, size_t out, std::vector<size_t> inputs,
                     aclDataType dtype, Kernel kernel, bool rounds_inputs) {
  const Dims& shape = arguments.shape(out);
  if (count_elements(shape) == 0) return {};
  Operand result = operand(arguments, out, shape);
  result.intermediate_dtype = dtype;
  std::vector<Operand> sources;
  for (size_t input : inputs) {
    sources.push_back(operand(arguments, input, shape));
    if (rounds_inputs) sources.back().intermediate_dtype = dtype;
  }
  return Elementwise(shape, {result}, std::move(sources), std::move(kernel)).plan();
}

namespace {

std::vector<Parameter> parameters_of(Form form, std::vector<Parameter> inputs,
                                     const std::vector<Parameter>& attributes) {
  if (form == Form::kInPlace) inputs.front() = in_out("selfRef");
  inputs.insert(inputs.end(), attributes.begin(), attributes.end());
  if (form == Form::kOutOfPlace) inputs.push_back(output("out"));
  return inputs;
}

size_t result_of(Form form, const std::vector<Parameter>& parameters) {
  return form == Form::kInPlace ? operands::kSelf : parameters.size() - 1;
}

}  // namespace

OperatorSpec of_one(const char* name, Form form, const DtypeSet& dtypes, Result result,
                    const std::vector<Parameter>& attributes) {
  using namespace operands;
  const auto parameters = parameters_of(form, {input("self")}, attributes);
  const size_t out = result_of(form, parameters);
  if (form == Form::kInPlace) {
    return {name, parameters, Rules{not_null({kSelf}), dtype_in(kSelf, dtypes), max_rank(kSelf)}};
  }
  Rules rules{not_null({kSelf, out}), dtype_in({kSelf, out}, dtypes)};
  if (result == Result::kConverted) rules.push_back(can_cast_tensor(kSelf, out));
  return {name, parameters, Rules{rules, max_rank({kSelf, out}), same_shape(out, kSelf)}};
}

OperatorSpec of_two(const char* name, Form form, const DtypeSet& dtypes, const Promotion& promotion,
                    const std::vector<Parameter>& attributes) {
  using namespace operands;
  const auto parameters = parameters_of(form, {input("self"), input("other")}, attributes);
  const size_t out = result_of(form, parameters);
  const bool in_place = form == Form::kInPlace;
  const std::vector<size_t> tensors =
      in_place ? std::vector<size_t>{kSelf, kOther} : std::vector<size_t>{kSelf, kOther, out};
  Rules rules{in_place ? not_null({kSelf, kOther}) : not_null({kSelf, kOther, out}),
              dtype_in(tensors, dtypes)};
  if (promotion) rules.push_back(result_converts(promotion, out));
  return {name, parameters,
          Rules{rules, max_rank(tensors), broadcastable(kSelf, kOther),
                shape_is_broadcast(out, kSelf, kOther)}};
}

OperatorSpec with_number(const char* name, Form form, const DtypeSet& dtypes,
                         const std::vector<Parameter>& attributes) {
  using namespace operands;
  const auto parameters = parameters_of(form, {input("self"), attribute("other")}, attributes);
  const size_t out = result_of(form, parameters);
  const Rule converts = result_converts(promote_number(kSelf, kOther), out);
  if (form == Form::kInPlace) {
    return {name, parameters,
            Rules{not_null({kSelf, kOther}), dtype_in({kSelf, kOther}, dtypes), converts,
                  max_rank(kSelf)}};
  }
  return {name, parameters,
          Rules{not_null({kSelf, kOther, out}), dtype_in({kSelf, kOther, out}, dtypes), converts,
                max_rank({kSelf, out}), same_shape(out, kSelf)}};
}

using namespace additive;

// Any two of these dtypes promote, so that needs no check. In place, out is self and has its
// checks.
std::vector<Rule> additive_rules(size_t out) {
  const Promotion promotion = promote_tensors(kSelf, kOther);
  std::vector<Rule> rules = {
      out == kSelf ? not_null({kSelf, kOther, kAlpha}) : not_null({kSelf, kOther, kAlpha, out}),
      dtype_in(kSelf, kNumbersAndBool),
      dtype_in(kOther, kNumbersAndBool),
      scalar_converts(promotion, kAlpha),
      result_converts(promotion, out),
      max_rank(kSelf),
      max_rank(kOther)};
  if (out != kSelf) rules.push_back(max_rank(out));
  rules.push_back(broadcastable(kSelf, kOther));
  rules.push_back(shape_is_broadcast(out, kSelf, kOther));
  return rules;
}

std::vector<Rule> additive_scalar_rules(size_t out) {
  const Promotion promotion = promote_addend(kSelf, kOther, out);
  std::vector<Rule> rules = {
      out == kSelf ? not_null({kSelf, kOther, kAlpha}) : not_null({kSelf, kOther, kAlpha, out}),
      dtype_in(kSelf, kNumbersAndBool),
      promotion_exists(promotion, kSelf, kOther),
      scalar_converts(promotion, kOther),
      scalar_converts(promotion, kAlpha),
      result_converts(promotion, out),
      max_rank(kSelf)};
  if (out != kSelf) rules.push_back(same_shape(out, kSelf));
  return rules;
}

KernelScalar factor_in(const aclScalar& alpha, aclDataType dtype, Sign sign) {
  const bool narrow = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
  const KernelScalar factor = KernelScalar::of(alpha, narrow ? ACL_FLOAT : dtype);
  return sign == Sign::kPlus ? factor : -factor;
}

Plan plan_additive(const Arguments& arguments, size_t out, Sign sign) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype,
                         scaled_sum(dtype, factor_in(arguments.scalar(kAlpha), dtype, sign)));
}

Plan plan_additive_scalar(const Arguments& arguments, size_t out, Sign sign) {
  const aclDataType dtype = *promote_addend(kSelf, kOther, out)(arguments);
  return plan_arithmetic(arguments, out, {kSelf}, dtype,
                         scaled_sum(dtype, factor_in(arguments.scalar(kAlpha), dtype, sign),
                                    KernelScalar::of(arguments.scalar(kOther), dtype)));
}

}  // namespace aclgrad::ops
