// SPDX-License-Identifier: Apache-2.0
// Per-target: the lower tails of GELU's gate and of its derivative in float, for x = -a beyond the
// pieces of gelu_pieces-inl.h. Each is written as base (1 + rest) e^-energy with a base that is
// exact or nearly so and a rest well below 1:
//
//   erf form    energy a^2/2    Phi(-a)            = k/a (1 + r) e^-energy,         k = 1/sqrt(2
//   pi)
//                               Phi(-a) - a phi(a) = -k a (1 - (1 + r)/a^2) e^-energy
//               r = sum over n of kTailRest[n] / a^(2 n + 2), as the asymptotic series goes
//   tanh form   energy z(a)     s = e (1 - e + e^2 - ...),     e = e^-energy
//                               s + x s (1 - s) z' = s (1 - (1 - s) a z'(a))
#if defined(ACLGRAD_OPS_KERNELS_GELU_TAIL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_GELU_TAIL_INL_H_
#undef ACLGRAD_OPS_KERNELS_GELU_TAIL_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_GELU_TAIL_INL_H_
#endif

#include "ops/kernels/float-inl.h"
#include "ops/kernels/gelu_tail_table.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// (high + low) first_power second_power: the value of a tail may lie below the range of float, and
// yet its product with a gradient need not.
template <class V>
struct TailValue {
  Twofold<V> value;
  V first_power;
  V second_power;
};

// (base.high + base.low) (1 + rest) (1 + e.first + e.second) 2^e.exponent, the larger part first.
template <class D, class V>
HWY_INLINE TailValue<V> tail_product(D d, Twofold<V> base, V rest, const FloatExponential<V>& e) {
  const auto growth = normalized(Twofold<V>{hn::Set(d, 1.0f), e.first});
  const V more =
      hn::Add(growth.low, fused(d, growth.high, rest, fused(d, e.second, rest, e.second)));
  const Twofold<V> product = twofold_product(d, base.high, growth.high);
  const V low = fused(d, base.high, more, fused(d, base.low, growth.high, product.low));
  const V magic = hn::Set(d, kFloatMagic);
  const V half = hn::Sub(fused(d, e.exponent, hn::Set(d, 0.5f), magic), magic);
  return {normalized(Twofold<V>{product.high, low}), float_power_of_two(d, half),
          float_power_of_two(d, hn::Sub(e.exponent, half))};
}

// Above this the upper tail, 1 - F(-a), is 1 for a float.
inline constexpr float kUpperLimit = 7.5f;

struct ErfTail {
  // Up to this a the exponential is a product of two normal floats.
  static constexpr float kLimit = 18.25f;
  static constexpr TwofoldConstant kScale{0.39894228040143267794};  // 1 / sqrt(2 pi)

  template <class D, class V>
  static HWY_INLINE FloatExponential<V> decay(D d, V a) {
    const Twofold<V> square = twofold_product(d, a, a);
    const V half = hn::Set(d, -0.5f);
    return float_exponential(d, hn::Mul(square.high, half), hn::Mul(square.low, half));
  }

  template <class D, class V>
  static HWY_INLINE V rest(D d, V v) {
    V r = hn::Set(d, kTailRest[std::size(kTailRest) - 1]);
    for (size_t n = std::size(kTailRest) - 1; n-- > 0;)
      r = fused(d, r, v, hn::Set(d, kTailRest[n]));
    return hn::Mul(r, v);
  }

  template <class D, class V>
  static HWY_INLINE TailValue<V> gate(D d, V a) {
    const V inverse = hn::Div(hn::Set(d, 1.0f), a);
    const V error = hn::Neg(fused_minus(d, inverse, a, hn::Set(d, 1.0f)));  // 1 - a / a, nearly
    const Twofold<V> base = scaled(d, kScale, Twofold<V>{inverse, hn::Mul(inverse, error)});
    return tail_product(d, base, rest(d, hn::Mul(inverse, inverse)), decay(d, a));
  }

  template <class D, class V>
  static HWY_INLINE TailValue<V> slope(D d, V a) {
    const V inverse = hn::Div(hn::Set(d, 1.0f), a);
    const V v = hn::Mul(inverse, inverse);
    const Twofold<V> base = scaled(d, kScale, Twofold<V>{hn::Neg(a), hn::Zero(d)});
    return tail_product(d, base, hn::Neg(fused(d, v, rest(d, v), v)), decay(d, a));
  }
};

struct TanhTail {
  static constexpr float kLimit = 12.75f;
  static constexpr TwofoldConstant kLinear{1.5957691216057308};  // 2 sqrt(2/pi)
  static constexpr TwofoldConstant kCubic{0.07135481627260025};  // 0.044715 times it

  template <class D, class V>
  static HWY_INLINE Twofold<V> energy(D d, V a) {
    const Twofold<V> square = twofold_product(d, a, a);
    const Twofold<V> cubic = scaled(d, kCubic, square);
    const Twofold<V> sum = two_sum(cubic.high, hn::Set(d, kLinear.high));
    const V low = hn::Add(hn::Add(sum.low, cubic.low), hn::Set(d, kLinear.low));
    const Twofold<V> z = twofold_product(d, a, sum.high);
    return {z.high, fused(d, a, low, z.low)};
  }

  // e, but for the smallest, which do not count beside 1: they come out larger.
  template <class D, class V>
  static HWY_INLINE V value_of(D d, const FloatExponential<V>& e) {
    const V exponent = hn::Max(e.exponent, hn::Set(d, -60.0f));
    const V power = float_power_of_two(d, exponent);
    return fused(d, hn::Add(e.first, e.second), power, power);
  }

  template <class D, class V>
  static HWY_INLINE TailValue<V> gate(D d, V a) {
    const Twofold<V> z = energy(d, a);
    const auto e = float_exponential(d, hn::Neg(z.high), hn::Neg(z.low));
    const V value = value_of(d, e);
    // The logistic function is e (1 - e + e^2).
    const V rest = fused_minus(d, value, value, value);
    return tail_product(d, Twofold<V>{hn::Set(d, 1.0f), hn::Zero(d)}, rest, e);
  }

  template <class D, class V>
  static HWY_INLINE TailValue<V> slope(D d, V a) {
    const Twofold<V> z = energy(d, a);
    const auto e = float_exponential(d, hn::Neg(z.high), hn::Neg(z.low));
    const V value = value_of(d, e);
    const V rest = fused_minus(d, value, value, value);
    const V s = fused(d, value, rest, value);
    // a z'(a) = 3 z - 2 kLinear a
    const Twofold<V> line =
        scaled(d, kLinear, Twofold<V>{hn::Mul(a, hn::Set(d, -2.0f)), hn::Zero(d)});
    const Twofold<V> triple = twofold_product(d, z.high, hn::Set(d, 3.0f));
    const Twofold<V> bend = two_sum(triple.high, line.high);
    const V bend_low =
        hn::Add(bend.low, hn::Add(line.low, fused(d, hn::Set(d, 3.0f), z.low, triple.low)));
    const Twofold<V> base = two_sum(hn::Set(d, 1.0f), hn::Neg(bend.high));
    const V base_low = fused(d, s, bend.high, hn::Sub(base.low, bend_low));
    return tail_product(d, normalized(Twofold<V>{base.high, base_low}), rest, e);
  }
};

// The value at x from that of the lower tail at -|x|.
template <bool kIsSlope, class Tail, class D, class V>
HWY_INLINE TailValue<V> tail_at(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const auto above = hn::Gt(x, hn::Zero(d));
  const V limit = hn::IfThenElse(above, hn::Set(d, kUpperLimit), hn::Set(d, Tail::kLimit));
  const V a = hn::Min(hn::Abs(x), limit);
  TailValue<V> tail;
  if constexpr (kIsSlope) {
    tail = Tail::slope(d, a);
  } else {
    tail = Tail::gate(d, a);
  }
  const V first_power = hn::IfThenElse(above, tail.first_power, one);
  const V second_power = hn::IfThenElse(above, tail.second_power, one);
  const V lower = hn::Mul(hn::Mul(tail.value.high, first_power), second_power);
  const V upper = hn::Sub(one, lower);
  const V upper_low = hn::Sub(hn::Sub(one, upper), lower);
  return {if_then_else(above, Twofold<V>{upper, upper_low}, tail.value),
          hn::IfThenElse(above, one, tail.first_power),
          hn::IfThenElse(above, one, tail.second_power)};
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
