// SPDX-License-Identifier: Apache-2.0
// The k largest or smallest elements of each line along a dimension, in order.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// `values` and `indices` have k elements along the axis, 0 <= k <= the size of self's. Of equal
// elements the first comes first; a NaN counts as the largest, -0 and +0 as equal. Real dtypes.
Plan plan_topk(const Arguments& arguments, size_t self, size_t axis, bool largest, size_t values,
               size_t indices);

}  // namespace aclgrad::ops
