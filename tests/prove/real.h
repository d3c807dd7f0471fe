// SPDX-License-Identifier: Apache-2.0
// Real numbers of any precision (MPFR), with as much of a number's interface as the formulas need.
#pragma once

#include <mpfr.h>

#include <utility>

namespace aclgrad::prove {

// Results of all operations have Real::precision bits, rounded to nearest.
class Real {
 public:
  static inline thread_local mpfr_prec_t precision = 128;

  Real() { mpfr_init2(value_, precision); }
  Real(int value) : Real() { mpfr_set_si(value_, value, MPFR_RNDN); }
  explicit Real(long double value) : Real() { mpfr_set_ld(value_, value, MPFR_RNDN); }
  explicit Real(const char* digits) : Real() { mpfr_set_str(value_, digits, 10, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  // Whether every operation of this thread since forget_rounding() gave its exact result.
  static void forget_rounding() { mpfr_clear_inexflag(); }
  static bool is_exact() { return mpfr_inexflag_p() == 0; }

  long double to_long_double() const { return mpfr_get_ld(value_, MPFR_RNDN); }
  int sign() const { return mpfr_sgn(value_); }
  // 2^exponent() is above the magnitude and at most twice it. Not for 0.
  long exponent() const { return mpfr_get_exp(value_); }

  friend Real operator+(const Real& a, const Real& b) { return with(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return with(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return with(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return with(mpfr_div, a, b); }
  Real operator-() const {
    Real result;
    mpfr_neg(result.value_, value_, MPFR_RNDN);
    return result;
  }
  friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.value_, b.value_); }
  friend bool operator>(const Real& a, const Real& b) { return b < a; }
  friend bool operator<=(const Real& a, const Real& b) {
    return mpfr_lessequal_p(a.value_, b.value_);
  }
  friend bool operator>=(const Real& a, const Real& b) { return b <= a; }

  friend Real exp(const Real& x) { return with(mpfr_exp, x); }
  friend Real expm1(const Real& x) { return with(mpfr_expm1, x); }
  friend Real erfc(const Real& x) { return with(mpfr_erfc, x); }
  friend Real sqrt(const Real& x) { return with(mpfr_sqrt, x); }
  static Real pi() {
    Real result;
    mpfr_const_pi(result.value_, MPFR_RNDN);
    return result;
  }

 private:
  template <class Function, class... Arguments>
  static Real with(Function function, const Arguments&... arguments) {
    Real result;
    function(result.value_, arguments.value_..., MPFR_RNDN);
    return result;
  }

  mpfr_t value_;
};

}  // namespace aclgrad::prove
