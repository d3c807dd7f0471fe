// SPDX-License-Identifier: Apache-2.0
// Per-target: fused multiply-add for every instruction set, and what it is made of where there is
// no instruction for it: sums of two numbers (a double-float, a double-double), rounding to odd.
// Included by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_ENGINE_MATH_FUSED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_FUSED_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_FUSED_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_FUSED_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/engine/math/round_to_odd.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
inline constexpr bool kIsFloat = std::is_same_v<hn::TFromD<D>, float>;

// A number as the unevaluated sum of two of its type, the second much smaller: a double-double of
// doubles, a double-float of floats.
template <class V>
struct Expansion {
  V high;
  V low;
};

// a = high + low with 26 bits each, sign included (Veltkamp). For |a| < 2^996.
template <class D, class V>
HWY_INLINE Expansion<V> split(D d, V a) {
  const V scaled = hn::Mul(a, hn::Set(d, 134217729.0));  // 2^27 + 1
  const V high = hn::Sub(scaled, hn::Sub(scaled, a));
  return {high, hn::Sub(a, high)};
}

// a + b without error (Knuth).
template <class V>
HWY_INLINE Expansion<V> two_sum(V a, V b) {
  const V sum = hn::Add(a, b);
  const V b_part = hn::Sub(sum, a);
  const V a_part = hn::Sub(sum, b_part);
  return {sum, hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part))};
}

// `value`, or its neighbour on the side of `rest` when that is not 0 and the last bit of `value` is
// 0: the exact value + rest, of which the type holds no more, "rounded to odd". Rounding that to a
// shorter format gives what rounding the exact sum would give, even where `value` is a tie there.
template <class D, class V>
HWY_INLINE V round_to_odd(D d, V value, V rest) {
  const hn::RebindToSigned<D> di;
  const V zero = hn::Zero(d);
  const auto one = hn::Set(di, hn::TFromD<decltype(di)>{1});
  const auto bits = hn::BitCast(di, value);
  const auto outwards =
      hn::Gt(hn::CopySign(hn::Set(d, hn::TFromD<D>{1}), hn::Xor(value, rest)), zero);
  const auto inexact = hn::Or(hn::Lt(rest, zero), hn::Gt(rest, zero));
  const auto step = hn::Sub(one, hn::And(bits, one));
  const V outer = hn::BitCast(d, hn::Add(bits, step));
  const V inner = hn::BitCast(d, hn::Sub(bits, step));
  return hn::IfThenElse(inexact, hn::IfThenElse(outwards, outer, inner), value);
}

// ---- Fused multiply-add -------------------------------------------------------------------------

#if !HWY_NATIVE_FMA && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
// A product of floats is exact in double. Its sum with a float is rounded there, and again to
// float: the second time wrongly where the first has made a middle between two floats. `low_words`
// are the low halves of such sums, which show a middle, `rounded` the floats: the middle of two
// subnormal ones lies elsewhere. What is exact is found, too, as numbers of a few bits often make a
// middle.
template <class D>
HWY_INLINE bool may_be_wrong(D, hn::Vec<hn::RebindToUnsigned<D>> low_words, hn::Vec<D> rounded) {
  const hn::RebindToUnsigned<D> du;
  const auto lost = hn::And(low_words, hn::Set(du, (1u << 29) - 1));
  const auto middle = hn::Eq(lost, hn::Set(du, 1u << 28));
  // From 1 up to the smallest normal number; 0 is exact.
  const auto size = hn::BitCast(du, hn::Abs(rounded));
  const auto subnormal = hn::Lt(hn::Sub(size, hn::Set(du, 1u)), hn::Set(du, 0x00800000u));
  return !hn::AllFalse(du, hn::Or(middle, subnormal));
}

// The nearest floats to product + added, both of doubles.
template <class D, class V>
HWY_INLINE hn::Vec<D> nearest_sum(D d, V product, V added) {
  const auto sum = two_sum(product, added);
  return hn::DemoteTo(d, round_to_odd(hn::Rebind<double, D>(), sum.high, sum.low));
}
template <class D, class V>
HWY_NOINLINE hn::Vec<D> nearest_sums(D d, V low_product, V high_product, V low, V high) {
  const hn::Half<D> half;
  return hn::Combine(d, nearest_sum(half, high_product, high), nearest_sum(half, low_product, low));
}
#endif

#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
// Lane by lane, as conversions of the portable target end at the largest number instead of at
// infinity.
template <class D, class V>
HWY_NOINLINE V mul_add_floats(D d, V a, V b, V c) {
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
}
#elif !HWY_NATIVE_FMA
template <class D, class V>
HWY_INLINE V mul_add_floats(D d, V a, V b, V c) {
  if constexpr (hn::MaxLanes(d) == hn::MaxLanes(hn::ScalableTag<float>())) {
    const hn::Half<D> half;
    const hn::Rebind<double, decltype(half)> dd;
    const auto lower = [&](V v) HWY_ATTR { return hn::PromoteTo(dd, hn::LowerHalf(half, v)); };
    const auto upper = [&](V v) HWY_ATTR { return hn::PromoteTo(dd, hn::UpperHalf(half, v)); };
    const auto low_product = hn::Mul(lower(a), lower(b)), low = lower(c);
    const auto high_product = hn::Mul(upper(a), upper(b)), high = upper(c);
    const auto low_sum = hn::Add(low_product, low), high_sum = hn::Add(high_product, high);
    const V sum = hn::Combine(d, hn::DemoteTo(half, high_sum), hn::DemoteTo(half, low_sum));
    const hn::RebindToUnsigned<D> du;
    const auto words = hn::ConcatEven(du, hn::BitCast(du, high_sum), hn::BitCast(du, low_sum));
    if (HWY_LIKELY(!may_be_wrong(d, words, sum))) return sum;
    return nearest_sums(d, low_product, high_product, low, high);
  } else {
    const hn::Rebind<double, D> dd;
    return nearest_sum(d, hn::Mul(hn::PromoteTo(dd, a), hn::PromoteTo(dd, b)),
                       hn::PromoteTo(dd, c));
  }
}
#endif

#if !HWY_NATIVE_FMA
template <class D, class V>
HWY_NOINLINE V mul_add_doubles(D d, V a, V b, V c);
#endif

// a b + c, rounded once. Where there is no instruction for it, a product of floats, which is exact
// in double, and c are added in double, rounded to odd where rounding that to float would round
// twice; of doubles the exact product and sum are formed, for products that stay away from the ends
// of the exponent range.
template <class D, class V>
HWY_INLINE V mul_add(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  if constexpr (kIsFloat<D>) {
    return mul_add_floats(d, a, b, c);
  } else {
    return mul_add_doubles(d, a, b, c);
  }
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

// a b as high + low, without error unless the product comes near the ends of the exponent range.
template <class D, class V>
HWY_INLINE Expansion<V> two_product(D d, V a, V b) {
  const V high = hn::Mul(a, b);
  if constexpr (kIsFloat<D> || HWY_NATIVE_FMA) {
    return {high, mul_sub(d, a, b, high)};
  } else {
    const Expansion<V> x = split(d, a);
    const Expansion<V> y = split(d, b);
    const V error = hn::Sub(hn::Mul(x.high, y.high), high);
    const V cross = hn::Add(hn::Add(error, hn::Mul(x.high, y.low)), hn::Mul(x.low, y.high));
    return {high, hn::Add(cross, hn::Mul(x.low, y.low))};
  }
}

#if !HWY_NATIVE_FMA
// Boldo and Melquiond 2008: the exact sum, rounded to odd before the last addition.
template <class D, class V>
HWY_NOINLINE V mul_add_doubles(D d, V a, V b, V c) {
  const Expansion<V> product = two_product(d, a, b);
  const Expansion<V> low = two_sum(c, product.low);
  const Expansion<V> high = two_sum(product.high, low.high);
  const Expansion<V> rest = two_sum(low.low, high.low);
  const V exact = hn::Add(high.high, round_to_odd(d, rest.high, rest.low));
  // NaN and infinities leave NaN in the error terms.
  return hn::IfThenElse(hn::IsNaN(exact), hn::Add(product.high, c), exact);
}
#endif

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
