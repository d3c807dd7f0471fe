// SPDX-License-Identifier: Apache-2.0
// Sums and means over some dimensions of a tensor, in the order of tree_sum.h.
#pragma once

#include <array>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

enum class Reduction { kSum, kMean, kNansum };

struct ReduceProblem {
  size_t input;
  size_t output;
  std::array<bool, kMaxRank> reduced;  // per dimension of the input
  aclDataType dtype;  // what elements are converted to first, and the result is rounded to
  Reduction reduction;
};

// The output's elements, in row-major order, are those of the dimensions kept. Without elements to
// reduce, a sum is 0 and a mean NaN. kNansum is the sum in which a NaN counts as 0.
Plan plan_reduce(const Arguments& arguments, const ReduceProblem& problem);

// The value in every element of outputs of one shape.
Plan plan_fill(const Arguments& arguments, std::initializer_list<size_t> outputs, double value);

}  // namespace aclgrad::ops
