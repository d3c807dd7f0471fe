// SPDX-License-Identifier: Apache-2.0
// The formula of softplus, which losses are made of.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// x for beta x > threshold, otherwise log(1 + e^(beta x)) / beta.
FloatKernel softplus_kernel(double beta, double threshold);

}  // namespace aclgrad::ops
