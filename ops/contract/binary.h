// SPDX-License-Identifier: Apache-2.0
// Operators of two tensors that broadcast, or of a tensor and a number, for the contracts of
// arithmetic; and formulas that integers have otherwise than floating numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {

// Integers that are no truth values.
inline const DTypes kCounts = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};

// The form in place of an operator of tensors, which overwrites one of any of its dtypes.
inline Operator in_place(const Operator& op, Signature call,
                         std::vector<ErrorInput> error_inputs = {}) {
  Operator form = in_place_of(op, std::move(call), std::move(error_inputs));
  std::get<TensorSpec>(form.call.parameters.front().spec).any_dtype = true;
  return form;
}

// `other` broadcasts against self, and has its shape unless it is given another.
inline void broadcast_operands(Arguments& a) {
  const char* first = a.has("self") ? "self" : "selfRef";
  if (!a.is_set("other")) a.shape("other") = a.shape(first);
  if (a.has("out")) {
    a.shape("out") = dense::broadcast_shape(a.shape(first), a.shape("other"));
  } else {
    a.tensor(first).any_shape = a.shape("other").empty();
  }
}

inline bool has_fraction(const Arguments& arguments) {
  return std::ranges::any_of(arguments.in(ACL_DOUBLE).numbers(),
                             [](Number each) { return std::trunc(each) != each; });
}

// Only beside a tensor of another dtype do integers and BOOL take a number with a fraction.
inline bool is_whole_beside_fraction(const Arguments& arguments, std::string_view,
                                     aclDataType dtype) {
  return is_whole(dtype) && has_fraction(arguments);
}

// What broadcasting() gives another shape, and a number in its place, as options of the tool.
inline Parameter shaped_by_option(Parameter tensor) {
  return option(std::move(tensor), "other", Sets::kShape);
}
inline Parameter number_operand(std::string name, double value) {
  return option(number(std::move(name), value), "value");
}

// `other` in each of several shapes.
inline std::vector<Sample> broadcasting(std::initializer_list<Shape> others) {
  std::vector<Sample> samples = {{}};
  for (const Shape& other : others) samples.push_back({{{"other", other}}});
  return samples;
}

// One element of the result from one of each input, of tensors of a dtype.
using ByDtype = std::function<Number(std::span<const Number> x, Attributes a, aclDataType dtype)>;

inline Reference by_dtype(ByDtype f) {
  return [f = std::move(f)](const Arguments& arguments, const Arrays& inputs) {
    Shape shape;
    for (const Array& each : inputs) shape = dense::broadcast_shape(shape, each.shape);
    const TensorSpec* result = arguments.parameters()[arguments.op().output()].tensor();
    const aclDataType dtype = arguments.dtype(), held = result->dtype.value_or(dtype);
    Array out = dense::full(shape);
    std::vector<Number> x(inputs.size());
    for (size_t i = 0; i < out.values.size(); ++i) {
      for (size_t k = 0; k < inputs.size(); ++k) {
        x[k] = inputs[k].values[dense::source(inputs[k].shape, shape, i)];
      }
      out.values[i] = converted(f(x, arguments.numbers(), dtype), dtype, held);
    }
    return Arrays{out};
  };
}

// What is known of floating numbers stands as the formula, too.
inline Results results_by_dtype(const ByDtype& f, const Bound& bound) {
  const auto of_numbers = [f](std::span<const Number> x, Attributes a) -> Number {
    return f(x, a, ACL_FLOAT);
  };
  return {.formula = {of_numbers, nullptr}, .reference = by_dtype(f), .bound = bound};
}

}  // namespace aclgrad::contract
