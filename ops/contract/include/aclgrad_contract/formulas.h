// SPDX-License-Identifier: Apache-2.0
// The activations' formulas, over numbers and dual numbers: for contracts and for tests.
#pragma once

#include <cmath>

#include "aclgrad_contract/dual.h"

namespace aclgrad::contract::formulas {

// SELU (Klambauer et al. 2017): lambda, and lambda alpha.
inline constexpr long double kLambda = 1.0507009873554804934193349852946L;
inline constexpr long double kLambdaAlpha = 1.7580993408473768599402175208123L;

template <class T>
T selu(const T& x) {
  using std::expm1;
  return x > 0 ? kLambda * x : kLambdaAlpha * expm1(x);
}

// ELU (Clevert et al. 2015) with the operator's three parameters.
template <class T>
T elu(const T& x, long double alpha, long double scale, long double input_scale) {
  using std::expm1;
  return x > 0 ? scale * x : alpha * scale * expm1(x * input_scale);
}

// Hardswish (Howard et al. 2019).
template <class T>
T hardswish(const T& x) {
  if (x <= -3) return T(0);
  return x >= 3 ? x : x * (x + 3) / 6;
}

// GELU (Hendrycks and Gimpel 2016), with the tails' digits kept: x Phi(x), or x times the logistic
// function of twice tanh's argument.
template <class T>
T gelu(const T& x, bool tanh_form) {
  using std::erfc;
  using std::exp;
  constexpr long double kSqrtHalf = 0.70710678118654752440084436210485L;
  constexpr long double kTwiceSqrt2OverPi = 1.5957691216057307117597842397375L;
  constexpr long double kCubic = 0.044715L;
  if (x < -1e4L) return T(0);  // less than the smallest number, and no product with an infinity
  if (!tanh_form) return x * erfc(-x * kSqrtHalf) / 2;
  const T z = kTwiceSqrt2OverPi * (x + kCubic * x * x * x);
  // The logistic function without an overflow that would hide the tail.
  if (z < 0) {
    const T e = exp(z);
    return x * e / (1 + e);
  }
  return x / (1 + exp(-z));
}

inline long double gelu_slope(long double x, bool tanh_form) {
  const Dual at_x = gelu(Dual{x, 1}, tanh_form);
  return at_x.slope;
}

template <class T>
T sigmoid(const T& x) {
  using std::exp;
  if (x < 0) {
    const T e = exp(x);
    return e / (1 + e);
  }
  return 1 / (1 + exp(-x));
}

}  // namespace aclgrad::contract::formulas
