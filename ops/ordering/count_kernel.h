// SPDX-License-Identifier: Apache-2.0
// Counts of numbers, and of elements in intervals.
#pragma once

#include <optional>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

// out[i] = how many numbers are i, or the sum of their weights, in their order. One that is below 0
// ends the task with an exception that names it.
Plan plan_bincount(const Arguments& arguments, size_t numbers, const std::optional<size_t>& weights,
                   size_t out);

// out[i] = how many elements lie in interval i of the equal ones of [low, high], as many as out has
// elements; see aclnn_histc.h.
Plan plan_histogram(const Arguments& arguments, size_t self, double low, double high, size_t out);

}  // namespace aclgrad::ops
