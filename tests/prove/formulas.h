// SPDX-License-Identifier: Apache-2.0
// The exact functions, written for a number of any precision: long double or Real. Arguments are
// finite. Functions ending in _6 give six times the value, to stay free of quotients.
#pragma once

#include <cmath>

#include "tests/prove/real.h"

namespace aclgrad::prove {

using std::erfc;
using std::exp;
using std::expm1;

// Constants by their definition (SELU's by their digits).
template <class T>
struct Constant;

template <>
struct Constant<long double> {
  static long double lambda() { return 1.0507009873554804934193349852946L; }
  static long double lambda_alpha() { return 1.7580993408473768599402175208123L; }
  static long double sqrt_half() { return 0.70710678118654752440084436210485L; }
  static long double density() { return 0.39894228040143267793994605993438L; }
  static long double twice_root() { return 1.5957691216057307117597842397375L; }
  static long double cubic() { return 0.044715L; }
};

template <>
struct Constant<Real> {
  static Real lambda() { return Real("1.0507009873554804934193349852946"); }
  static Real lambda_alpha() { return Real("1.7580993408473768599402175208123"); }
  static Real sqrt_half() { return sqrt(Real(1) / Real(2)); }
  static Real density() { return Real(1) / sqrt(Real(2) * Real::pi()); }  // 1 / sqrt(2 pi)
  static Real twice_root() { return sqrt(Real(8) / Real::pi()); }         // 2 sqrt(2/pi)
  static Real cubic() { return Real("0.044715"); }
};

template <class T>
T selu(const T& x) {
  if (x > T(0)) return Constant<T>::lambda() * x;
  return Constant<T>::lambda_alpha() * expm1(x);
}

// Of the result y.
template <class T>
T selu_slope(const T& y) {
  return y >= T(0) ? Constant<T>::lambda() : y + Constant<T>::lambda_alpha();
}

// ELU's scalars in quarters of 1: all products of them are exact.
struct Quarters {
  int alpha = 4;
  int scale = 4;
  int input_scale = 4;
};
inline constexpr Quarters kOnes{};
inline constexpr Quarters kScaled{5, 3, 6};
inline constexpr Quarters kAlpha{5, 4, 4};

template <class T, Quarters q>
T elu(const T& x) {
  const T scale = T(q.scale) / T(4);
  if (x > T(0)) return scale * x;
  return T(q.alpha) / T(4) * scale * expm1(x * T(q.input_scale) / T(4));
}

template <class T, Quarters q>
T elu_slope(const T& x) {
  const T scale = T(q.scale) / T(4);
  if (x > T(0)) return scale;
  const T input_scale = T(q.input_scale) / T(4);
  return T(q.alpha) / T(4) * scale * input_scale * exp(x * input_scale);
}

template <class T, Quarters q>
T elu_slope_of_result(const T& y) {
  const T scale = T(q.scale) / T(4);
  if (y > T(0)) return scale;
  return T(q.input_scale) / T(4) * (y + T(q.alpha) / T(4) * scale);
}

template <class T>
T hardswish_6(const T& x) {
  if (x <= T(-3)) return T(0);
  return x >= T(3) ? T(6) * x : x * (x + T(3));
}

template <class T>
T hardswish_slope_closed_6(const T& x) {
  if (x < T(-3)) return T(0);
  return x > T(3) ? T(6) : T(2) * x + T(3);
}

template <class T>
T hardswish_slope_open_6(const T& x) {
  if (x <= T(-3)) return T(0);
  return x >= T(3) ? T(6) : T(2) * x + T(3);
}

template <class T>
T gelu_erf(const T& x) {
  return x * erfc(-x * Constant<T>::sqrt_half()) / T(2);
}

template <class T>
T gelu_erf_slope(const T& x) {
  return erfc(-x * Constant<T>::sqrt_half()) / T(2) +
         x * Constant<T>::density() * exp(-x * x / T(2));
}

// The tanh form is x s(z) with the logistic function s and z = 2 sqrt(2/pi) (x + 0.044715 x^3).
template <class T>
T tanh_argument(const T& x) {
  return Constant<T>::twice_root() * (x + Constant<T>::cubic() * x * x * x);
}

template <class T>
T gelu_tanh(const T& x) {
  return x / (T(1) + exp(-tanh_argument(x)));
}

template <class T>
T gelu_tanh_slope(const T& x) {
  const T z = tanh_argument(x);
  const T of_plus = T(1) / (T(1) + exp(-z));
  const T of_minus = T(1) / (T(1) + exp(z));
  const T z_slope = Constant<T>::twice_root() * (T(1) + T(3) * Constant<T>::cubic() * x * x);
  return of_plus * (T(1) + x * of_minus * z_slope);
}

template <class T>
T identity(const T& x) {
  return x;
}

}  // namespace aclgrad::prove
