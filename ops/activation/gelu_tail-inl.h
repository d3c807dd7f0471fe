// SPDX-License-Identifier: Apache-2.0
// Per-target: the lower tails of GELU and of its derivative in float, for x = -a beyond the pieces
// of gelu_pieces-inl.h, each as factor (1 + rest) e^-energy with a rest well below 1:
//
//   erf form    energy a^2/2    gelu(-a)  = -k (1 + r) e^-energy,            k = 1/sqrt(2 pi)
//                               gelu'(-a) = -k a (1 - (1 + r)/a^2) e^-energy
//               r = sum over n of kTailRest[n] / a^(2 n + 2), as the asymptotic series goes
//   tanh form   energy z(a)     gelu(-a)  = -a e (1 - e + e^2 - ...),        e = e^-energy
//                               gelu'(-a) = s (1 - (1 - s) a z'(a)),         s = e (1 - e + ...)
//
// The upper tails follow from gelu(a) = a + gelu(-a) and gelu'(a) = 1 - gelu'(-a).
#if defined(ACLGRAD_OPS_ACTIVATION_GELU_TAIL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ACTIVATION_GELU_TAIL_INL_H_
#undef ACLGRAD_OPS_ACTIVATION_GELU_TAIL_INL_H_
#else
#define ACLGRAD_OPS_ACTIVATION_GELU_TAIL_INL_H_
#endif

#include "ops/activation/gelu_tail_table.h"
#include "ops/engine/math/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Above this gelu(x) is x and gelu'(x) is 1 in a float.
inline constexpr float kUpperEnd = 7.0f;
// Factors below this size have a product with the tail at a form's kEnd that is 0 for a float.
inline constexpr float kLargestFactor = 0x1p28f;

// e^x = (1 + r + rest) power / kPowerScale, with `r` at most 0.35 in size and `rest` a fourth of
// it. The power is normal for x down to -133.
template <class V>
struct TailDecay {
  V r;
  V rest;
  V power;
};
inline constexpr int kPowerShift = 66;
inline constexpr float kInversePowerScale = 0x1p-66f;

// For x = high + low.
template <class D, class V>
HWY_INLINE TailDecay<V> tail_decay(D d, V high, V low) {
  const hn::RebindToSigned<D> di;
  const ShortReduction<V> e = reduce_shortly(d, high);
  const V rest = beyond_linear(d, e.r, mul_add(d, e.n, hn::Set(d, kLn2Excess), low));
  const auto shifted = hn::Add(hn::BitCast(di, e.sum), hn::Set(di, kPowerShift));
  return {e.r, rest, hn::BitCast(d, hn::ShiftLeft<23>(shifted))};
}

// The tail is factor base (1 + rest) e^-energy, with a factor of the caller.
template <class V>
struct TailValue {
  Expansion<V> base;
  V rest;
  TailDecay<V> decay;
};

// value / kPowerScale. Arithmetic whose result is subnormal is slow: such results are made as the
// integers that their patterns are.
template <class D, class V>
HWY_INLINE V scaled_down(D d, V value) {
  constexpr float kSmallest = 0x1p-60f;  // whose result is normal
  constexpr float kToInteger = 0x1p83f;  // 2^149 / kPowerScale
  constexpr float kInteger = 0x1p23f;    // plus an integer below it has that in its low bits
  const hn::RebindToUnsigned<D> du;
  const V size = hn::Abs(value);
  const auto tiny = hn::Lt(size, hn::Set(d, kSmallest));
  const V clamped = hn::IfThenElse(tiny, hn::Set(d, kSmallest), value);
  const V large = hn::Mul(clamped, hn::Set(d, kInversePowerScale));
  const V sum = mul_add(d, size, hn::Set(d, kToInteger), hn::Set(d, kInteger));
  const auto pattern = hn::Sub(hn::BitCast(du, sum), hn::BitCast(du, hn::Set(d, kInteger)));
  return hn::IfThenElse(tiny, hn::CopySign(hn::BitCast(d, pattern), value), large);
}

// factor base (1 + rest) e^-energy.
template <class D, class V>
HWY_INLINE V tail_product(D d, Expansion<V> factor, const TailValue<V>& tail) {
  const TailDecay<V>& e = tail.decay;
  const V one = hn::Set(d, 1.0f);
  const V high = hn::Add(one, e.r);
  const V low = hn::Sub(e.r, hn::Sub(high, one));
  // (1 + rest) (high + low + e.rest)
  const V more = mul_add(d, high, tail.rest, mul_add(d, e.rest, tail.rest, hn::Add(e.rest, low)));
  Expansion<V> scaled = two_product(d, factor.high, tail.base.high);
  scaled.low =
      mul_add(d, factor.high, tail.base.low, mul_add(d, factor.low, tail.base.high, scaled.low));
  const V product =
      mul_add(d, scaled.high, high, mul_add(d, scaled.high, more, hn::Mul(scaled.low, high)));
  return scaled_down(d, hn::Mul(product, e.power));
}

struct ErfTail {
  // The end of the tail; kLargestFactor says for which factors.
  static constexpr float kEnd = 16.25f;
  static constexpr DoubleFloatConstant kScale{-0.39894228040143267794};  // -1 / sqrt(2 pi)

  template <bool kIsSlope, class D, class V>
  static HWY_INLINE TailValue<V> at(D d, V a) {
    const V minus_half = hn::Mul(a, hn::Set(d, -0.5f));
    const Expansion<V> energy = two_product(d, minus_half, a);
    const V v = hn::Div(hn::Set(d, -0.5f), energy.high);  // 1 / a^2
    V r = hn::Set(d, kTailRest[std::size(kTailRest) - 1]);
    for (size_t n = std::size(kTailRest) - 1; n-- > 0;)
      r = mul_add(d, r, v, hn::Set(d, kTailRest[n]));
    r = hn::Mul(r, v);
    const TailDecay<V> decay = tail_decay(d, energy.high, energy.low);
    if constexpr (!kIsSlope) return {double_float(d, kScale), r, decay};
    const Expansion<V> base = scaled(d, kScale, Expansion<V>{a, hn::Zero(d)});
    return {base, hn::Neg(mul_add(d, v, r, v)), decay};
  }
};

struct TanhTail {
  static constexpr float kEnd = 11.6f;
  static constexpr DoubleFloatConstant kLinear{1.5957691216057308};  // 2 sqrt(2/pi)
  static constexpr DoubleFloatConstant kCubic{0.07135481627260025};  // 0.044715 times it

  template <bool kIsSlope, class D, class V>
  static HWY_INLINE TailValue<V> at(D d, V a) {
    const V one = hn::Set(d, 1.0f);
    const Expansion<V> square = two_product(d, a, a);
    const Expansion<V> cubic = scaled(d, kCubic, square);
    const Expansion<V> sum = two_sum(cubic.high, hn::Set(d, kLinear.high));
    const V sum_low = hn::Add(hn::Add(sum.low, cubic.low), hn::Set(d, kLinear.low));
    Expansion<V> z = two_product(d, a, sum.high);
    z.low = mul_add(d, a, sum_low, z.low);
    const TailDecay<V> decay = tail_decay(d, hn::Neg(z.high), hn::Neg(z.low));
    // The logistic function is e (1 - e + e^2), with e at most 2^-12. The smallest, which do not
    // count beside 1, come out larger: their squares would be subnormal.
    const V power = hn::Max(decay.power, hn::Set(d, 0x1p6f));
    const V e = hn::Mul(hn::Mul(hn::Add(one, hn::Add(decay.r, decay.rest)), power),
                        hn::Set(d, kInversePowerScale));
    const V rest = mul_sub(d, e, e, e);
    if constexpr (!kIsSlope) return {{hn::Neg(a), hn::Zero(d)}, rest, decay};
    // a z'(a) = 3 z - 2 kLinear a
    const V s = mul_add(d, e, rest, e);
    const Expansion<V> line =
        scaled(d, kLinear, Expansion<V>{hn::Mul(a, hn::Set(d, -2.0f)), hn::Zero(d)});
    const Expansion<V> triple = two_product(d, z.high, hn::Set(d, 3.0f));
    const Expansion<V> bend = two_sum(triple.high, line.high);
    const V bend_low =
        hn::Add(bend.low, hn::Add(line.low, mul_add(d, hn::Set(d, 3.0f), z.low, triple.low)));
    const Expansion<V> base = two_sum(one, hn::Neg(bend.high));
    const V base_low = mul_add(d, s, bend.high, hn::Sub(base.low, bend_low));
    return {normalized(Expansion<V>{base.high, base_low}), rest, decay};
  }
};

// Where the tail has ended: products with it are 0, or do not change a sum with 1.
template <class Tail, class D, class V>
HWY_INLINE auto tail_ended(D d, V x) {
  return hn::Or(hn::Lt(x, hn::Set(d, -Tail::kEnd)), hn::Gt(x, hn::Set(d, kUpperEnd)));
}

// The tail at -|x|. For |x| < 3 and where the tail has ended, the result is not used: it is the
// tail at -3, as its products are normal numbers (subnormal arithmetic is slow).
template <bool kIsSlope, class Tail, class D, class V>
HWY_INLINE TailValue<V> tail_of(D d, V x) {
  const V some = hn::Set(d, 3.0f);
  const V a = hn::Max(hn::Abs(x), some);
  return Tail::template at<kIsSlope>(d, hn::IfThenElse(tail_ended<Tail>(d, x), some, a));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
