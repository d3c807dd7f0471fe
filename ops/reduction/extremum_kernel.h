// SPDX-License-Identifier: Apache-2.0
// The largest or smallest of the elements over some dimensions, and where it stands.
#pragma once

#include <optional>

#include "ops/engine/reduce.h"

namespace aclgrad::ops {

struct ExtremumProblem {
  size_t input;
  DimSet reduced;
  bool largest = true;
  std::optional<size_t> values = std::nullopt;   // of any dtype that holds the input's values
  std::optional<size_t> indices = std::nullopt;  // of any dtype that integers convert to
};

// Of equal elements the first in row-major order is taken, of elements with a NaN the first NaN; -0
// and +0 are equal. An index counts the elements that are reduced. Real dtypes. Nothing to do
// where there are no elements.
Plan plan_extremum(const Arguments& arguments, const ExtremumProblem& problem);

}  // namespace aclgrad::ops
