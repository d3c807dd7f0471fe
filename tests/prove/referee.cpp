// SPDX-License-Identifier: Apache-2.0
#include "tests/prove/referee.h"

#include <fmt/format.h>

#include <cfenv>
#include <cmath>
#include <stdexcept>

#include "tests/ops/support/numbers.h"

namespace aclgrad::prove {
namespace {

using testing::ulp_at;

constexpr long double kPreciseMargin = 0x1p-50L;
constexpr mpfr_prec_t kPrecisions[] = {192, 512, 2048, 8192};

// Bits of a precision that errors of functions and cancellation may spoil.
constexpr long kSpoiled = 64;

int sign_of(long double value) { return value > 0 ? 1 : (value < 0 ? -1 : 0); }

// The exact value function(x) * factor, as far as questions about it need it.
class Exact {
 public:
  Exact(const ProvenFunction& function, long double x, long double factor)
      : function_(function), x_(x), factor_(factor) {
    if (function.limit != nullptr) limit_ = function.limit(x);
    if (limit_) {
      near_ = limit_->value * factor;  // no more digits than a long double has
    } else if (std::isfinite(x) && std::isfinite(factor) &&
               function.cancels(static_cast<double>(x))) {
      near_ = in_precision(kPrecisions[0]).to_long_double() / function.divisor;
    } else {
      near_ = function.precise(x) / function.divisor * factor;
    }
  }

  // Good to kPreciseMargin; exactly the value where that is NaN or infinite.
  long double near() const { return near_; }

  // The sign of the exact value minus `point`.
  int compared_to(long double point) const {
    if (limit_) {
      const int sign = sign_of(near_ - point);
      return sign != 0 ? sign : limit_->side * sign_of(factor_);
    }
    const long double difference = near_ - point;
    if (std::fabs(difference) > kPreciseMargin * std::fabs(near_) || factor_ == 0) {
      return sign_of(difference);
    }
    if (const std::optional<int> sign = if_exact(point)) return *sign;
    for (const mpfr_prec_t precision : kPrecisions) {
      Real::forget_rounding();
      const Real value = in_precision(precision);
      const Real apart = value - Real(point) * Real(function_.divisor);
      if (Real::is_exact()) return apart.sign();
      if (apart.sign() != 0 && apart.exponent() > value.exponent() - (precision - kSpoiled)) {
        return apart.sign();
      }
    }
    throw std::runtime_error(fmt::format(
        "{}: at {:.21g} times {:.21g} the exact value cannot be distinguished from {:.21g}",
        function_.name(), x_, factor_, point));
  }

 private:
  // The answer, where a long double holds every intermediate value: for short numbers and rational
  // functions.
  std::optional<int> if_exact(long double point) const {
    std::feclearexcept(FE_INEXACT);
    const volatile long double value = function_.precise(x_) * factor_;
    const volatile long double target = point * function_.divisor;
    const volatile long double apart = value - target;
    if (std::fetestexcept(FE_INEXACT) != 0) return std::nullopt;
    return sign_of(apart);
  }

  Real in_precision(mpfr_prec_t precision) const {
    Real::precision = precision;
    return function_.exact(Real(x_)) * Real(factor_);
  }

  const ProvenFunction& function_;
  long double x_;
  long double factor_;
  std::optional<Limit> limit_;
  long double near_;
};

// Whether the number `result` of dtype is the exact value's nearest, by the two ties beside it.
bool is_nearest(const Exact& exact, aclDataType dtype, long double result) {
  const long double magnitude = std::fabs(result);
  const int sign = std::signbit(result) ? -1 : 1;
  const long double unit = ulp_at(magnitude, dtype);
  const bool is_even = std::fmod(magnitude / unit, 2.0L) == 0;
  const int outer = sign * exact.compared_to(sign * (magnitude + unit / 2));
  if (outer > 0 || (outer == 0 && !is_even)) return false;
  // Below a power of two numbers are twice as dense.
  const long double below = magnitude - ulp_at(std::nextafter(magnitude, 0.0L), dtype) / 2;
  const int inner = sign * exact.compared_to(sign * (magnitude == 0 ? -unit / 2 : below));
  return inner > 0 || (inner == 0 && is_even);
}

}  // namespace

Comparison compare(const ProvenFunction& function, aclDataType dtype, long double x,
                   long double factor, long double result) {
  const auto given = [](bool right) {
    return Comparison{right ? Rounding::kCorrectlyRounded : Rounding::kNotNumber};
  };
  if (std::isnan(x) || std::isnan(factor)) return given(std::isnan(result));
  const Exact exact(function, x, factor);
  const long double near = exact.near();
  if (!std::isfinite(near)) {
    return given(std::isnan(near) ? std::isnan(result) : result == near);
  }
  if (std::isnan(result)) return given(false);
  if (std::isinf(result)) {
    // The first number beyond the largest, if the exponent went on, less half a unit.
    const testing::FloatFormat format = testing::float_format(dtype);
    const long double tie = std::ldexp(1.0L, format.highest_exponent + 1) -
                            std::ldexp(1.0L, format.highest_exponent - format.precision);
    return given(sign_of(result) * exact.compared_to(std::copysign(tie, result)) >= 0);
  }
  if (is_nearest(exact, dtype, result)) return {Rounding::kCorrectlyRounded};
  return {Rounding::kInexact, static_cast<double>(std::fabs(result - near) / ulp_at(near, dtype))};
}

}  // namespace aclgrad::prove
