// SPDX-License-Identifier: Apache-2.0
// The operators' formulas, written once for numbers and for dual numbers.
#ifndef ACLGRAD_AUTOGRAD_TOOL_FORMULAS_H_
#define ACLGRAD_AUTOGRAD_TOOL_FORMULAS_H_

#include <cmath>

#include "aclgrad/gradcheck_dual.h"

namespace aclgrad::gradcheck::formulas {

inline constexpr long double kLambda = 1.0507009873554804934193349852946L;
inline constexpr long double kLambdaAlpha = 1.7580993408473768599402175208123L;
inline constexpr long double kSqrtHalf = 0.70710678118654752440084436210485L;
inline constexpr long double kTwiceSqrt2OverPi = 1.5957691216057307117597842397375L;
inline constexpr long double kCubic = 0.044715L;
inline constexpr long double kInvSqrt2Pi = 0.39894228040143267793994605993438L;

template <class T>
T selu(const T& x) {
  using std::expm1;
  return x > 0 ? kLambda * x : kLambdaAlpha * expm1(x);
}

template <class T>
T elu(const T& x, long double alpha, long double scale, long double input_scale) {
  using std::expm1;
  return x > 0 ? scale * x : alpha * scale * expm1(x * input_scale);
}

template <class T>
T hardswish(const T& x) {
  if (x <= -3) return T(0);
  return x >= 3 ? x : x * (x + 3) / 6;
}

// With the tails' digits kept: x Phi(x), or x times the logistic function of twice tanh's argument.
template <class T>
T gelu(const T& x, bool tanh_form) {
  using std::erfc;
  using std::exp;
  if (!tanh_form) return x * erfc(-x * kSqrtHalf) / 2;
  const T z = kTwiceSqrt2OverPi * (x + kCubic * x * x * x);
  // The logistic function without an overflow that would hide the tail.
  if (z < 0) {
    const T e = exp(z);
    return x * e / (1 + e);
  }
  return x / (1 + exp(-z));
}

template <class T>
T silu(const T& x) {
  using std::exp;
  return x / (1 + exp(-x));
}

// The derivative of gelu, for the backward's own formula.
inline long double gelu_slope(long double x, bool tanh_form) {
  const Dual slope = gelu(Dual{x, 1}, tanh_form);
  return slope.slope;
}

}  // namespace aclgrad::gradcheck::formulas

#endif  // ACLGRAD_AUTOGRAD_TOOL_FORMULAS_H_
