// SPDX-License-Identifier: Apache-2.0
// Squared differences, one by one, added up or averaged.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// (in[0] - in[1])^2
Kernel squared_difference();

// 2 * (in[1] - in[2]) * in[0] / divisor
Kernel scaled_difference(double divisor);

// out = the sum of (a - b)^2 over the broadcast of both, by `divisor`, rounded to `dtype` first. At
// least one element.
Plan plan_squared_error(const Arguments& arguments, size_t a, size_t b, size_t out, int64_t divisor,
                        aclDataType dtype);

// plan_squared_error() with sums over the first dimension of the broadcast alone, which has at
// least two dimensions.
Plan plan_column_squared_error(const Arguments& arguments, size_t a, size_t b, size_t out,
                               int64_t divisor, aclDataType dtype);

}  // namespace aclgrad::ops
