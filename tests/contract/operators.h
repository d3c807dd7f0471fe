// SPDX-License-Identifier: Apache-2.0
// Every operator as data: how it is called, a call that is right, and what comes out of it. The
// tests of this folder loop over these rows: products and dtypes, messages, sizes that overflow,
// loading by name. Nothing here is linked with the operators: they are found by their names.
#ifndef ACLGRAD_TESTS_CONTRACT_OPERATORS_H_
#define ACLGRAD_TESTS_CONTRACT_OPERATORS_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "aclnn/aclnn_base.h"

namespace aclgrad::contract {

// An argument of a phase one. Integers stand for bool and enumerations too.
using Value =
    std::variant<aclTensor*, aclScalar*, aclIntArray*, aclBoolArray*, char*, int64_t, double>;

template <class Parameter>
Parameter as(const Value& value) {
  if constexpr (std::is_same_v<Parameter, char*>) {
    return std::get<char*>(value);
  } else if constexpr (std::is_pointer_v<Parameter>) {
    return std::get<std::remove_const_t<std::remove_pointer_t<Parameter>>*>(value);
  } else if constexpr (std::is_floating_point_v<Parameter>) {
    return static_cast<Parameter>(std::get<double>(value));
  } else {
    return static_cast<Parameter>(std::get<int64_t>(value));
  }
}

// Calls the phase one at an address.
using Invoke = std::function<aclnnStatus(void* phase_one, std::span<const Value> values,
                                         uint64_t* workspace_size, aclOpExecutor** executor)>;

template <class Function>
struct Signature;

template <class... Parameters>
struct Signature<aclnnStatus(Parameters...)> {
  static constexpr size_t kCount = sizeof...(Parameters) - 2;  // without the two results

  static aclnnStatus call(void* phase_one, std::span<const Value> values, uint64_t* workspace_size,
                          aclOpExecutor** executor) {
    using All = std::tuple<Parameters...>;
    return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      return reinterpret_cast<aclnnStatus (*)(Parameters...)>(phase_one)(
          as<std::tuple_element_t<kIndex, All>>(values[kIndex])..., workspace_size, executor);
    }
    (std::make_index_sequence<kCount>());
  }
};

using Shape = std::vector<int64_t>;

// Without a dtype, a tensor or scalar has the one under test.
struct TensorSpec {
  Shape shape;
  double fill = 1;
  std::optional<aclDataType> dtype = std::nullopt;
  bool optional = false;  // null in the right call
};
struct ScalarSpec {
  double value;
  std::optional<aclDataType> dtype = ACL_FLOAT;
};
// Sizes of a tensor, which grow with it.
struct SizesSpec {
  Shape sizes;
};
struct BoolsSpec {
  std::vector<char> values;
};
struct DtypeUnderTest {};
using ParameterSpec = std::variant<TensorSpec, ScalarSpec, Shape, SizesSpec, BoolsSpec, const char*,
                                   int64_t, double, DtypeUnderTest>;

struct Operator {
  std::string name;  // "aclnnSelu"
  Invoke invoke;
  std::vector<ParameterSpec> parameters;
  size_t output;                               // whose first element is
  double value;                                // this, rounded to the dtype
  std::vector<aclDataType> everywhere;         // dtypes accepted on every product
  std::vector<aclDataType> from_a2_on;         // and on Atlas A2, A3 and 950
  std::optional<double> truth = std::nullopt;  // the value in BOOL, where it is not value != 0
};

const std::vector<Operator>& operators();
const Operator& find_operator(std::string_view name);

template <class PhaseOne>
Operator describe(std::string name, std::vector<ParameterSpec> parameters, size_t output,
                  double value, std::vector<aclDataType> everywhere,
                  std::vector<aclDataType> from_a2_on = {ACL_BF16}) {
  return {std::move(name), Signature<PhaseOne>::call, std::move(parameters), output,
          value,           std::move(everywhere),     std::move(from_a2_on)};
}

// The rows of one group of operators.
std::vector<Operator> activation_operators();
std::vector<Operator> function_operators();
std::vector<Operator> arithmetic_operators();
std::vector<Operator> normalization_operators();
std::vector<Operator> training_operators();

}  // namespace aclgrad::contract

#endif  // ACLGRAD_TESTS_CONTRACT_OPERATORS_H_
