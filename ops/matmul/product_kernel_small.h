// SPDX-License-Identifier: Apache-2.0
// Matrix products as small networks have them, for which the decisions of the general way would
// take longer than the product. The bits are those of multiply().
#pragma once

#include "ops/matmul/matmul_kernel.h"

namespace aclgrad::ops {

// For FLOAT, one panel of columns and few terms, nothing scaled: what computes the product, by
// `otherwise` in a run whose output lies on top of an operand. Empty for any other problem.
Body small_product(const MatmulProblem& problem, Body otherwise);

}  // namespace aclgrad::ops
