// SPDX-License-Identifier: Apache-2.0
// What the contracts of losses share. `reduction`: 0 none, 1 mean, 2 sum.
#ifndef ACLGRAD_OPS_LOSS_LOSS_CONTRACT_H_
#define ACLGRAD_OPS_LOSS_LOSS_CONTRACT_H_

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

inline Parameter of(Parameter tensor, Shape shape, double fill = 1) {
  return filled(shaped(std::move(tensor), std::move(shape)), fill);
}

}  // namespace aclgrad::contract

#endif  // ACLGRAD_OPS_LOSS_LOSS_CONTRACT_H_
