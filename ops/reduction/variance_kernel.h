// SPDX-License-Identifier: Apache-2.0
// Variance and mean over some dimensions.
#pragma once

#include <functional>
#include <optional>

#include "ops/engine/reduce.h"

namespace aclgrad::ops {

struct VarianceProblem {
  size_t input;
  DimSet reduced;
  size_t variance;
  std::optional<size_t> mean = std::nullopt;
  // The variance from the sum of squared distances from the mean, and the number of elements.
  std::function<double(double squares, int64_t count)> divide;
};

// In double, rounded once. The squares are those of distances from the mean of a block, and blocks
// are joined by the distance of their means, so that nothing cancels. Outputs without elements are
// NaN.
Plan plan_variance(const Arguments& arguments, const VarianceProblem& problem);

}  // namespace aclgrad::ops
