// SPDX-License-Identifier: Apache-2.0
// The formula of softplus, which losses are made of.
#ifndef ACLGRAD_OPS_ACTIVATION_SOFTPLUS_KERNEL_H_
#define ACLGRAD_OPS_ACTIVATION_SOFTPLUS_KERNEL_H_

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// x for beta x > threshold, otherwise log(1 + e^(beta x)) / beta.
FloatKernel softplus_kernel(double beta, double threshold);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ACTIVATION_SOFTPLUS_KERNEL_H_
