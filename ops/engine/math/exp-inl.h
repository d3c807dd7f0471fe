// SPDX-License-Identifier: Apache-2.0
// Per-target: exp, expm1, tanh and rsqrt of vectors of float and double.
// Included by kernel files inside Highway's foreach_target loop.
//
// The functions of this folder give the same bits on every instruction set. Above each stand its
// lane types, its largest error in units in the last place
// (tests/ops/engine/math_functions_test.cpp measures it, results that are subnormal included) and
// its range. Exponentials of large |x| take a few times as long as others.
//
// NaN gives NaN; at infinities, zeros and outside the domain the results are those of the C
// library. Functions in float that do not pay for a body of their own are computed in double.
#if defined(ACLGRAD_OPS_ENGINE_MATH_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_EXP_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_EXP_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_EXP_INL_H_
#endif

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/engine/math/exponential_table.h"
#include "ops/engine/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- Float by way of double ---------------------------------------------------------------------

// The nearest floats; infinite where that is due.
template <class D, class V>
HWY_INLINE hn::Vec<D> floats_of_doubles(D d, V values) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  // The portable DemoteTo stops at the largest float.
  const hn::Rebind<double, D> wide;
  alignas(64) double from[hn::MaxLanes(wide)];
  alignas(64) float to[hn::MaxLanes(d)];
  hn::Store(values, wide, from);
  for (size_t i = 0; i < hn::Lanes(d); ++i) to[i] = static_cast<float>(from[i]);
  return hn::Load(d, to);
#else
  return hn::DemoteTo(d, values);
#endif
}

// formula(tag of double, vectors of double...) for vectors of float, rounded once.
template <class D, class Formula, class... V>
HWY_INLINE hn::Vec<D> in_double(D d, const Formula& formula, V... x) {
#if HWY_TARGET == HWY_SCALAR
  const hn::Rebind<double, D> wide;
  return floats_of_doubles(d, formula(wide, hn::PromoteTo(wide, x)...));
#else
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D> > wide;
  const auto lower = formula(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x))...);
  const auto upper = formula(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x))...);
  return hn::Combine(d, floats_of_doubles(half, upper), floats_of_doubles(half, lower));
#endif
}

// ---- Double -------------------------------------------------------------------------------------

// e^x = (1 + growth) * first * second, with powers of two that are normal numbers even where the
// result is not.
template <class V>
struct SplitExponential {
  V growth;
  V first;
  V second;
  V second_inverse;
};

// Lanes: double. Range: x = high + low, high anything, low finite.
template <class D, class V>
HWY_INLINE SplitExponential<V> split_exponential(D d, V high, V low) {
  // ln 2 in two parts; products of the first with integers up to 2^11 are exact.
  constexpr double kLn2High = 0x1.62e42fefa3800p-1;
  constexpr double kLn2Low = 0x1.ef35793c76730p-45;
  constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
  // (e^r - 1 - r) / r^2 as its Taylor series: 1/2!, 1/3!, ..., 1/13!. With |r| <= ln 2 / 2 the
  // first omitted term is below 5e-18.
  static constexpr double kCoefficients[] = {1.0 / 2,         1.0 / 6,          1.0 / 24,
                                             1.0 / 120,       1.0 / 720,        1.0 / 5040,
                                             1.0 / 40320,     1.0 / 362880,     1.0 / 3628800,
                                             1.0 / 39916800., 1.0 / 479001600., 1.0 / 6227020800.};
  const V x = clamp(d, high, -760.0, 720.0);
  const V n = nearest_integer(d, hn::Mul(x, hn::Set(d, kInverseLn2)));
  const V coarse = hn::Sub(x, hn::Mul(n, hn::Set(d, kLn2High)));
  const V r = hn::Add(hn::Sub(coarse, hn::Mul(n, hn::Set(d, kLn2Low))), low);
  const V growth = hn::Add(r, hn::Mul(hn::Mul(r, r), polynomial(d, r, kCoefficients)));
  const V half = nearest_integer(d, hn::Mul(n, hn::Set(d, 0.5)));
  const V rest = hn::Sub(n, half);
  return {growth, power_of_two(d, half), power_of_two(d, rest), power_of_two(d, hn::Neg(rest))};
}

// e^(high + low), 0 at -infinity. Lanes: double. Largest error: 2 ulp; subnormal results are
// rounded once more. Range: any high, finite low.
template <class D, class V>
HWY_INLINE V exponential(D d, V high, V low) {
  const SplitExponential<V> e = split_exponential(d, high, low);
  return hn::Mul(hn::Mul(hn::Add(hn::Set(d, 1.0), e.growth), e.first), e.second);
}

template <class D, class V>
HWY_INLINE V exponential(D d, V x) {
  return exponential(d, x, hn::Zero(d));
}

// Below this size of x the terms beyond the linear one are lost in double; they then count only for
// the side on which the exact value lies of a tie in a shorter format.
inline constexpr double kTiny = 0x1p-52;

// e^(a b), with the product taken exactly; rounded to odd where that is tiny. Lanes: double.
// Largest error: 2 ulp. Range: all a and b.
template <class D, class V>
HWY_INLINE V exponential_of_product(D d, V a, V b) {
  const Expansion<V> product = two_product(d, a, b);
  // Outside this range the result is 0 or infinite and the error term may be NaN.
  const auto moderate = hn::Lt(hn::Abs(product.high), hn::Set(d, 1024.0));
  const V other = exponential(d, product.high, hn::IfThenElseZero(moderate, product.low));
  const auto tiny = hn::Lt(hn::Abs(product.high), hn::Set(d, kTiny));
  return hn::IfThenElse(tiny, round_to_odd(d, hn::Set(d, 1.0), product.high), other);
}

// e^x - 1. Lanes: double. Largest error: 3 ulp, also where it is tiny. Range: all x.
template <class D, class V>
HWY_INLINE V expm1_double(D d, V x) {
  const SplitExponential<V> e = split_exponential(d, x, hn::Zero(d));
  const V offset = hn::Sub(e.first, e.second_inverse);
  return hn::Mul(hn::Add(hn::Mul(e.growth, e.first), offset), e.second);
}

// expm1_double(d, x), rounded to odd where x is tiny: x + x^2 / 2 lies just above x.
template <class D, class V>
HWY_INLINE V expm1_to_odd(D d, V x) {
  const auto tiny = hn::Lt(hn::Abs(x), hn::Set(d, kTiny));
  return hn::IfThenElse(tiny, round_to_odd(d, x, hn::Abs(x)), expm1_double(d, x));
}

// ---- Float --------------------------------------------------------------------------------------

// (e^r - 1 - r) / r^2
template <class D, class V, size_t kTerms>
HWY_INLINE V growth_beyond_linear(D d, V r, const float (&coefficients)[kTerms]) {
  V p = hn::Set(d, coefficients[kTerms - 1]);
  for (size_t k = kTerms - 1; k-- > 0;) p = mul_add(d, r, p, hn::Set(d, coefficients[k]));
  return p;
}
template <class D, class V>
HWY_INLINE V growth_beyond_linear(D d, V r) {
  return growth_beyond_linear(d, r, kGrowth);
}

// e^x in the cheapest parts, which formulas combine as precisely as their error bounds ask:
// e^x = 2^n e^(r + n kLn2Excess), |r| < 0.35, r without an error.
template <class V>
struct ShortReduction {
  V sum;  // 2^n as the exponent of a float stands in its low bits
  V n;
  V r;
};

// |x| for which 2^n is a normal number.
inline constexpr float kExponentialLimit = 87.0f;

inline constexpr float kLn2Excess = 0x1.05c610p-29f;  // of the nearest float over ln 2

// Lanes: float. r is exact. Range: |x| < 2^21; 2^n is power_of() for -87 < x < 88.
template <class D, class V>
HWY_INLINE ShortReduction<V> reduce_shortly(D d, V x) {
  constexpr float kInverseLn2 = 0x1.715476p+0f;
  constexpr float kNearestLn2 = 0x1.62e430p-1f;
  const V magic = hn::Set(d, kFloatMagic + 127);
  const V sum = mul_add(d, x, hn::Set(d, kInverseLn2), magic);
  const V n = hn::Sub(sum, magic);
  // The product and x are multiples of 2^-25, or n is 0: the difference is a float.
  return {sum, n, mul_add(d, n, hn::Set(d, -kNearestLn2), x)};
}

// 2^n
template <class D, class V>
HWY_INLINE V power_of(D d, const ShortReduction<V>& reduced) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, reduced.sum)));
}

// e^x = 2^n (1 + growth). Error of the growth: about half an ulp of its own.
template <class V>
struct GrownPower {
  V n;
  V growth;
  V power;  // 2^n
};

// Lanes: float. Range: |x| <= kExponentialLimit; n and growth as far as |x| < 2^21.
template <class D, class V>
HWY_INLINE GrownPower<V> grown_power(D d, V x) {
  const ShortReduction<V> e = reduce_shortly(d, x);
  const V r = mul_add(d, e.n, hn::Set(d, kLn2Excess), e.r);
  const V growth = mul_add(d, hn::Mul(r, r), growth_beyond_linear(d, r, kShortGrowth), r);
  return {e.n, growth, power_of(d, e)};
}

// Up to this |x|, e^x and its inverse are normal numbers, and so is what a rounding takes from
// them.
inline constexpr float kNearLimit = 60.0f;

// Added to x, this keeps the squares of tiny ones from being subnormal, which is slow on some
// processors. e^x and 1 + x do not change by it.
inline constexpr float kAboveTiny = 0x1p-60f;

// near(x) where |x| <= kNearLimit, far(x) elsewhere.
template <class D, class V, class Near, class Far>
HWY_INLINE V by_size(D d, V x, const Near& near, const Far& far) {
  const V limit = hn::Set(d, kNearLimit);
  const auto is_near = hn::Le(hn::Abs(x), limit);
  if (HWY_LIKELY(hn::AllTrue(d, is_near))) return near(x);
  return hn::IfThenElse(is_near, near(hn::IfThenElseZero(is_near, x)), far(x));
}

// Below this, 1 + e^x is 1 in a float with a low part, too.
inline constexpr float kVanishingExponential = -40.0f;

// Between this and 0, e^x - 1 is x in a float.
inline constexpr float kLinearGrowth = -0x1p-30f;

// e^(r + rest) - 1 - r
template <class D, class V>
HWY_INLINE V beyond_linear(D d, V r, V rest) {
  const V square = hn::Mul(r, r);
  const V growth = growth_beyond_linear(d, r);
  const V scaled_rest = mul_add(d, rest, mul_add(d, square, growth, r), rest);
  return mul_add(d, square, growth, scaled_rest);
}
template <class D, class V>
HWY_INLINE V beyond_linear(D d, V r) {
  return hn::Mul(hn::Mul(r, r), growth_beyond_linear(d, r));
}

// e^x - 1 in two parts, or e^(x + rest) - 1 with `rest` far below x. Lanes: float. Largest error of
// the sum: 2^-25 of it. Range: kVanishingExponential to 0.
template <class D, class V, class... Rest>
HWY_INLINE Expansion<V> expm1_double_float(D d, V x, Rest... rest) {
  const auto e = reduce_shortly(d, x);
  const V power = power_of(d, e);
  const V offset = hn::Sub(power, hn::Set(d, 1.0f));
  const V high = mul_add(d, power, e.r, offset);
  const V low = mul_add(d, power, e.r, hn::Sub(offset, high));  // what that rounding lost
  return {high, mul_add(d, power, beyond_linear(d, e.r, rest...), low)};
}

// x clamped to [low, high], and 0 where 1 + x is 1: subnormal numbers are slow on some processors.
// NaN stays NaN.
template <class D, class V>
HWY_INLINE V clamp_or_zero(D d, V x, float low, float high) {
  const auto tiny = hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-60f));
  const V bounded = smaller(hn::Set(d, high), larger(hn::Set(d, low), x));
  return hn::IfThenZeroElse(tiny, bounded);
}

// e^x = 2^n (1 + r + beyond), for |x| up to 200.
template <class V>
struct ExpParts {
  V n;
  V r;
  V beyond;
};
template <class D, class V>
HWY_INLINE ExpParts<V> exp_parts(D d, V x) {
  const ShortReduction<V> e = reduce_shortly(d, x);  // n and r hold beyond its range of 2^n
  return {e.n, e.r, beyond_linear(d, e.r, hn::Mul(e.n, hn::Set(d, kLn2Excess)))};
}

// value 2^n for integral n up to 254, rounded once, for values below 2^10 where n is below -100.
// Subnormal results are put together from integers: operations that give them take many times as
// long on some processors. A vector that has none of those, no overflow and no NaN is scaled by a
// multiplication, with the same results.
template <class D, class V>
HWY_INLINE V scale_by_power(D d, V value, V n) {
  const auto plain = hn::And(hn::Ge(n, hn::Set(d, -100.0f)), hn::Le(n, hn::Set(d, 127.0f)));
  if (HWY_LIKELY(hn::AllTrue(d, plain))) return hn::Mul(value, power_of_two(d, n));
  const hn::RebindToSigned<D> di;
  n = larger(hn::Set(d, -160.0f), n);  // the result is 0 then
  const auto low = hn::Lt(n, hn::Set(d, -100.0f));
  const V lift = hn::IfThenElseZero(low, hn::Set(d, 149.0f));  // 2^-149 is the unit of subnormals
  const auto whole = hn::ConvertTo(di, hn::Add(n, lift));
  const auto half = hn::ShiftRight<1>(whole);
  const auto power = [&](auto k) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  };
  const V lifted = hn::Mul(hn::Mul(value, power(half)), power(hn::Sub(whole, half)));
  const V size = hn::Abs(lifted);
  const V end = hn::Set(d, 0x1p23f);
  const auto units = hn::Sub(hn::BitCast(di, hn::Add(size, end)), hn::BitCast(di, end));
  const auto sunk = hn::Sub(hn::BitCast(di, lifted), hn::ShiftLeft<23>(hn::ConvertTo(di, lift)));
  const V subnormal = hn::CopySign(hn::BitCast(d, units), value);
  const V result = hn::IfThenElse(hn::And(low, hn::Lt(size, end)), subnormal, hn::BitCast(d, sunk));
  return hn::IfThenElse(hn::IsNaN(value), value, result);
}

inline constexpr float kLowestShortExponential = -69.0f;  // e^x for |x| below 100 ln 2

// Lanes: float. Largest error: 1.5 ulp. Range: kLowestShortExponential to 0, NaN with any result.
template <class D, class V>
HWY_INLINE V short_exponential(D d, V x) {
  const ShortReduction<V> e = reduce_shortly(d, x);
  const V r = mul_add(d, e.n, hn::Set(d, kLn2Excess), e.r);
  const V p = growth_beyond_linear(d, r, kShortGrowth);
  const V one = hn::Set(d, 1.0f);
  const V mantissa = mul_add(d, r, mul_add(d, r, p, one), one);
  return hn::Mul(mantissa, power_of(d, e));
}

// value e^(r + n kLn2Excess), or with a rest beside that, for a number and for one in two parts.
// The growth is rounded once: a second time would be more than FLOAT's bound of 1 ulp.
template <class D, class V>
HWY_INLINE V grown(D d, V value, const ShortReduction<V>& e) {
  const V rest = hn::Mul(e.n, hn::Set(d, kLn2Excess));
  const V r = hn::Add(e.r, rest);
  const V beyond = mul_add(d, hn::Mul(r, r), growth_beyond_linear(d, r, kShortGrowth), rest);
  return mul_add(d, value, hn::Add(e.r, beyond), value);
}
template <class D, class V>
HWY_INLINE V grown(D d, Expansion<V> value, const ShortReduction<V>& e, V rest) {
  const V beyond = beyond_linear(d, e.r, mul_add(d, e.n, hn::Set(d, kLn2Excess), rest));
  const V low = mul_add(d, value.high, beyond, value.low);
  return hn::Add(value.high, mul_add(d, value.high, e.r, low));
}
template <class V>
HWY_INLINE V high_part(V value) {
  return value;
}
template <class V>
HWY_INLINE V high_part(Expansion<V> value) {
  return value.high;
}

// result = g e^x, or g e^(x + rest), for numbers g of any size and x from -170 to 0 or NaN, with
// the sign of g. `factor` is a positive multiple of g, perhaps in two parts, of which the product
// is meant. Lanes: float. Largest error: 1.2 ulp, 1 ulp where the factor is 1. Rounded once more
// only where the result is subnormal. Returns whether all lanes are valid; clears those of `valid`
// whose factor is too large for what is computed here: 2^9 where the result may underflow, 2^64
// where it overflows.
template <class D, class V, class Factor, class M, class... Rest>
HWY_INLINE bool times_exponential(D d, V g, Factor factor, V x, V& result, M& valid, Rest... rest) {
  const ShortReduction<V> e = reduce_shortly(d, x);
  const V sum = grown(d, factor, e, rest...);
  result = hn::CopySign(hn::Mul(sum, power_of(d, e)), g);
  // One comparison for both: this is NaN where the sum is not finite.
  const V n_if_finite = mul_add(d, sum, hn::Zero(d), e.n);
  const auto usual = hn::Ge(n_if_finite, hn::Set(d, -100.0f));
  if (HWY_LIKELY(hn::AllTrue(d, usual))) return true;
  const V size = hn::Abs(high_part(factor));
  const auto small = hn::Lt(size, hn::Set(d, 0x1p9f));
  const auto vanishes = hn::And(hn::Lt(n_if_finite, hn::Set(d, -160.0f)), small);
  result = hn::IfThenElse(vanishes, hn::CopySign(hn::Zero(d), g), result);
  if (hn::AllTrue(d, hn::Or(usual, vanishes))) return true;
  const V any = hn::IfThenElse(hn::IsNaN(sum), hn::Add(g, hn::Sub(x, x)), sum);
  const auto lost =
      hn::And(hn::Ge(size, hn::Set(d, 0x1p64f)), hn::AndNot(hn::IsFinite(sum), hn::IsFinite(g)));
  const auto below = hn::AndNot(small, hn::Lt(e.n, hn::Set(d, -100.0f)));
  valid = hn::Not(hn::Or(lost, below));
  const V other = hn::CopySign(scale_by_power(d, any, e.n), g);
  result = hn::IfThenElse(usual, result, other);
  return hn::AllTrue(d, valid);
}

// ---- Functions ----------------------------------------------------------------------------------

// e^x. Lanes: float, double. Largest error: 1.5 ulp, 2 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V exp(D d, V x) {
  if constexpr (kIsFloat<D>) {
    return by_size(
        d, x,
        [&](V near) HWY_ATTR {
          const auto e = grown_power(d, hn::Add(near, hn::Set(d, kAboveTiny)));
          return mul_add(d, e.power, e.growth, e.power);
        },
        [&](V far) HWY_ATTR {
          const auto e =
              grown_power(d, smaller(hn::Set(d, 89.0f), larger(hn::Set(d, -104.0f), far)));
          return scale_by_power(d, hn::Add(hn::Set(d, 1.0f), e.growth), e.n);
        });
  } else {
    return exponential(d, x);
  }
}

// e^x - 1. Lanes: float, double. Largest error: 1.5 ulp, 3 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V expm1(D d, V x) {
  if constexpr (kIsFloat<D>) {
    const auto e = exp_parts(d, clamp_or_zero(d, x, -40.0f, 89.0f));
    // Float16 of everything, as 2^n may be 2^128.
    const V power = power_of_two(d, hn::Sub(e.n, hn::Set(d, 1.0f)));
    const V offset = hn::Sub(power, hn::Set(d, 0.5f));
    const V high = mul_add(d, power, e.r, offset);
    const V low = mul_add(d, power, e.r, hn::Sub(offset, high));
    const V half = hn::Add(high, mul_add(d, power, e.beyond, low));
    const auto tiny = hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-24f));
    return hn::IfThenElse(tiny, x, hn::Add(half, half));
  } else {
    return hn::CopySign(expm1_double(d, x), x);
  }
}

// Lanes: float, double. Largest error: 2 ulp, 3 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V tanh(D d, V x) {
  if constexpr (kIsFloat<D>) {
    // (e^(-2|x|) - 1) / (e^(-2|x|) + 1), each rounded once.
    // Where x^3/3 does not count the result is x: the squares of such would be subnormal.
    const auto tiny = hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-13f));
    const V twice = hn::Mul(hn::IfThenElse(tiny, hn::Set(d, 1.0f), hn::Abs(x)), hn::Set(d, -2.0f));
    const auto e = grown_power(d, larger(hn::Set(d, -40.0f), twice));
    const V one = hn::Set(d, 1.0f);
    const V size = hn::Div(mul_add(d, e.power, e.growth, hn::Sub(e.power, one)),
                           mul_add(d, e.power, e.growth, hn::Add(e.power, one)));
    return hn::IfThenElse(tiny, x, hn::CopySign(size, x));
  } else {
    // With t = e^(-2|x|) - 1: t / (2 + t).
    const V t = expm1_double(d, hn::Mul(hn::Abs(x), hn::Set(d, -2.0)));
    return hn::CopySign(hn::Div(t, hn::Add(hn::Set(d, 2.0), t)), x);
  }
}

// ---- Roots --------------------------------------------------------------------------------------

// 1 / sqrt(x). Lanes: float, double. Largest error: 1.5 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V rsqrt(D d, V x) {
  return hn::Div(hn::Set(d, hn::TFromD<D>{1}), hn::Sqrt(x));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
