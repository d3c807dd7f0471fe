// SPDX-License-Identifier: Apache-2.0
// The attribute `reduction` of the losses.
#pragma once

#include "ops/meta/rules.h"

namespace aclgrad::ops {

enum class LossReduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

inline Rule loss_reduction_known(size_t attribute) {
  return integer_between(attribute, static_cast<int64_t>(LossReduction::kNone),
                         static_cast<int64_t>(LossReduction::kSum));
}

inline LossReduction loss_reduction(const Arguments& arguments, size_t attribute) {
  return static_cast<LossReduction>(arguments.integer(attribute));
}

inline bool reduces(const Arguments& arguments, size_t attribute) {
  return loss_reduction(arguments, attribute) != LossReduction::kNone;
}
inline Rule unless_reduced(size_t attribute, Rule rule) {
  return when([attribute](const Arguments& arguments) { return !reduces(arguments, attribute); },
              rule);
}
inline Rule if_reduced(size_t attribute, Rule rule) {
  return when([attribute](const Arguments& arguments) { return reduces(arguments, attribute); },
              rule);
}

// What a total of so many terms, or its gradient, is divided by.
inline int64_t loss_divisor(const Arguments& arguments, size_t attribute, int64_t count) {
  return loss_reduction(arguments, attribute) == LossReduction::kMean ? count : 1;
}

}  // namespace aclgrad::ops
