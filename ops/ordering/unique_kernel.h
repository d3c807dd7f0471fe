// SPDX-License-Identifier: Apache-2.0
// The different elements of a tensor, or slices along a dimension, and where the elements are that
// are not 0: results whose size the task finds.
#pragma once

#include <optional>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

struct UniqueProblem {
  size_t self;
  std::optional<size_t> axis;  // of the slices; none: elements
  bool sorts;                  // all equal ones are one; else only those behind each other
  size_t values;
  std::optional<size_t> inverse;  // the place among the values of each
  std::optional<size_t> counts;   // how many each of the values stands for
};

// Slices in lexicographic order; of equal ones the first is taken. -0 equals +0, and what has a NaN
// equals nothing. Results lie in row-major order at the beginning of their views.
Plan plan_unique(const Arguments& arguments, const UniqueProblem& problem);

// The indices of the elements that are not 0, in row-major order: a row for each in `out`, or a
// column where `by_dimension`.
Plan plan_nonzero(const Arguments& arguments, size_t self, size_t out, bool by_dimension);

}  // namespace aclgrad::ops
