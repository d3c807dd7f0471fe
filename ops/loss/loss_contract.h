// SPDX-License-Identifier: Apache-2.0
// What the contracts of losses share. `reduction`: 0 none, 1 mean, 2 sum.
#pragma once

#include "ops/contract/describe.h"

namespace aclgrad::contract {

inline constexpr int64_t kNone = 0, kMean = 1, kSum = 2;

inline const std::vector<Sample> kReductions = {
    {{{"reduction", 0.0}}}, {{{"reduction", 1.0}}}, {{{"reduction", 2.0}}}};

inline Array reduced(Array values, Number reduction, Number divisor) {
  if (reduction == kNone) return values;
  Number sum = 0;
  for (const Number value : values.values) sum += value;
  return {{}, {reduction == kMean ? sum / divisor : sum}};
}

// What is divided by to give a gradient its share of a mean.
inline Number share_of(const Arguments& a, Number count) {
  return a.number("reduction") == kMean ? count : 1;
}

inline ErrorInput bad_reduction(int64_t value) {
  return wrong_number("reduction", value, "is " + std::to_string(value));
}

inline const std::vector<ErrorInput> kBadReductions = {bad_reduction(3), bad_reduction(-1)};

// Without a reduction the loss has a shape.
inline ErrorInput reduced_for_none(const std::string& result) {
  return {.what = "of one element for none",
          .changes = {{result, of_shape({})}, {"reduction", kNone}},
          .words = {"must have size", "same size"}};
}

// A tensor that may have fewer elements than the target, but not more.
inline ErrorInput wider(const std::string& name) {
  return refused(name, "wider than target", of_shape({2, 2, 3}), "must broadcast");
}

// All have self's shape; the loss, or its gradient, that of the reduction.
inline void arrange_loss(Arguments& a) {
  const Shape shape = a.shape("self");
  const Shape loss = a.number("reduction") == kNone ? shape : Shape{};
  a.shape("target") = shape;
  const bool is_backward = a.has("gradOutput") || a.has("gradOut");
  a.reshape({"out", "result", "gradInput", "gradTarget"}, is_backward ? shape : loss);
  a.reshape({"gradOutput", "gradOut"}, loss);
}

void add_probability_losses(std::vector<Operator>& all);
void add_class_losses(std::vector<Operator>& all);
void add_ctc_loss(std::vector<Operator>& all);
void add_cross_entropy(std::vector<Operator>& all);

inline Parameter of(Parameter tensor, Shape shape, double fill = 1) {
  return filled(shaped(std::move(tensor), std::move(shape)), fill);
}

}  // namespace aclgrad::contract
