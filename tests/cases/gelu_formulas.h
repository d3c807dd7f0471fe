// SPDX-License-Identifier: Apache-2.0
// GELU and its derivative in long double, both forms, written so that the tails keep their digits.
#ifndef ACLGRAD_TESTS_CASES_GELU_FORMULAS_H_
#define ACLGRAD_TESTS_CASES_GELU_FORMULAS_H_

#include <cmath>

namespace aclgrad::cases {

inline constexpr long double kSqrtHalf = 0.70710678118654752440084436210485L;
inline constexpr long double kInvSqrt2Pi = 0.39894228040143267793994605993438L;
inline constexpr long double kSqrt2OverPi = 0.79788456080286535587989211986876L;
inline constexpr long double kCubic = 0.044715L;

// The derivative of u in tanh(u), and tanh's argument itself.
inline long double tanh_argument(long double x) { return kSqrt2OverPi * (x + kCubic * x * x * x); }

inline long double gelu(long double x, bool tanh_form) {
  if (tanh_form) return x / (1 + std::exp(-2 * tanh_argument(x)));
  return x * std::erfc(-x * kSqrtHalf) / 2;
}

inline long double gelu_slope(long double x, bool tanh_form) {
  if (!tanh_form) {
    return std::erfc(-x * kSqrtHalf) / 2 + x * kInvSqrt2Pi * std::exp(-x * x / 2);
  }
  // With s = logistic(2u): s + x * s(1 - s) * 2u'.
  const long double u = tanh_argument(x);
  const long double s = 1 / (1 + std::exp(-2 * u));
  const long double rest = 1 / (1 + std::exp(2 * u));
  return s + x * s * rest * 2 * kSqrt2OverPi * (1 + 3 * kCubic * x * x);
}

}  // namespace aclgrad::cases

#endif  // ACLGRAD_TESTS_CASES_GELU_FORMULAS_H_
