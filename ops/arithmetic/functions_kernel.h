// SPDX-License-Identifier: Apache-2.0
// Elementwise functions at the level "bounded": FLOAT within 2 units in the last place, 3 for a
// power; 16-bit results are those rounded.
#pragma once

#include <algorithm>
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

// A function for blocks of doubles between the steps of another kernel.
class BlockFunction {
 public:
  explicit BlockFunction(Function function) : kernel_(function_kernel(function).exact) {}

  // The results of at most kBlock numbers in their place, which has room for kBlock and is 64-byte
  // aligned. Kernels know no output that is an input, so the numbers are copied.
  void operator()(double* block, int64_t count) const {
    alignas(64) double numbers[kBlock] = {};
    std::copy_n(block, count, numbers);
    const double* const in[] = {numbers};
    kernel_(in, &block, static_cast<size_t>(count));
  }

 private:
  RealKernel kernel_;
};

// Of complex numbers: the functions from kExp to kCos, and quotients of two tensors or by a number.
ComplexKernel complex_function_kernel(Function function);
ComplexKernel complex_quotient_kernel();
ComplexKernel complex_quotient_kernel(std::complex<double> divisor);

}  // namespace aclgrad::ops
