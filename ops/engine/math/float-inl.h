// SPDX-License-Identifier: Apache-2.0
// Per-target: building blocks for formulas on vectors of float. A result is carried as the sum of
// two floats up to its last operation, which rounds once.
//
// Every instruction set gives the same bits: where there is no fused multiply-add, fused() is
// computed in double, rounded to odd, and so comes out the same.
#if defined(ACLGRAD_OPS_ENGINE_MATH_FLOAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_FLOAT_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_FLOAT_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_FLOAT_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/engine/dtype/rounding.h"
#include "ops/engine/math/exponential_table.h"
#include "ops/engine/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatTag>;
using FloatMask = hn::Mask<FloatTag>;

// ---- Fused multiply-add -------------------------------------------------------------------------

// a b + c, rounded once.
template <class D, class V>
HWY_INLINE V fused(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  // A product of floats is exact in double, and so is a sum of doubles rounded to odd as far as a
  // float can tell.
  alignas(64) float x[hn::MaxLanes(d)];
  alignas(64) float y[hn::MaxLanes(d)];
  alignas(64) float z[hn::MaxLanes(d)];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    const double product = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    z[i] = static_cast<float>(add_to_odd(product, static_cast<double>(z[i])));
  }
  return hn::Load(d, z);
#endif
}

// a b - c, rounded once.
template <class D, class V>
HWY_INLINE V fused_minus(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(a, b, c);
#else
  return fused(d, a, b, hn::Neg(c));
#endif
}

// a b as high + low. Exact but for results near the ends of the exponent range.
template <class D, class V>
HWY_INLINE DoubleFloat<V> double_float_product(D d, V a, V b) {
  const V high = hn::Mul(a, b);
  return {high, fused_minus(d, a, b, high)};
}

template <class M, class V>
HWY_INLINE DoubleFloat<V> if_then_else(M mask, std::type_identity_t<DoubleFloat<V>> yes,
                                       DoubleFloat<V> no) {
  return {hn::IfThenElse(mask, yes.high, no.high), hn::IfThenElse(mask, yes.low, no.low)};
}

// x + constant without error, for -2 constant <= x <= constant.
template <class D, class V>
HWY_INLINE DoubleFloat<V> sum_with_larger(D d, V x, float constant) {
  const V sum = hn::Add(x, hn::Set(d, constant));
  return {sum, hn::Sub(x, hn::Sub(sum, hn::Set(d, constant)))};
}

// high + low of `value` again, such that high is nearest to the sum. Where high is not 0 it must be
// the larger part.
template <class V>
HWY_INLINE DoubleFloat<V> normalized(DoubleFloat<V> value) {
  const V high = hn::Add(value.high, value.low);
  return {high, hn::Sub(value.low, hn::Sub(high, value.high))};
}

// x rounded to a multiple of 2^-23 of the power of two that `least` is 3/2 of: x itself where it is
// much larger, 0 where it is much smaller. For numbers that do not count when they are tiny, but
// whose products would be subnormal then, which is slow.
template <class D, class V>
HWY_INLINE V without_tiny(D d, V x, float least) {
  return hn::Sub(hn::Add(x, hn::Set(d, least)), hn::Set(d, least));
}

// A double constant as two floats.
struct DoubleFloatConstant {
  float high;
  float low;
  constexpr explicit DoubleFloatConstant(double value)
      : high(static_cast<float>(value)),
        low(static_cast<float>(value - static_cast<double>(high))) {}

  // Of a positive value, with low >= 0: products with a zero keep its sign.
  static constexpr DoubleFloatConstant from_below(double value) {
    DoubleFloatConstant result(value);
    if (result.low < 0) {
      result.high = std::bit_cast<float>(std::bit_cast<uint32_t>(result.high) - 1);
      result.low = static_cast<float>(value - static_cast<double>(result.high));
    }
    return result;
  }
};

// The product of two sums, rounded once but for the far smaller parts. Where it is 0 the sign may
// be that of neither.
template <class D, class V>
HWY_INLINE V unsigned_product(D d, DoubleFloat<V> a, DoubleFloat<V> b) {
  return fused(d, a.high, b.high, fused(d, a.high, b.low, hn::Mul(a.low, b.high)));
}

// The product of two sums, rounded once but for the far smaller parts; at 0 with the sign of
// the product of the high parts, which the sum of several zeros would not keep.
template <class D, class V>
HWY_INLINE V product(D d, DoubleFloat<V> a, DoubleFloat<V> b) {
  return hn::CopySign(unsigned_product(d, a, b), hn::Xor(a.high, b.high));
}
template <class D, class V>
HWY_INLINE V product(D d, V a, DoubleFloat<V> b) {
  return hn::CopySign(fused(d, a, b.high, hn::Mul(a, b.low)), hn::Xor(a, b.high));
}

// The same for b >= 0, whose sign then is a's.
template <class D, class V>
HWY_INLINE V product_by_positive(D d, V a, DoubleFloat<V> b) {
  return hn::CopySign(fused(d, a, b.high, hn::Mul(a, b.low)), a);
}

// The same for any numbers, infinities among them, whose low parts may be NaN.
template <class D, class V>
HWY_INLINE V product_of_any(D d, DoubleFloat<V> a, DoubleFloat<V> b) {
  const V result = product(d, a, b);
  return hn::IfThenElse(hn::IsNaN(result), hn::Mul(a.high, b.high), result);
}
// So, where b.high need not be the larger part either.
template <class D, class V>
HWY_INLINE V product_of_any(D d, V a, DoubleFloat<V> b) {
  const V sum = hn::Add(b.high, b.low);
  const V plain = hn::Mul(a, hn::IfThenElse(hn::IsNaN(sum), b.high, sum));
  const V result = fused(d, a, b.high, hn::Mul(a, b.low));
  return hn::IfThenElse(hn::IsNaN(result), plain, hn::CopySign(result, plain));
}

template <class D>
HWY_INLINE DoubleFloat<hn::Vec<D>> double_float(D d, DoubleFloatConstant value) {
  return {hn::Set(d, value.high), hn::Set(d, value.low)};
}

// A constant times value, but for the product of the two low parts.
template <class D, class V>
HWY_INLINE DoubleFloat<V> scaled(D d, DoubleFloatConstant factor, DoubleFloat<V> value) {
  const V high = hn::Mul(hn::Set(d, factor.high), value.high);
  V low = fused_minus(d, hn::Set(d, factor.high), value.high, high);
  low = fused(d, hn::Set(d, factor.high), value.low, low);
  return {high, fused(d, hn::Set(d, factor.low), value.high, low)};
}

// The result of a formula that is not exact, such that it is never in the very middle between two
// 16-bit elements: for Outputs::kNearOrExact.
template <class D, class V>
HWY_INLINE V inexact(D d, V value) {
  return hn::Or(value, hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 1u)));
}

// The same where it may be exact: it is if `rests`, the rests of its operations or the bits of all
// of them together, are 0; or infinite or NaN, which infinite results leave.
template <class D, class V>
HWY_INLINE V inexact_if(D d, V rests, V value) {
  const V size = hn::Abs(rests);
  const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto any = hn::And(hn::Gt(size, hn::Zero(d)), hn::Lt(size, infinity));
  return hn::IfThenElse(any, inexact(d, value), value);
}

// ---- Exponentials -------------------------------------------------------------------------------

// Adding it to a number of moderate size leaves the nearest integer in the low bits of the sum.
inline constexpr float kFloatMagic = 0x1.8p23f;

// What kLn2High in reduce_argument leaves out of ln 2.
inline constexpr float kFloatLn2Low = 0x1.7f7d1cp-20f;

// 2^n for integral n; within the range of normal numbers.
template <class D, class V>
HWY_INLINE V float_power_of_two(D d, V n) {
  const hn::RebindToSigned<D> di;
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, hn::Add(n, hn::Set(d, kFloatMagic))));
  return hn::BitCast(d, hn::Add(exponent, hn::Set(di, 0x3f800000)));
}

// (e^r - 1 - r) / r^2
template <class D, class V>
HWY_INLINE V growth_beyond_linear(D d, V r) {
  constexpr size_t kTerms = std::size(kGrowth);
  V p = hn::Set(d, kGrowth[kTerms - 1]);
  for (size_t k = kTerms - 1; k-- > 0;) p = fused(d, r, p, hn::Set(d, kGrowth[k]));
  return p;
}

// e^x in the cheapest parts, for formulas that know how exact they need to be:
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

// For -87 < x < 88; otherwise the parts mean nothing.
template <class D, class V>
HWY_INLINE ShortReduction<V> reduce_shortly(D d, V x) {
  constexpr float kInverseLn2 = 0x1.715476p+0f;
  constexpr float kNearestLn2 = 0x1.62e430p-1f;
  const V magic = hn::Set(d, kFloatMagic + 127);
  const V sum = fused(d, x, hn::Set(d, kInverseLn2), magic);
  const V n = hn::Sub(sum, magic);
  // The product and x are multiples of 2^-25, or n is 0: the difference is a float.
  return {sum, n, fused(d, n, hn::Set(d, -kNearestLn2), x)};
}

// 2^n
template <class D, class V>
HWY_INLINE V power_of(D d, const ShortReduction<V>& reduced) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, reduced.sum)));
}

// Where e^x no longer counts beside 1 in a float, twice over.
inline constexpr float kVanishingExponential = -40.0f;

// Nearer to 0, e^x - 1 is x for a float.
inline constexpr float kLinearGrowth = -0x1p-30f;

// x where expm1_double_float() is needed, else the next such number: squares of smaller ones
// would be subnormal, which is slow.
template <class D, class V>
HWY_INLINE V held_for_growth(D d, V x) {
  return hn::Min(hn::Max(x, hn::Set(d, kVanishingExponential)), hn::Set(d, kLinearGrowth));
}

// What stands beyond 1 + r in e^(r + rest).
template <class D, class V>
HWY_INLINE V beyond_linear(D d, V r, V rest) {
  const V square = hn::Mul(r, r);
  const V growth = growth_beyond_linear(d, r);
  const V scaled_rest = fused(d, rest, fused(d, square, growth, r), rest);
  return fused(d, square, growth, scaled_rest);
}
template <class D, class V>
HWY_INLINE V beyond_linear(D d, V r) {
  return hn::Mul(hn::Mul(r, r), growth_beyond_linear(d, r));
}

// e^x - 1 for x <= 0 not below kVanishingExponential, or e^(x + rest) - 1 with `rest` far below x.
// Relative error of the sum below 2^-25.
template <class D, class V, class... Rest>
HWY_INLINE DoubleFloat<V> expm1_double_float(D d, V x, Rest... rest) {
  const auto e = reduce_shortly(d, x);
  const V power = power_of(d, e);
  const V offset = hn::Sub(power, hn::Set(d, 1.0f));
  const V high = fused(d, power, e.r, offset);
  const V low = fused(d, power, e.r, hn::Sub(offset, high));  // what that rounding lost
  return {high, fused(d, power, beyond_linear(d, e.r, rest...), low)};
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
