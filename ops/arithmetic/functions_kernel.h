// SPDX-License-Identifier: Apache-2.0
// Elementwise functions at the level "bounded": FLOAT within 2 units in the last place, 3 for a
// power; 16-bit results are those rounded.
#pragma once

#include <algorithm>
#include <complex>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// Functions of one number with one formula, in double: FLOAT and 16 bits are its results, rounded
// once. The name of the C function, and that of the formula.
#define ACLGRAD_FUNCTIONS_IN_DOUBLE(ROW) \
  ROW(Acos, acos)                        \
  ROW(Acosh, acosh)                      \
  ROW(Asin, asin)                        \
  ROW(Asinh, asinh)                      \
  ROW(Atan, atan)                        \
  ROW(Atanh, atanh)                      \
  ROW(Cosh, cosh)                        \
  ROW(Erfc, erfc)                        \
  ROW(Erfinv, erfinv)                    \
  ROW(Exp2, exp2)                        \
  ROW(Expm1, expm1)                      \
  ROW(Log10, log10)                      \
  ROW(Log1p, log1p)                      \
  ROW(Log2, log2)                        \
  ROW(Sinc, sinc)                        \
  ROW(Sinh, sinh)                        \
  ROW(Tan, tan)

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
#define ACLGRAD_ENUMERATOR(Name, formula) k##Name,
  ACLGRAD_FUNCTIONS_IN_DOUBLE(ACLGRAD_ENUMERATOR)
#undef ACLGRAD_ENUMERATOR
  // These have no other formula either.
  kLgamma,
  kDigamma,
  kAtan2,
  kLogAddExp,
  kLogAddExp2,
  kLerp,
  kLerpBy,
  kPowerTo,
};

// With parameters a and b, which functions_kernel.cpp says beside each formula. Where DOUBLE is
// computed, they count as they are, otherwise as FLOAT.
FloatKernel function_kernel(Function function, double a = 0, double b = 0);

// Those from kAcos on (functions_in_double_kernel.cpp).
RealKernel function_in_double_kernel(Function function, double a);

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
