// SPDX-License-Identifier: Apache-2.0
// Softmax along one axis, its logarithm, and the gradients of both. Sums follow tree_sum.h.
#pragma once

#include "ops/engine/rowwise.h"

namespace aclgrad::ops {

// out = e^(x - max) / sum(e^(x - max))
Plan plan_softmax(const Arguments& arguments, size_t self, size_t out, size_t axis);

// out = output * (gradient - sum(gradient * output))
Plan plan_softmax_backward(const Arguments& arguments, size_t gradient, size_t output, size_t out,
                           size_t axis);

// out = x - max - log(sum(e^(x - max))), x = self converted to out's dtype.
Plan plan_log_softmax(const Arguments& arguments, size_t self, size_t out, size_t axis);

// out = gradient - e^output * sum(gradient)
Plan plan_log_softmax_backward(const Arguments& arguments, size_t gradient, size_t output,
                               size_t out, size_t axis);

// The kernels. Tensors of rows are those of the plans, in their order. In double, rounded once
// (16-bit results by way of float, which costs 2^-13 of the last place), with exponentials good to
// 2^-40 (in DOUBLE to 2^-49). In float, with exponentials good to 2^-24 and a rounding or two more
// before the last: the forward of log-softmax in FLOAT16 and BF16, whose results are within 0.501
// ulp either way, and its backward in BF16, within 0.501 ulp of |gradient| + e^output
// |sum(gradient)|.
void softmax_rows(const RowBlock& rows);
void softmax_backward_rows(const RowBlock& rows);
void log_softmax_rows(const RowBlock& rows);
void log_softmax_backward_rows(const RowBlock& rows);

}  // namespace aclgrad::ops
