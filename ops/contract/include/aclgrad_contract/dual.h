// SPDX-License-Identifier: Apache-2.0
// Dual numbers: a value and its derivative, carried through a formula by the rules of calculus. A
// forward that is a template over its scalar type is differentiated by them to the last digit, as a
// second opinion on differences:
//
//   auto softplus = [](auto x) { using std::log1p, std::exp; return log1p(exp(x)); };
//   Dual d = softplus(Dual{0.3L, 1});   // d.slope is the derivative at 0.3
//
// At a corner, comparisons go by the value alone, so the slope is that of the branch taken.
#pragma once

#include <cmath>

namespace aclgrad::contract {

struct Dual {
  long double value = 0;
  long double slope = 0;

  constexpr Dual() = default;
  constexpr Dual(long double v) : value(v) {}  // NOLINT: numbers are constants
  constexpr Dual(long double v, long double s) : value(v), slope(s) {}

  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const long double quotient = a.value / b.value;
    return {quotient, (a.slope - quotient * b.slope) / b.value};
  }
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
};

// The functions of numbers beside those of dual numbers, so that a formula serves both.
using std::abs;
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::pow;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

inline Dual exp(const Dual& x) {
  const long double e = std::exp(x.value);
  return {e, e * x.slope};
}
inline Dual expm1(const Dual& x) { return {std::expm1(x.value), std::exp(x.value) * x.slope}; }
inline Dual log(const Dual& x) { return {std::log(x.value), x.slope / x.value}; }
inline Dual log1p(const Dual& x) { return {std::log1p(x.value), x.slope / (1 + x.value)}; }
inline Dual sqrt(const Dual& x) {
  const long double root = std::sqrt(x.value);
  return {root, x.slope / (2 * root)};
}
inline Dual sin(const Dual& x) { return {std::sin(x.value), std::cos(x.value) * x.slope}; }
inline Dual cos(const Dual& x) { return {std::cos(x.value), -std::sin(x.value) * x.slope}; }
inline Dual tanh(const Dual& x) {
  const long double c = std::cosh(x.value);
  return {std::tanh(x.value), x.slope / (c * c)};
}
inline Dual erf(const Dual& x) {
  constexpr long double kTwoOverSqrtPi = 1.1283791670955125738961589031215L;
  return {std::erf(x.value), kTwoOverSqrtPi * std::exp(-x.value * x.value) * x.slope};
}
inline Dual erfc(const Dual& x) {
  const Dual complement = erf(x);
  return {std::erfc(x.value), -complement.slope};
}
inline Dual exp2(const Dual& x) {
  const long double power = std::exp2(x.value);
  return {power, power * std::log(2.0L) * x.slope};
}
inline Dual log2(const Dual& x) {
  return {std::log2(x.value), x.slope / (x.value * std::log(2.0L))};
}
inline Dual log10(const Dual& x) {
  return {std::log10(x.value), x.slope / (x.value * std::log(10.0L))};
}
inline Dual tan(const Dual& x) {
  const long double t = std::tan(x.value);
  return {t, (1 + t * t) * x.slope};
}
inline Dual asin(const Dual& x) {
  return {std::asin(x.value), x.slope / std::sqrt((1 - x.value) * (1 + x.value))};
}
inline Dual acos(const Dual& x) { return {std::acos(x.value), -asin(x).slope}; }
inline Dual atan(const Dual& x) { return {std::atan(x.value), x.slope / (1 + x.value * x.value)}; }
inline Dual atan2(const Dual& y, const Dual& x) {
  const long double square = x.value * x.value + y.value * y.value;
  return {std::atan2(y.value, x.value), (y.slope * x.value - y.value * x.slope) / square};
}
inline Dual sinh(const Dual& x) { return {std::sinh(x.value), std::cosh(x.value) * x.slope}; }
inline Dual cosh(const Dual& x) { return {std::cosh(x.value), std::sinh(x.value) * x.slope}; }
inline Dual asinh(const Dual& x) {
  return {std::asinh(x.value), x.slope / std::sqrt(x.value * x.value + 1)};
}
inline Dual acosh(const Dual& x) {
  return {std::acosh(x.value), x.slope / std::sqrt((x.value - 1) * (x.value + 1))};
}
inline Dual atanh(const Dual& x) {
  return {std::atanh(x.value), x.slope / ((1 - x.value) * (1 + x.value))};
}
inline Dual abs(const Dual& x) { return x.value < 0 ? -x : x; }
inline Dual pow(const Dual& x, long double y) {
  return {std::pow(x.value, y), y * std::pow(x.value, y - 1) * x.slope};
}
inline Dual pow(const Dual& x, const Dual& y) {
  const long double power = std::pow(x.value, y.value);
  const long double by_exponent = y.slope == 0 ? 0 : power * std::log(x.value) * y.slope;
  return {power, y.value * std::pow(x.value, y.value - 1) * x.slope + by_exponent};
}

}  // namespace aclgrad::contract
