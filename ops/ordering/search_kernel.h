// SPDX-License-Identifier: Apache-2.0
// Where numbers belong in sequences in ascending order.
#pragma once

#include <optional>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

struct SearchProblem {
  size_t sequence;
  std::optional<size_t> sorter;  // places of the sequence's elements in order
  size_t values;                 // a tensor or a scalar
  aclDataType dtype;             // in which they are compared
  bool right;                    // behind the equal ones, not before
  size_t out;
};

// A sequence of one dimension is for all values; else its rows for those of the values. In order a
// NaN is the largest, and of a NaN the place is the end. A number of the sorter that is no place
// ends the task with an exception that names it.
Plan plan_search(const Arguments& arguments, const SearchProblem& problem);

}  // namespace aclgrad::ops
