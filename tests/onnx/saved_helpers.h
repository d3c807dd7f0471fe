// SPDX-License-Identifier: Apache-2.0
// What the cases are made of: constants and variables of numbers that differ, and cases of one
// input.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/onnx/saved_cases.h"

namespace aclgrad::saved {

using Values = std::vector<Value>;

inline Tensor ramp(Shape shape, double scale = 0.1) {
  Tensor made = Tensor::zeros(shape);
  for (std::int64_t i = 0; i < made.numel(); ++i) {
    made.set(i, scale * (static_cast<double>(i * 7 % 11) - 5));
  }
  return made;
}

inline Value fixed(const Value& x, Shape shape, double scale = 0.1) {
  return x.graph().constant(ramp(std::move(shape), scale));
}
inline Value fixed_numbers(const Value& x, std::initializer_list<double> numbers, Shape shape) {
  return x.graph().constant(Tensor::from(std::move(shape), numbers, DType::int64));
}
inline Value parameter(const Value& x, const char* name, Shape shape) {
  return x.graph().parameter(name, ramp(std::move(shape)));
}

inline SavedCase of_one(std::string name, Shape shape, std::function<Value(const Value&)> function,
                        double tolerance = 1e-5) {
  return {std::move(name),
          [function](const Values& in) { return Values{function(in[0])}; },
          {onnx::Example("x", std::move(shape))},
          tolerance};
}
// Of several outputs.
inline SavedCase of_several(std::string name, Shape shape,
                            std::function<Values(const Value&)> function) {
  return {std::move(name),
          [function](const Values& in) { return function(in[0]); },
          {onnx::Example("x", std::move(shape))}};
}
inline SavedCase of_numbers(std::string name, Shape shape,
                            std::function<Values(const Value&)> function) {
  return {std::move(name),
          [function](const Values& in) { return function(in[0]); },
          {onnx::Example("tokens", std::move(shape), DType::int64)}};
}

}  // namespace aclgrad::saved
