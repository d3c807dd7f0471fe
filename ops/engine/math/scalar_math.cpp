// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/math/scalar_math.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include "hwy/highway.h"
#include "ops/engine/math/exp-inl.h"

namespace aclgrad::ops {
namespace {

namespace hn = hwy::HWY_NAMESPACE;  // of the instructions that every processor has

// ln 2 in two parts; products of the first with integers up to 2^11 are exact.
constexpr double kLn2High = 0x1.62e42fefa3800p-1;
constexpr double kLn2Low = 0x1.ef35793c76730p-45;

}  // namespace

double natural_log(double x) {
  // x = 2^e m with m between the roots of 1/2 and 2.
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --e;
  }
  // ln m = 2 artanh s with s = f / (2 + f), |s| < 0.172: the first omitted term is below 2^-62 s.
  // As f - (f^2/2 - s (f^2/2 + R)), R = 2/3 s^2 + 2/5 s^4 ..., its largest part is exact.
  static constexpr double kSeries[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                       2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
  const double f = m - 1;
  const double s = f / (2 + f);
  const double square = s * s;
  const double half = f * f / 2;
  const double rest = s * (half + square * polynomial(square, kSeries));
  const double n = e;
  return n * kLn2High - ((half - (rest + n * kLn2Low)) - f);
}

double cos_of_turns(double x) {
  static constexpr double kCos[] = {1,
                                    -1.0 / 2,
                                    1.0 / 24,
                                    -1.0 / 720,
                                    1.0 / 40320,
                                    -1.0 / 3628800,
                                    1.0 / 479001600.,
                                    -1.0 / 87178291200.,
                                    1.0 / 20922789888000.};
  static constexpr double kSin[] = {1,
                                    -1.0 / 6,
                                    1.0 / 120,
                                    -1.0 / 5040,
                                    1.0 / 362880,
                                    -1.0 / 39916800.,
                                    1.0 / 6227020800.,
                                    -1.0 / 1307674368000.,
                                    1.0 / 355687428096000.};
  // The nearest quarter of a turn, and what is left of it, exactly.
  const double quarters = std::floor(4 * x + 0.5);
  const double angle = 2 * std::numbers::pi * (x - quarters / 4);
  const double square = angle * angle;
  switch (static_cast<int64_t>(quarters) & 3) {
    case 0:
      return polynomial(square, kCos);
    case 1:
      return -angle * polynomial(square, kSin);
    case 2:
      return -polynomial(square, kCos);
    default:
      return angle * polynomial(square, kSin);
  }
}

double power(double base, double exponent) {
  // Zeros, infinities and NaN have exact results.
  if (base == 0 || exponent == 0 || !std::isfinite(base) || !std::isfinite(exponent)) {
    return std::pow(base, exponent);
  }
  const hn::CappedTag<double, 1> d;
  const double size = hn::GetLane(
      HWY_NAMESPACE::exponential(d, hn::Set(d, exponent * natural_log(std::abs(base)))));
  if (base > 0) return size;
  if (std::floor(exponent) != exponent) return std::numeric_limits<double>::quiet_NaN();
  return std::fmod(exponent, 2) == 0 ? size : -size;
}

}  // namespace aclgrad::ops
