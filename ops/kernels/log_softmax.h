// SPDX-License-Identifier: Apache-2.0
// Logarithm of the softmax along one axis, and its gradient; in double, rounded once.
#ifndef ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_H_
#define ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_H_

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

// out = x - max - log(sum(exp(x - max))), x = self converted to out's dtype.
Plan plan_log_softmax(const Arguments& arguments, size_t self, size_t out, size_t axis);

// out = gradient - exp(output) * sum(gradient)
Plan plan_log_softmax_backward(const Arguments& arguments, size_t gradient, size_t output,
                               size_t out, size_t axis);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_H_
