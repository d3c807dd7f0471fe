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

// (base.high + base.low) (1 + rest) (1 + e.first + e.second) e.power, the larger part first.
template <class D, class V>
HWY_INLINE Twofold<V> tail_product(D d, Twofold<V> base, V rest, const FloatExponential<V>& e) {
  const auto growth = normalized(Twofold<V>{hn::Set(d, 1.0f), e.first});
  const V more =
      hn::Add(growth.low, fused(d, growth.high, rest, fused(d, e.second, rest, e.second)));
  const Twofold<V> product = twofold_product(d, base.high, growth.high);
  const V low = fused(d, base.high, more, fused(d, base.low, growth.high, product.low));
  const Twofold<V> result = normalized(Twofold<V>{product.high, low});
  return {hn::Mul(result.high, e.power), hn::Mul(result.low, e.power)};
}

// Above this the upper tail, 1 - F(-a), is 1 for a float.
inline constexpr float kUpperLimit = 7.5f;

struct ErfTail {
  // Up to this a the low part of the result has bits enough.
  static constexpr float kLimit = 12.75f;
  static constexpr TwofoldConstant kScale{0.39894228040143267794};  // 1 / sqrt(2 pi)

  template <class D, class V>
  static HWY_INLINE FloatExponential<V> decay(D d, V a) {
    const Twofold<V> square = twofold_product(d, a, a);
    const V half = hn::Set(d, -0.5f);
    return float_exponential(d, hn::Mul(square.high, half), hn::Mul(square.low, half));
  }

  template <class D, class V>
  static HWY_INLINE V rest(D d, V v) {
    V r = hn::Set(d, kTailRest[kTailTerms - 1]);
    for (size_t n = kTailTerms - 1; n-- > 0;) r = fused(d, r, v, hn::Set(d, kTailRest[n]));
    return hn::Mul(r, v);
  }

  template <class D, class V>
  static HWY_INLINE Twofold<V> gate(D d, V a) {
    const V inverse = hn::Div(hn::Set(d, 1.0f), a);
    const V error = hn::Neg(fused_minus(d, inverse, a, hn::Set(d, 1.0f)));  // 1 - a / a, nearly
    const Twofold<V> base = scaled(d, kScale, Twofold<V>{inverse, hn::Mul(inverse, error)});
    return tail_product(d, base, rest(d, hn::Mul(inverse, inverse)), decay(d, a));
  }

  template <class D, class V>
  static HWY_INLINE Twofold<V> slope(D d, V a) {
    const V inverse = hn::Div(hn::Set(d, 1.0f), a);
    const V v = hn::Mul(inverse, inverse);
    const Twofold<V> base = scaled(d, kScale, Twofold<V>{hn::Neg(a), hn::Zero(d)});
    return tail_product(d, base, hn::Neg(fused(d, v, rest(d, v), v)), decay(d, a));
  }
};

struct TanhTail {
  static constexpr float kLimit = 9.75f;
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

  // -e + e^2, so that the logistic function is e (1 + rest).
  template <class D, class V>
  static HWY_INLINE V rest(D d, const FloatExponential<V>& e) {
    const V value = fused(d, hn::Add(e.first, e.second), e.power, e.power);
    return fused_minus(d, value, value, value);
  }

  template <class D, class V>
  static HWY_INLINE Twofold<V> gate(D d, V a) {
    const Twofold<V> z = energy(d, a);
    const auto e = float_exponential(d, hn::Neg(z.high), hn::Neg(z.low));
    return tail_product(d, Twofold<V>{hn::Set(d, 1.0f), hn::Zero(d)}, rest(d, e), e);
  }

  template <class D, class V>
  static HWY_INLINE Twofold<V> slope(D d, V a) {
    const Twofold<V> z = energy(d, a);
    const auto e = float_exponential(d, hn::Neg(z.high), hn::Neg(z.low));
    const V less = rest(d, e);
    const V s = hn::Mul(fused(d, hn::Add(e.first, e.second), e.power, e.power),
                        hn::Add(hn::Set(d, 1.0f), less));
    // a z'(a) = 3 z - 2 kLinear a
    const Twofold<V> line =
        scaled(d, kLinear, Twofold<V>{hn::Mul(a, hn::Set(d, -2.0f)), hn::Zero(d)});
    const Twofold<V> triple = twofold_product(d, z.high, hn::Set(d, 3.0f));
    const Twofold<V> bend = two_sum(triple.high, line.high);
    const V bend_low =
        hn::Add(bend.low, hn::Add(line.low, fused(d, hn::Set(d, 3.0f), z.low, triple.low)));
    const Twofold<V> base = two_sum(hn::Set(d, 1.0f), hn::Neg(bend.high));
    const V base_low = fused(d, s, bend.high, hn::Sub(base.low, bend_low));
    return tail_product(d, normalized(Twofold<V>{base.high, base_low}), less, e);
  }
};

// Lanes of `inner` that are not valid get the value of the tail at x, if it is not beyond its
// limit.
template <bool kIsSlope, class Tail, class D, class V, class M>
HWY_INLINE Twofold<V> with_tail(D d, V x, Twofold<V> inner, M& valid) {
  const V one = hn::Set(d, 1.0f);
  const auto above = hn::Gt(x, hn::Zero(d));
  const V limit = hn::IfThenElse(above, hn::Set(d, kUpperLimit), hn::Set(d, Tail::kLimit));
  const V a = hn::Min(hn::Abs(x), limit);
  Twofold<V> lower;
  if constexpr (kIsSlope) {
    lower = Tail::slope(d, a);
  } else {
    lower = Tail::gate(d, a);
  }
  const V upper = hn::Sub(one, lower.high);
  const V upper_low = hn::Sub(hn::Sub(hn::Sub(one, upper), lower.high), lower.low);
  const Twofold<V> outer = if_then_else(above, Twofold<V>{upper, upper_low}, lower);
  const Twofold<V> result = if_then_else(valid, inner, outer);
  valid = hn::Or(valid, hn::Ge(x, hn::Set(d, -Tail::kLimit)));  // not NaN
  return result;
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
