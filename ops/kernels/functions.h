// SPDX-License-Identifier: Apache-2.0
// Elementwise functions at the level "bounded", and their gradients: FLOAT within 2 units in the
// last place, 3 for the product of a gradient and a function; 16-bit results are those rounded.
#ifndef ACLGRAD_OPS_KERNELS_FUNCTIONS_H_
#define ACLGRAD_OPS_KERNELS_FUNCTIONS_H_

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

enum class Function {
  kExp,
  kLog,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kSin,
  kCos,
  kTanh,
  kSigmoid,
  kErf,
  kSilu,             // x / (1 + e^-x)
  kSiluBackward,     // g, x: g times the derivative at x
  kTanhBackward,     // g, y: g (1 - y^2)
  kSigmoidBackward,  // g, y: g y (1 - y)
};

FloatKernel function_kernel(Function function);

// The same of complex numbers; not for tanh, erf and SiLU.
ComplexKernel complex_function_kernel(Function function);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_FUNCTIONS_H_
