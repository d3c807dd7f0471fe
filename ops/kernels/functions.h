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
  kAbs,
  kSign,     // 1, -1, or x where it is 0 or NaN
  kPower,    // x, y: x^y, as C's pow
  kDivide,   // x, y: x / y
  kMaximum,  // x, y: the larger, or NaN
  kMinimum,  // x, y: the smaller, or NaN
  // With parameters a, and b:
  kDivideBy,     // x / a
  kScale,        // a x
  kPowerOf,      // x^a
  kClamp,        // x held above a, and below b where that is not below a; NaN stays
  kAddProduct,   // x, y, z: x + a y z
  kAddQuotient,  // x, y, z: x + a y / z
  kRelu,
  kThresholdBackward,  // g, x: g for x > a, otherwise 0
  kLeakyRelu,          // x for x > 0, otherwise a x
  kLeakyReluBackward,  // g, x: g for x > 0, otherwise a g
  kSoftplus,           // x for a x > b, otherwise log(1 + e^(a x)) / a
  kSoftplusBackward,   // g, x: g times the derivative at x
};

// Where DOUBLE is computed, a and b count as they are, otherwise as FLOAT.
FloatKernel function_kernel(Function function, double a = 0, double b = 0);

// The same of complex numbers; those from exp to cos, sigmoid with its backward, and quotients.
ComplexKernel complex_function_kernel(Function function);
ComplexKernel complex_quotient_kernel(std::complex<double> divisor);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_FUNCTIONS_H_
