// SPDX-License-Identifier: Apache-2.0
// Elementwise functions at the level "bounded", and their gradients: FLOAT within 2 units in the
// last place, 3 for the product of a gradient and a function; 16-bit results are those rounded.
#ifndef ACLGRAD_OPS_KERNELS_FUNCTIONS_H_
#define ACLGRAD_OPS_KERNELS_FUNCTIONS_H_

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

enum class Function {
  kSilu,          // x / (1 + e^-x)
  kSiluBackward,  // g, x: g times the derivative at x
};

FloatKernel function_kernel(Function function);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_FUNCTIONS_H_
