// SPDX-License-Identifier: Apache-2.0
// Per-target: building blocks for formulas on vectors of float. A result is carried as the sum of
// two floats up to its last operation, which rounds once.
//
// Every instruction set gives the same bits: where there is no fused multiply-add, mul_add() is
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
#include "ops/engine/math/exponential_table.h"
#include "ops/engine/math/math-inl.h"
#include "ops/engine/math/rounding.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatTag>;
using FloatMask = hn::Mask<FloatTag>;

// ---- Fused multiply-add -------------------------------------------------------------------------

// a b + c, rounded once.
template <class D, class V>
HWY_INLINE V mul_add(D d, V a, V b, V c) {
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
HWY_INLINE V mul_sub(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(a, b, c);
#else
  return mul_add(d, a, b, hn::Neg(c));
#endif
}

// a b as high + low. Exact but for results near the ends of the exponent range.
template <class D, class V>
HWY_INLINE Expansion<V> double_float_product(D d, V a, V b) {
  const V high = hn::Mul(a, b);
  return {high, mul_sub(d, a, b, high)};
}

template <class M, class V>
HWY_INLINE Expansion<V> if_then_else(M mask, std::type_identity_t<Expansion<V>> yes,
                                     Expansion<V> no) {
  return {hn::IfThenElse(mask, yes.high, no.high), hn::IfThenElse(mask, yes.low, no.low)};
}

// x + constant without error, for -2 constant <= x <= constant.
template <class D, class V>
HWY_INLINE Expansion<V> sum_with_larger(D d, V x, float constant) {
  const V sum = hn::Add(x, hn::Set(d, constant));
  return {sum, hn::Sub(x, hn::Sub(sum, hn::Set(d, constant)))};
}

// high + low of `value` again, such that high is nearest to the sum. Where high is not 0 it must be
// the larger part.
template <class V>
HWY_INLINE Expansion<V> normalized(Expansion<V> value) {
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

// a b for two 16-bit elements: rounded to odd among the smallest numbers of BF16, where the nearest
// float may be in the middle between two elements though the product is not.
template <class D, class V>
HWY_INLINE V product_of_elements(D d, V a, V b) {
  const V product = hn::Mul(a, b);
  const auto small = hn::Lt(hn::Abs(product), hn::Set(d, 0x1p-90f));
  if (HWY_LIKELY(hn::AllFalse(d, small))) return product;
  const V larger = hn::Set(d, 0x1p64f);
  const V exact = hn::Mul(hn::Mul(a, larger), b);  // where the product is small
  const V rest = hn::Sub(exact, hn::Mul(product, larger));
  return hn::IfThenElse(small, round_to_odd(d, product, rest), product);
}

// A double constant as two floats.
struct DoubleFloatConstant {
  float high;
  float low;
  constexpr explicit DoubleFloatConstant(double value)
      : high(static_cast<float>(value)),
        low(static_cast<float>(value - static_cast<double>(high))) {}

  // Of a positive value, with low > 0: sums of products with a zero or infinity are as they should.
  static constexpr DoubleFloatConstant from_below(double value) {
    DoubleFloatConstant result(value);
    if (result.low <= 0) {
      result.high = std::bit_cast<float>(std::bit_cast<uint32_t>(result.high) - 1);
      result.low = static_cast<float>(value - static_cast<double>(result.high));
    }
    return result;
  }
};

// The product of two sums, rounded once but for the far smaller parts. The sign of a zero is not
// determined.
template <class D, class V>
HWY_INLINE V unsigned_product(D d, Expansion<V> a, Expansion<V> b) {
  return mul_add(d, a.high, b.high, mul_add(d, a.high, b.low, hn::Mul(a.low, b.high)));
}

// The product of two sums, rounded once but for the far smaller parts; at 0 with the sign of
// the product of the high parts, which the sum of several zeros would not keep.
template <class D, class V>
HWY_INLINE V product(D d, Expansion<V> a, Expansion<V> b) {
  return hn::CopySign(unsigned_product(d, a, b), hn::Xor(a.high, b.high));
}
template <class D, class V>
HWY_INLINE V product(D d, V a, Expansion<V> b) {
  return hn::CopySign(mul_add(d, a, b.high, hn::Mul(a, b.low)), hn::Xor(a, b.high));
}

// product(d, a, b) for any a and b. The low parts of infinite numbers may be NaN.
template <class D, class V>
HWY_INLINE V product_of_any(D d, Expansion<V> a, Expansion<V> b) {
  const V result = product(d, a, b);
  return hn::IfThenElse(hn::IsNaN(result), hn::Mul(a.high, b.high), result);
}
// product_of_any() where b.high may be smaller than b.low.
template <class D, class V>
HWY_INLINE V product_of_any(D d, V a, Expansion<V> b) {
  const V sum = hn::Add(b.high, b.low);
  const V plain = hn::Mul(a, hn::IfThenElse(hn::IsNaN(sum), b.high, sum));
  const V result = mul_add(d, a, b.high, hn::Mul(a, b.low));
  return hn::IfThenElse(hn::IsNaN(result), plain, hn::CopySign(result, plain));
}

template <class D>
HWY_INLINE Expansion<hn::Vec<D>> double_float(D d, DoubleFloatConstant value) {
  return {hn::Set(d, value.high), hn::Set(d, value.low)};
}

// A constant times value, but for the product of the two low parts.
template <class D, class V>
HWY_INLINE Expansion<V> scaled(D d, DoubleFloatConstant factor, Expansion<V> value) {
  const V high = hn::Mul(hn::Set(d, factor.high), value.high);
  V low = mul_sub(d, hn::Set(d, factor.high), value.high, high);
  low = mul_add(d, hn::Set(d, factor.high), value.low, low);
  return {high, mul_add(d, hn::Set(d, factor.low), value.high, low)};
}

// An inexact, finite result with its last bit set, which Outputs::kNear wants.
template <class D, class V>
HWY_INLINE V inexact(D d, V value) {
  return hn::Or(value, hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 1u)));
}

// inexact(d, value) unless the result is exact: unless `rests`, the rounding errors of its
// operations (or the bits of several, or-ed), is 0, or is infinite or NaN, as infinite results
// leave it.
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
  for (size_t k = kTerms - 1; k-- > 0;) p = mul_add(d, r, p, hn::Set(d, kGrowth[k]));
  return p;
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

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
