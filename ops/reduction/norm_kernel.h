// SPDX-License-Identifier: Apache-2.0
// p-norms over some dimensions.
#pragma once

#include "ops/engine/reduce.h"

namespace aclgrad::ops {

// (sum of |x|^p)^(1/p); for p = 0 the number of elements that are not 0, for an infinite p the
// largest |x|, for p = -infinity the smallest. In double, rounded once; powers that are neither 1
// nor 2 are those of scalar_math.h. Outputs without elements are 0.
Plan plan_norm(const Arguments& arguments, size_t input, const DimSet& reduced, double p,
               size_t output);

}  // namespace aclgrad::ops
