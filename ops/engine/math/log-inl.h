// SPDX-License-Identifier: Apache-2.0
// Per-target: log, log1p and pow of vectors of float and double.
#if defined(ACLGRAD_OPS_ENGINE_MATH_LOG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_LOG_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_LOG_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_LOG_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "hwy/highway.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/math/logarithm_table.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// x = 2^n m with m between the roots of 1/2 and 2, for x > 0; s = (m - 1) / (m + 1).
template <class V>
struct LogParts {
  V n;
  V m;
  V s;
};
template <class D, class V>
HWY_INLINE LogParts<V> log_parts(D d, V x) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // bits of the root of 1/2
  constexpr uint64_t kOne = 0x3ff0000000000000;
  const hn::RebindToUnsigned<D> du;
  const V one = hn::Set(d, 1.0);
  const auto subnormal = hn::Lt(x, hn::Set(d, 0x1p-1022));
  const V scaled_x = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 0x1p54)), x);
  const V bias = hn::IfThenElse(subnormal, hn::Set(d, 1023.0 + 54), hn::Set(d, 1023.0));
  const auto steps = hn::Add(hn::BitCast(du, scaled_x), hn::Set(du, kOne - kRootHalf));
  const auto mantissa = hn::And(steps, hn::Set(du, (uint64_t{1} << 52) - 1));
  const V m = hn::BitCast(d, hn::Add(mantissa, hn::Set(du, kRootHalf)));
  const V magic = hn::Set(d, kIntegerMagic);
  const auto exponent = hn::ShiftRight<52>(steps);
  const V biased = hn::Sub(hn::BitCast(d, hn::Add(hn::BitCast(du, magic), exponent)), magic);
  return {hn::Sub(biased, bias), m, hn::Div(hn::Sub(m, one), hn::Add(m, one))};
}

// ln 2 in two parts; products of the first with small integers are exact.
inline constexpr double kLogLn2High = 0x1.62e42fefa3800p-1;
inline constexpr double kLogLn2Low = 0x1.ef35793c76730p-45;

// Natural logarithm of x > 0, finite.
template <class D, class V>
HWY_INLINE V log_of_positive(D d, V x) {
  // (log((1 + s) / (1 - s)) - 2 s) / s^3 as a polynomial of s^2, for s^2 up to 0.0295
  // (tools/fit_doubles.py).
  static constexpr double kCoefficients[] = {
      0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476c42p-2, 0x1.c71c720168526p-3,
      0x1.745cf8fe328f9p-3, 0x1.3b1c36b445cebp-3, 0x1.0fbe71ad855c9p-3, 0x1.0c05166ec4148p-3};
  const auto parts = log_parts(d, x);
  const V offset = hn::Sub(parts.m, hn::Set(d, 1.0));
  const V square = hn::Mul(parts.s, parts.s);
  const V series = hn::Mul(square, polynomial(d, square, kCoefficients));
  // log m = offset - s (offset - series), where the last product is the smaller part.
  const V rest =
      hn::Sub(hn::Mul(parts.n, hn::Set(d, kLogLn2Low)), hn::Mul(parts.s, hn::Sub(offset, series)));
  return hn::Add(hn::Mul(parts.n, hn::Set(d, kLogLn2High)), hn::Add(offset, rest));
}

// `result` where 0 < x < infinity; what log gives elsewhere.
template <class D, class V>
HWY_INLINE V with_limits_of_log(D d, V x, V result) {
  const V infinity = set(d, std::numeric_limits<double>::infinity());
  const V zero = hn::Zero(d);
  const V positive = hn::IfThenElse(hn::Lt(x, infinity), result, x);  // NaN too
  const V negative = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::NaN(d));
  return hn::IfThenElse(hn::Le(x, zero), negative, positive);
}

// The natural logarithm of normal x > 0, plus n_more ln 2. Lanes: float.
template <class D, class V>
HWY_INLINE V float_log_of_normal(D d, V x, V n_more) {
  constexpr int32_t kRootHalf = 0x3f3504f3;  // bits of the root of 1/2
  constexpr DoubleFloatConstant kLn2(0x1.62e42fefa39efp-1);
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, kRootHalf)));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V n = hn::Add(hn::ConvertTo(d, exponent), n_more);
  const V f = hn::Sub(m, hn::Set(d, 1.0f));
  constexpr size_t kTerms = std::size(kLogarithm);
  V p = hn::Set(d, kLogarithm[kTerms - 1]);
  for (size_t k = kTerms - 1; k-- > 0;) p = mul_add(d, f, p, hn::Set(d, kLogarithm[k]));
  const V cube = hn::Mul(hn::Mul(f, f), f);
  const V rest = mul_add(d, n, hn::Set(d, kLn2.low), hn::Mul(cube, p));
  const V beyond_linear = mul_add(d, hn::Mul(f, hn::Set(d, -0.5f)), f, rest);
  return mul_add(d, n, hn::Set(d, kLn2.high), hn::Add(f, beyond_linear));
}

// Lanes: float, double. Largest error: 1 ulp, 2 ulp. Range: all x; NaN below 0.
template <class D, class V>
HWY_INLINE V log(D d, V x) {
  if constexpr (kIsFloat<D>) {
    const V least = hn::Set(d, std::numeric_limits<float>::min());
    const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const auto usual = hn::And(hn::Ge(x, least), hn::Lt(x, infinity));
    if (HWY_LIKELY(hn::AllTrue(d, usual))) return float_log_of_normal(d, x, hn::Zero(d));
    // Subnormal numbers are whole multiples of 2^-149, and slow to compute with.
    const auto tiny = hn::Lt(x, least);
    const V multiple = hn::ConvertTo(d, hn::BitCast(hn::RebindToSigned<D>(), x));
    const V normal = hn::IfThenElse(tiny, multiple, x);
    const V n_more = hn::IfThenElseZero(tiny, hn::Set(d, -149.0f));
    return with_limits_of_log(d, x, float_log_of_normal(d, normal, n_more));
  } else {
    return with_limits_of_log(d, x, log_of_positive(d, x));
  }
}

// log(1 + x). Lanes: float, double. Largest error: 1 ulp, 2 ulp. Range: all x; NaN below -1.
template <class D, class V>
HWY_INLINE V log1p(D d, V x) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [](auto wide, auto each) HWY_ATTR { return log1p(wide, each); }, x);
  } else {
    const V one = hn::Set(d, 1.0);
    const V sum = hn::Add(x, one);
    const auto moderate = hn::And(hn::Gt(x, hn::Set(d, -1.0)), hn::Lt(x, hn::Set(d, 0x1p60)));
    const Expansion<V> exact = two_sum(x, one);
    const V rest = hn::IfThenElseZero(moderate, hn::Div(exact.low, sum));
    return hn::CopySign(hn::Add(log(d, sum), rest), x);
  }
}

// The logarithm of x > 0, finite, as the sum of two numbers, to 2^-62 of it.
template <class D, class V>
HWY_INLINE Expansion<V> long_log_of_positive(D d, V x) {
  // 2/5 + 2/7 s^2 + ...
  static constexpr double kSeries[] = {2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13, 2.0 / 15,
                                       2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25, 2.0 / 27};
  constexpr double kTwoThirds = 2.0 / 3;
  constexpr double kTwoThirdsRest = 0x1.5555555555555p-55;
  const auto parts = log_parts(d, x);
  const V one = hn::Set(d, 1.0);
  // s exactly enough: what (m - 1) - s (m + 1) leaves.
  const Expansion<V> divisor = two_sum(parts.m, one);
  const Expansion<V> back = two_product(d, parts.s, divisor.high);
  const V left = hn::Sub(hn::Sub(hn::Sub(parts.m, one), back.high), back.low);
  const V s_low = hn::Div(hn::Sub(left, hn::Mul(parts.s, divisor.low)), divisor.high);
  // s^2, then s^2 2/3 + s^4 (2/5 + ...), and that times s.
  Expansion<V> square = two_product(d, parts.s, parts.s);
  square.low = hn::Add(square.low, hn::Mul(hn::Add(parts.s, parts.s), s_low));
  Expansion<V> sum = two_product(d, square.high, hn::Set(d, kTwoThirds));
  const V small = hn::Mul(hn::Mul(square.high, square.high), polynomial(d, square.high, kSeries));
  sum.low = hn::Add(sum.low, hn::Add(hn::Mul(square.low, hn::Set(d, kTwoThirds)),
                                     hn::Mul(square.high, hn::Set(d, kTwoThirdsRest))));
  const Expansion<V> factor = two_sum(sum.high, hn::Add(small, sum.low));
  const Expansion<V> two_more = two_sum(hn::Set(d, 2.0), factor.high);
  Expansion<V> result = two_product(d, parts.s, two_more.high);
  result.low = hn::Add(result.low, hn::Add(hn::Mul(parts.s, hn::Add(two_more.low, factor.low)),
                                           hn::Mul(s_low, two_more.high)));
  const Expansion<V> total = two_sum(hn::Mul(parts.n, hn::Set(d, kLogLn2High)), result.high);
  const V rest = hn::Add(hn::Mul(parts.n, hn::Set(d, kLogLn2Low)), result.low);
  return two_sum(total.high, hn::Add(total.low, rest));
}

// x^y, with the special cases of the C library. Lanes: float, double. Largest error: 1 ulp, 2 ulp.
// Range: all x and y.
template <class D, class V>
HWY_INLINE V pow(D d, V x, V y) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [](auto wide, auto a, auto b) HWY_ATTR { return pow(wide, a, b); }, x, y);
  } else {
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0);
    const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    const V size = hn::Abs(x);
    const Expansion<V> logarithm = long_log_of_positive(d, size);
    const V high = with_limits_of_log(d, size, logarithm.high);
    const V clamped_y = clamp(d, y, -0x1p70, 0x1p70);  // far enough for any x but 1
    const V exponent = hn::Mul(high, clamped_y);
    const Expansion<V> product = two_product(d, high, clamped_y);
    const auto moderate = hn::Lt(hn::Abs(exponent), hn::Set(d, 1024.0));
    const V low = hn::Add(product.low, hn::Mul(logarithm.low, clamped_y));
    const V power = exponential(d, exponent, hn::IfThenElseZero(moderate, low));
    // Numbers of 2^53 and more are even.
    const V half = hn::Mul(y, hn::Set(d, 0.5));
    const auto integral = hn::Eq(hn::Floor(y), y);
    const auto odd = hn::And(integral, hn::Ne(hn::Floor(half), half));
    const auto below = hn::Lt(hn::CopySign(one, x), zero);
    const V with_sign = hn::IfThenElse(hn::And(below, odd), hn::Neg(power), power);
    const auto finite_negative = hn::And(hn::Lt(x, zero), hn::Lt(size, infinity));
    const auto outside = hn::AndNot(integral, finite_negative);
    const V result = hn::IfThenElse(outside, hn::NaN(d), with_sign);
    const V with_nan = hn::IfThenElse(hn::IsNaN(y), y, result);
    const auto is_one = hn::Or(hn::Or(hn::Eq(y, zero), hn::Eq(x, one)),
                               hn::And(hn::Eq(size, one), hn::Eq(hn::Abs(y), infinity)));
    return hn::IfThenElse(is_one, one, with_nan);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
