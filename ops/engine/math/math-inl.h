// SPDX-License-Identifier: Apache-2.0
// Per-target: arithmetic of vectors of float and double from which the functions of this folder and
// the formulas of kernels are made, beside those of fused-inl.h. Included by kernel files inside
// Highway's foreach_target loop.
//
// Every instruction set gives the same bits: doubles are added and multiplied one by one, without a
// fused multiply-add but in two_product, whose result is exact either way; floats and sums of
// products have it everywhere. A formula in float carries its result as the sum of two up to its
// last operation, which rounds once.
#if defined(ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/engine/math/fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using Floats = hn::Vec<FloatTag>;
using FloatMask = hn::Mask<FloatTag>;

// A number as a vector of either type.
template <class D>
HWY_INLINE hn::Vec<D> set(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}
template <class D>
HWY_INLINE hn::Vec<D> one(D d) {
  return hn::Set(d, hn::TFromD<D>{1});
}

// ---- Building blocks ----------------------------------------------------------------------------

// The larger and the smaller of two, and b if either is NaN. x86 has that as one instruction; Arm's
// and the portable ones give the number.
template <class V>
HWY_INLINE V larger(V a, V b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Max(a, b);
#else
  return hn::IfThenElse(hn::Gt(a, b), a, b);
#endif
}
template <class V>
HWY_INLINE V smaller(V a, V b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Min(a, b);
#else
  return hn::IfThenElse(hn::Lt(a, b), a, b);
#endif
}

// factor * (value.high + value.low), rounded to odd: for results that may lie at a tie of a shorter
// format but for their last digits.
template <class D, class V>
HWY_INLINE V multiply_to_odd(D d, V factor, Expansion<V> value) {
  const Expansion<V> product = two_product(d, factor, value.high);
  return round_to_odd(d, product.high, hn::Add(product.low, hn::Mul(factor, value.low)));
}

// c[0] + c[1] x + ... for an even number of coefficients; even and odd powers run side by side.
template <class D, class V, size_t kCount>
HWY_INLINE V polynomial(D d, V x, const double (&c)[kCount]) {
  static_assert(kCount % 2 == 0);
  const V square = hn::Mul(x, x);
  V even = hn::Set(d, c[kCount - 2]);
  V odd = hn::Set(d, c[kCount - 1]);
  for (size_t k = kCount - 2; k > 0; k -= 2) {
    even = hn::Add(hn::Mul(even, square), hn::Set(d, c[k - 2]));
    odd = hn::Add(hn::Mul(odd, square), hn::Set(d, c[k - 1]));
  }
  return hn::Add(even, hn::Mul(odd, x));
}

// Adding one to a number of moderate size leaves the nearest integer in the low bits of the sum.
inline constexpr double kIntegerMagic = 0x1.8p52;
inline constexpr float kFloatMagic = 0x1.8p23f;

template <class D, class V>
HWY_INLINE V nearest_integer(D d, V x) {
  const V magic = hn::Set(d, kIntegerMagic);
  return hn::Sub(hn::Add(x, magic), magic);
}

// 2^n for integral n. Lanes: float, double. Range: where that is a normal number.
template <class D, class V>
HWY_INLINE V power_of_two(D d, V n) {
  const hn::RebindToUnsigned<D> du;
  const V biased = kIsFloat<D> ? set(d, kFloatMagic + 127) : set(d, kIntegerMagic + 1023);
  return hn::BitCast(d,
                     hn::ShiftLeft < kIsFloat<D> ? 23 : 52 > (hn::BitCast(du, hn::Add(n, biased))));
}

// x clamped to [low, high]; NaN stays NaN, which Min and Max do not promise.
template <class D, class V>
HWY_INLINE V clamp(D d, V x, double low, double high) {
  const V bottom = hn::Set(d, low);
  const V top = hn::Set(d, high);
  return hn::IfThenElse(hn::Lt(x, bottom), bottom, hn::IfThenElse(hn::Gt(x, top), top, x));
}

// ---- Floats -------------------------------------------------------------------------------------

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
HWY_INLINE V multiply_elements(D d, V a, V b) {
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
HWY_INLINE V multiply_nonzero(D d, Expansion<V> a, Expansion<V> b) {
  return mul_add(d, a.high, b.high, mul_add(d, a.high, b.low, hn::Mul(a.low, b.high)));
}

// The product of two sums, rounded once but for the far smaller parts; at 0 with the sign of
// the product of the high parts, which the sum of several zeros would not keep.
template <class D, class V>
HWY_INLINE V multiply_once(D d, Expansion<V> a, Expansion<V> b) {
  return hn::CopySign(multiply_nonzero(d, a, b), hn::Xor(a.high, b.high));
}
template <class D, class V>
HWY_INLINE V multiply_once(D d, V a, Expansion<V> b) {
  return hn::CopySign(mul_add(d, a, b.high, hn::Mul(a, b.low)), hn::Xor(a, b.high));
}

// multiply_once(d, a, b) for any a and b. The low parts of infinite numbers may be NaN.
template <class D, class V>
HWY_INLINE V multiply_once_any(D d, Expansion<V> a, Expansion<V> b) {
  const V result = multiply_once(d, a, b);
  return hn::IfThenElse(hn::IsNaN(result), hn::Mul(a.high, b.high), result);
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

// An inexact, finite result with its last bit set, which
// Outputs::kWithin5UlpOrExact wants.
template <class D, class V>
HWY_INLINE V inexact(D d, V value) {
  return hn::Or(value, hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 1u)));
}

// inexact(d, value) unless the result is exact: unless `rests`, the rounding errors of its
// operations (of several the first that is not 0), is 0, or is infinite or NaN, as infinite results
// leave it.
template <class D, class V>
HWY_INLINE V inexact_if(D d, V rests, V value) {
  const V size = hn::Abs(rests);
  const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto any = hn::And(hn::Gt(size, hn::Zero(d)), hn::Lt(size, infinity));
  return hn::IfThenElse(any, inexact(d, value), value);
}

// The first rest that is not 0, if any. Their bits or-ed could be those of an infinity.
template <class D, class V>
HWY_INLINE V any_rest(D d, V a, V b) {
  return hn::IfThenElse(hn::Eq(a, hn::Zero(d)), b, a);
}

// factor value; with kMayBeExact as Outputs::kWithin5UlpOrExact wants it. `rest`, where given, is
// not 0 where the value is not exact.
template <bool kMayBeExact, class D, class V, class... Rest>
HWY_INLINE V multiply_marked(D d, V factor, V value, Rest... rest) {
  const V product = hn::Mul(factor, value);
  if constexpr (kMayBeExact && kIsFloat<D>) {
    V lost = mul_sub(d, factor, value, product);
    ((lost = any_rest(d, lost, rest)), ...);
    return inexact_if(d, lost, product);
  } else {
    return product;
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
