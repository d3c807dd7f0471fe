// SPDX-License-Identifier: Apache-2.0
// The formula of sigmoid, which losses are made of.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// 1 / (1 + e^-x)
FloatKernel sigmoid_kernel();

}  // namespace aclgrad::ops
