// SPDX-License-Identifier: Apache-2.0
// The largest or smallest elements so far along a dimension, and where they stand.
#pragma once

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

struct RunningExtremum {
  size_t self;
  size_t axis;
  bool largest;
  size_t values;
  size_t indices;
};

// Of equal elements the last counts, and a NaN is beyond every number. Real dtypes.
Plan plan_running_extremum(const Arguments& arguments, const RunningExtremum& problem);

}  // namespace aclgrad::ops
