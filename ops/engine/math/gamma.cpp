// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/math/gamma.h"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>

#include "hwy/highway.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/engine/math/trig-inl.h"

namespace aclgrad::ops {
namespace {

namespace hn = hwy::HWY_NAMESPACE;  // of the instructions that every processor has

constexpr hn::CappedTag<double, 1> kOne;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

// From here on the asymptotic series have all digits.
constexpr double kFar = 12;

// x >= kFar, of log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2): B_2k / (2k (2k - 1)
// x^(2k-1)).
double stirling_rest(double x) {
  static constexpr double kSeries[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                       1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
  return polynomial(1 / (x * x), kSeries) / x;
}

// log Gamma(2 + x) for |x| <= 1/2: x (1 - gamma) + (zeta(2) - 1)/2 x^2 - (zeta(3) - 1)/3 x^3 ...
double log_gamma_beside_two(double x) {
  // zeta(k) - 1
  static constexpr double kZetas[] = {
      0.64493406684822644,    0.20205690315959429,    0.082323233711138192,  0.036927755143369926,
      0.01734306198444914,    0.0083492773819228268,  0.0040773561979443394, 0.0020083928260822144,
      0.00099457512781808534, 0.00049418860411946456, 0.0002460865533080483, 0.00012271334757848915,
      6.1248135058704829e-5,  3.0588236307020494e-5,  1.5282259408651872e-5, 7.6371976378997623e-6,
      3.8172932649998399e-6,  1.9082127165539389e-6,  9.5396203387279611e-7, 4.7693298678780646e-7,
      2.3845050272773299e-7,  1.1921992596531107e-7,  5.960818905125948e-8,  2.980350351465228e-8,
      1.4901554828365041e-8,  7.4507117898354295e-9,  3.7253340247884571e-9, 1.862659723513049e-9};
  constexpr double kOneLessEuler = 0.42278433509846714;
  double sum = 0;
  for (size_t k = std::size(kZetas); k-- > 0;) {
    const double term = kZetas[k] / (static_cast<double>(k) + 2);
    sum = (k % 2 == 0 ? term : -term) + x * sum;
  }
  return x * (kOneLessEuler + x * sum);
}

// log(1 + x) with its digits for small x.
double log_of_one_and(double x) {
  const double sum = 1 + x;
  return natural_log(sum) + (x - (sum - 1)) / sum;
}

double log_gamma_of_positive(double x) {
  if (x < kFar) {
    // Gamma(n + z) = Gamma(2 + z) (2 + z) (3 + z) ... (n - 1 + z)
    const double n = std::floor(x + 0.5);
    const double z = x - n;
    const double beside = log_gamma_beside_two(z);
    if (n == 0) return beside - (log_of_one_and(x) + natural_log(x));
    if (n == 1) return beside - log_of_one_and(z);
    double product = 1;
    for (double k = 2; k < n; k += 1) product *= k + z;
    return natural_log(product) + beside;
  }
  constexpr double kHalfLogTwoPi = 0.91893853320467274;
  return (x - 0.5) * (natural_log(x) - 1) + (kHalfLogTwoPi - 0.5 + stirling_rest(x));
}

// sin(pi x) for |x| <= 1/2.
double sin_of_half_turns(double x) {
  static constexpr double kSin[] = {1,
                                    -1.0 / 6,
                                    1.0 / 120,
                                    -1.0 / 5040,
                                    1.0 / 362880,
                                    -1.0 / 39916800.,
                                    1.0 / 6227020800.,
                                    -1.0 / 1307674368000.,
                                    1.0 / 355687428096000.,
                                    -1.0 / 121645100408832000.,
                                    1.0 / 51090942171709440000.};
  const double angle = kPi * x;
  return angle * polynomial(angle * angle, kSin);
}

// A sum in two parts.
struct LongSum {
  double high = 0;
  double low = 0;

  void add(double term, double rest) {
    const auto sum = HWY_NAMESPACE::two_sum(hn::Set(kOne, high), hn::Set(kOne, term));
    high = hn::GetLane(sum.high);
    low += hn::GetLane(sum.low) + rest;
  }
};

// pi / tan(pi x) for 0 < |x| <= 1/2, as a sum of two.
LongSum pi_over_tan(double x) {
  const bool far = std::abs(x) > 0.25;  // beyond pi/4 by the other angle of the triangle
  const auto angle = hn::Set(kOne, far ? std::copysign(0.5 - std::abs(x), x) : x);
  const auto [sine, cosine] =
      HWY_NAMESPACE::sin_and_cos(kOne, HWY_NAMESPACE::times_pi(kOne, angle));
  const auto& below = far ? cosine : sine;
  const auto quotient = HWY_NAMESPACE::long_quotient(kOne, far ? sine : cosine,
                                                     HWY_NAMESPACE::two_sum(below.high, below.low));
  const auto product = HWY_NAMESPACE::times_pi(kOne, quotient.high);
  return {hn::GetLane(product.high),
          hn::GetLane(product.low) + std::numbers::pi * hn::GetLane(quotient.low)};
}

}  // namespace

double log_gamma(double x) {
  if (std::isnan(x)) return x;
  if (std::isinf(x) || (x <= 0 && std::floor(x) == x)) return kInfinity;
  if (x > 0) return log_gamma_of_positive(x);
  if (x > -0.5) {
    return log_gamma_beside_two(x) - (log_of_one_and(x) + natural_log(-x));
  }
  // |Gamma(x) Gamma(-x) x sin(pi x)| = pi
  const double sine = std::abs(sin_of_half_turns(x - std::round(x)));
  return natural_log(kPi / (-x * sine)) - log_gamma_of_positive(-x);
}

double digamma(double x) {
  if (std::isnan(x) || x == kInfinity) return x;
  if (std::abs(x) < 0x1p-60) return -1 / x;
  LongSum sum;
  double start = x;
  if (x < 0) {  // psi(x) = psi(-x) - 1/x - pi / tan(pi x)
    if (std::floor(x) == x) return kNan;
    const LongSum reflected = pi_over_tan(x - std::round(x));
    sum.add(-reflected.high, -reflected.low);
    start = -x;
    sum.add(1 / start, std::fma(-1 / start, start, 1) / start);
  }
  // psi(x) = psi(x + 1) - 1/x
  double k = 0;
  for (; start + k < kFar; k += 1) {
    const double term = start + k;
    const double lost = start - (term - k);
    const double inverse = 1 / term;
    sum.add(-inverse, -inverse * (std::fma(-inverse, term, 1) - inverse * lost));
  }
  // log x - 1/(2x) - B_2k / (2k x^2k)
  static constexpr double kSeries[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                       -1.0 / 132, 691.0 / 32760, -1.0 / 12,  3617.0 / 8160};
  const double far = start + k;
  const double square = 1 / (far * far);
  const auto logarithm = HWY_NAMESPACE::long_log_of_positive(kOne, hn::Set(kOne, far));
  sum.add(hn::GetLane(logarithm.high), hn::GetLane(logarithm.low) + (start - (far - k)) / far);
  sum.add(-0.5 / far, square * polynomial(square, kSeries));
  return sum.high + sum.low;
}

}  // namespace aclgrad::ops
