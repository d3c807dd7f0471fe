// SPDX-License-Identifier: Apache-2.0
// The formula of sigmoid, which losses are made of.
#ifndef ACLGRAD_OPS_ACTIVATION_SIGMOID_KERNEL_H_
#define ACLGRAD_OPS_ACTIVATION_SIGMOID_KERNEL_H_

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// 1 / (1 + e^-x)
FloatKernel sigmoid_kernel();

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ACTIVATION_SIGMOID_KERNEL_H_
