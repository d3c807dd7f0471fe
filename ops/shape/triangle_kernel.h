// SPDX-License-Identifier: Apache-2.0
// Triangles of matrices, which are the last two dimensions.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

enum class Triangle { kLower, kUpper };

// out = self up to the diagonal, and that included, else 0; both of one shape and dtype. out may be
// self.
Plan plan_triangle(const Arguments& arguments, size_t self, size_t out, Triangle triangle,
                   int64_t diagonal);

}  // namespace aclgrad::ops
