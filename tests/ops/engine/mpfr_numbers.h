// SPDX-License-Identifier: Apache-2.0
// Exact numbers to compare results with.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aclgrad::testing {

// A number of 200 bits.
struct BigFloat {
  mpfr_t value;
  BigFloat() { mpfr_init2(value, 200); }
  BigFloat(const BigFloat&) = delete;
  BigFloat& operator=(const BigFloat&) = delete;
  ~BigFloat() { mpfr_clear(value); }
};

// The error of `actual` in units in the last place; infinite where it is none of a number. An
// infinity counts as the power of two that overflows.
template <class T>
double error_in_ulp(T actual, const mpfr_t exact) {
  using Limits = std::numeric_limits<T>;
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  if (mpfr_nan_p(exact)) return std::isnan(actual) ? 0 : kWrong;
  if (std::isnan(actual)) return kWrong;
  if (std::signbit(actual) != (mpfr_signbit(exact) != 0)) return kWrong;
  if (mpfr_inf_p(exact)) return std::isinf(actual) ? 0 : kWrong;
  if (mpfr_zero_p(exact)) return actual == 0 ? 0 : kWrong;
  BigFloat difference;
  mpfr_set_d(difference.value, static_cast<double>(actual), MPFR_RNDN);
  if (std::isinf(actual)) {
    mpfr_set_si_2exp(difference.value, actual > 0 ? 1 : -1, Limits::max_exponent, MPFR_RNDN);
  }
  mpfr_exp_t exponent = mpfr_get_exp(exact);
  if (exponent > Limits::max_exponent) {
    if (std::isinf(actual)) return 0;
    exponent = Limits::max_exponent;
  }
  exponent = std::max<mpfr_exp_t>(exponent, Limits::min_exponent) - Limits::digits;
  mpfr_sub(difference.value, difference.value, exact, MPFR_RNDN);
  mpfr_mul_2si(difference.value, difference.value, -exponent, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.value, MPFR_RNDN));
}

}  // namespace aclgrad::testing
