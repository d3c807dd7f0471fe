// SPDX-License-Identifier: Apache-2.0
// Elementwise functions at the level "bounded": FLOAT within 2 units in the last place, 3 for a
// power; 16-bit results are those rounded.
#ifndef ACLGRAD_OPS_ARITHMETIC_FUNCTIONS_KERNEL_H_
#define ACLGRAD_OPS_ARITHMETIC_FUNCTIONS_KERNEL_H_

#include <complex>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

enum class Function {
  kExp,
  kLog,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kSin,
  kCos,
  kErf,
  kAbs,
  kSign,
  kPower,
  kDivide,
  kMaximum,
  kMinimum,
  kDivideBy,
  kScale,
  kPowerOf,
  kClamp,
  kAddProduct,
  kAddQuotient,
};

// With parameters a and b, which functions_kernel.cpp says beside each formula. Where DOUBLE is
// computed, they count as they are, otherwise as FLOAT.
FloatKernel function_kernel(Function function, double a = 0, double b = 0);

// Of complex numbers: the functions from kExp to kCos, and quotients of two tensors or by a number.
ComplexKernel complex_function_kernel(Function function);
ComplexKernel complex_quotient_kernel();
ComplexKernel complex_quotient_kernel(std::complex<double> divisor);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ARITHMETIC_FUNCTIONS_KERNEL_H_
