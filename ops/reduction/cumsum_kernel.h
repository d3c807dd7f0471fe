// SPDX-License-Identifier: Apache-2.0
// Running sums and products along a dimension.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

struct CumsumDirection {
  bool exclusive = false;  // an element's own value is not in its sum
  bool reverse = false;    // from the last element on
};

// self is converted to out's dtype first. Sums are taken one after another, in double, int64_t that
// wraps or complex double, and each is rounded once. out may be self. Products likewise.
Plan plan_cumsum(const Arguments& arguments, size_t self, size_t out, size_t axis,
                 CumsumDirection direction);
Plan plan_cumprod(const Arguments& arguments, size_t self, size_t out, size_t axis);

}  // namespace aclgrad::ops
