// SPDX-License-Identifier: Apache-2.0
// Rounding to odd: an inexact result in double whose last bit is forced to 1. Rounding that again
// to a format of at most 51 bits gives what a single rounding of the exact value would give (Boldo
// and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
#pragma once

#include <bit>
#include <cstdint>

#include "hwy/base.h"

namespace aclgrad::ops {

// `rounded` is the nearest double to rounded + error, error far below it.
HWY_INLINE double round_to_odd(double rounded, double error) {
  const auto bits = std::bit_cast<int64_t>(rounded);
  const bool inexact = error < 0 || error > 0;  // false for a NaN that infinities left behind
  const bool even = (bits & 1) == 0;
  const int64_t away = (error > 0) == (rounded > 0) ? 1 : -1;
  return std::bit_cast<double>(inexact && even ? bits + away : bits);
}

// a + b, rounded to odd.
HWY_INLINE double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  return round_to_odd(sum, error);
}

}  // namespace aclgrad::ops
