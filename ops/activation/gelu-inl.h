// SPDX-License-Identifier: Apache-2.0
// Per-target: GELU and its derivative for the kernels of GELU and GEGLU: on vectors of double, the
// exact tier, and on vectors of float.
//
//   erf form    gelu(x)  = x Phi(x)              gelu'(x) = Phi(x) + x phi(x)
//   tanh form   gelu(x)  = x s(z)                gelu'(x) = s + x s (1 - s) z'(x)
//               s(z) = 1 / (1 + e^-z),  z = 2 sqrt(2/pi) (x + 0.044715 x^3)
//
// The tanh form is the usual 0.5 x (1 + tanh(z/2)) written so that the negative tail keeps its
// relative accuracy. At -infinity both functions are 0, at +infinity gelu' is 1; NaN stays NaN.
#if defined(ACLGRAD_OPS_ACTIVATION_GELU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ACTIVATION_GELU_INL_H_
#undef ACLGRAD_OPS_ACTIVATION_GELU_INL_H_
#else
#define ACLGRAD_OPS_ACTIVATION_GELU_INL_H_
#endif

#include <limits>

#include "ops/activation/gelu_pieces-inl.h"
#include "ops/engine/math/erf-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- In double ----------------------------------------------------------------------------------

// The lower tails at x = -a, for a >= 0 up to kLimit; beyond that they are 0 even in double.

struct GeluErf {
  static constexpr double kLimit = 40.0;

  template <class D, class V>
  static HWY_INLINE V lower_gate(D d, V a) {
    const NormalTail<V> tail = normal_tail(d, a);
    return hn::Mul(tail.decay, tail.mills);
  }

  template <class D, class V>
  static HWY_INLINE V lower_slope(D d, V a) {
    const NormalTail<V> tail = normal_tail(d, a);
    const V inverse_root = hn::Set(d, 0.39894228040143267794);  // 1 / sqrt(2 pi)
    // Phi(-a) - a phi(a), without cancelling the common factor first.
    return hn::Mul(tail.decay, hn::Sub(tail.mills, hn::Mul(a, inverse_root)));
  }

  static constexpr const GeluPieces& kGate = kErfGate;
  static constexpr const GeluPieces& kSlope = kErfSlope;
};

struct GeluTanh {
  static constexpr double kLimit = 25.0;

  template <class D, class V>
  static HWY_INLINE V lower_gate(D d, V a) {
    return logistic(d, a).of_minus;
  }

  template <class D, class V>
  static HWY_INLINE V lower_slope(D d, V a) {
    const LogisticPair<V> s = logistic(d, a);
    const V slope = hn::Add(hn::Set(d, kLinear), hn::Mul(hn::Set(d, 3 * kCubic), hn::Mul(a, a)));
    const V bend = hn::Mul(hn::Mul(a, s.of_plus), slope);
    return hn::Mul(s.of_minus, hn::Sub(hn::Set(d, 1.0), bend));
  }

  static constexpr const GeluPieces& kGate = kTanhGate;
  static constexpr const GeluPieces& kSlope = kTanhSlope;

 private:
  // 2 sqrt(2/pi) and 0.044715 times it, each with what the double leaves out.
  static constexpr double kLinear = 0x1.9884533d43651p+0;
  static constexpr double kLinearRest = -0x1.cbc0d30ebfd15p-54;
  static constexpr double kCubic = 0x1.2444f2a4d8b4bp-4;
  static constexpr double kCubicRest = -0x1.6c843a29d1c70p-61;

  // s(z(a)) and s(-z(a)). z reaches 750 where the double result ends, and an error of z is a
  // relative error of s: hence z in two parts.
  template <class D, class V>
  static HWY_INLINE LogisticPair<V> logistic(D d, V a) {
    const Expansion<V> square = two_product(d, a, a);
    const Expansion<V> cubic = two_product(d, hn::Set(d, kCubic), square.high);
    const V cubic_low = hn::Add(cubic.low, hn::Add(hn::Mul(hn::Set(d, kCubic), square.low),
                                                   hn::Mul(hn::Set(d, kCubicRest), square.high)));
    const Expansion<V> sum = two_sum(hn::Set(d, kLinear), cubic.high);
    const V sum_low = hn::Add(sum.low, hn::Add(cubic_low, hn::Set(d, kLinearRest)));
    const Expansion<V> z = two_product(d, a, sum.high);
    return logistic_pair(d, z.high, hn::Add(z.low, hn::Mul(a, sum_low)));
  }
};

// |x| for the lower tail, clamped so that the tail is not 0 for large x: F(x) = 1 - tail keeps a
// low part there.
template <class Form, class D, class V>
HWY_INLINE V tail_argument(D d, V x) {
  constexpr double kAllButOne = 9.0;  // the tails are below 2^-54 there
  const auto below = hn::Lt(x, hn::Zero(d));
  const V limit = hn::IfThenElse(below, hn::Set(d, Form::kLimit), hn::Set(d, kAllButOne));
  return hn::Min(hn::Abs(x), limit);
}

// F(x) from its lower tail F(-|x|), for F(x) + F(-x) = 1, rising at 0.
template <class D, class V>
HWY_INLINE Expansion<V> mirrored(D d, V x, V lower) {
  const V one = hn::Set(d, 1.0);
  const V upper = hn::Sub(one, lower);
  const auto below = hn::Lt(x, hn::Zero(d));
  const V high = hn::IfThenElse(below, lower, upper);
  // A zero of the same sign, so that adding it keeps a -0.
  const V nothing = hn::CopySign(hn::Zero(d), lower);
  const V low = hn::IfThenElse(below, nothing, hn::Sub(hn::Sub(one, upper), lower));
  // For tiny x, 1/2 and a rest on the side where F lies.
  const auto tiny = hn::And(hn::Lt(hn::Abs(x), hn::Set(d, kTiny)), hn::Ne(x, hn::Zero(d)));
  return {hn::IfThenElse(tiny, hn::Set(d, 0.5), high),
          hn::IfThenElse(tiny, hn::CopySign(hn::Set(d, kTiny), x), low)};
}

// The gate, of which gelu(x) = x gate(x).
template <class Form, class D, class V>
HWY_INLINE Expansion<V> exact_gate(D d, V x) {
  return mirrored(d, x, Form::lower_gate(d, tail_argument<Form>(d, x)));
}

// gelu'(x); NaN for NaN.
template <class Form, class D, class V>
HWY_INLINE Expansion<V> exact_slope(D d, V x) {
  Expansion<V> slope = mirrored(d, x, Form::lower_slope(d, tail_argument<Form>(d, x)));
  slope.high = hn::IfThenElse(hn::IsNaN(x), x, slope.high);
  return slope;
}

// Below this, products with F are 0 for every factor.
inline constexpr float kGeluIsNothing = 24.0f;

// x, clamped where the gate is not yet 0: 0 times -infinity would be NaN.
template <class Form, class D, class V>
HWY_INLINE V clamped_below(D d, V x) {
  const V limit = hn::Set(d, -Form::kLimit);
  return hn::IfThenElse(hn::Lt(x, limit), limit, x);
}

template <class Form, class D, class V>
HWY_INLINE V exact_gelu(D d, V x) {
  return multiply_to_odd(d, clamped_below<Form>(d, x), exact_gate<Form>(d, x));
}

// ---- In float -----------------------------------------------------------------------------------

// A function F with F(x) + F(-x) = 1 at x, for products with it. Without kIsFar for vectors that
// are near(); with it for all, by the same formula and with the same bits.
template <const GeluPieces& kTable, bool kIsFar, class D>
class GeluAt {
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;

 public:
  HWY_INLINE GeluAt(D d, V x) : x_(x), size_(hn::Abs(x)), above_(hn::Gt(x, hn::Zero(d))) {
    const V bounded = kIsFar ? smaller(hn::Set(d, kTable.limit), size_) : size_;
    // Where the number does not count beside a piece's centre: subnormal factors are slow.
    argument_ = kIsFar || kTable.is_slope ? larger(hn::Set(d, kTiny), bounded) : bounded;
    tail_ = lower_tail<kTable, kIsFar>(d, argument_);
  }

  HWY_INLINE M near(D d) const { return hn::Lt(size_, hn::Set(d, kTable.far)); }
  // And no number on the way to x F(x) is subnormal.
  HWY_INLINE M near_and_normal(D d) const {
    const hn::RebindToUnsigned<D> du;
    const auto least = hn::BitCast(du, hn::Set(d, kTiny));
    const auto end = hn::BitCast(du, hn::Set(d, kTable.far));
    const auto beyond = hn::Sub(hn::BitCast(du, size_), least);
    return hn::RebindMask(d, hn::Lt(beyond, hn::Sub(end, least)));
  }

  // x, but not beyond the pieces where x F(x) is 0 there.
  HWY_INLINE V bounded(D d) const { return kIsFar ? larger(hn::Set(d, -kTable.limit), x_) : x_; }

  // x F(x).
  HWY_INLINE V value(D d) const {
    if constexpr (!kIsFar) {
      const V lower = lower_product(d, x_);
      return hn::IfThenElse(above_, hn::Sub(x_, lower), lower);
    } else {
      const V product = lower_product(d, argument_);
      const V lower = hn::Neg(scale_by_exponent(d, product, tail_.exponent));
      const V result = hn::IfThenElse(above_, hn::Add(x_, lower), lower);
      const auto tiny = hn::Lt(size_, hn::Set(d, kTiny));
      if (HWY_LIKELY(hn::AllFalse(d, tiny))) return result;
      // The half of x, made of its pattern: where it is subnormal, products are slow.
      const hn::RebindToSigned<D> di;
      const auto bits = hn::BitCast(di, size_);
      const auto half = hn::Max(hn::Sub(bits, hn::Set(di, 1 << 23)), hn::ShiftRight<1>(bits));
      return hn::IfThenElse(tiny, hn::CopySign(hn::BitCast(d, half), x_), result);
    }
  }

  // factor F(x), of a factor in one or two parts. Of several inputs whose product that is, `given`
  // is one that is not finite if any is. Clears lanes of `valid` for which this does not serve.
  template <class Factor>
  HWY_INLINE V times(D d, Factor factor, V given, M& valid) const {
    const V product = lower_product(d, factor);
    if constexpr (!kIsFar) {
      const V result = on_side(factor, product);
      valid = hn::And(valid, hn::IsFinite(result));
      return result;
    } else {
      const V result = on_side(factor, scale_by_exponent(d, product, tail_.exponent));
      const M moderate = hn::Lt(hn::Abs(product), hn::Set(d, kTable.large));
      if (HWY_LIKELY(hn::AllTrue(d, moderate))) return result;
      // Far below F is 0 for all factors, beyond the pieces for smaller ones; above it is 1.
      const M none = hn::Lt(x_, hn::Set(d, -kGeluIsNothing));
      const M all = hn::Gt(x_, hn::Set(d, kTable.limit));
      const M lost = hn::Not(hn::And(hn::IsFinite(given), hn::Eq(x_, x_)));
      const V zero =
          hn::CopySign(hn::Mul(given, hn::Zero(d)), hn::Xor(high_of(factor), tail_.high));
      const V side = hn::IfThenElse(above_, hn::Set(d, 1.0f), tail_.high);
      const V limit = hn::IfThenElse(none, zero, hn::Mul(high_of(factor), side));
      const M known = hn::Or(lost, hn::Or(none, all));
      const M ended = hn::Lt(x_, hn::Set(d, -kTable.limit));
      const M serves = hn::Or(moderate, hn::AndNot(ended, hn::IsFinite(product)));
      valid = hn::And(valid, hn::Or(serves, known));
      return hn::IfThenElse(hn::AndNot(moderate, known), limit, result);
    }
  }

 private:
  static constexpr float kTiny = 0x1p-76f;  // F(x) is 1/2 below

  static HWY_INLINE V high_of(V factor) { return factor; }
  static HWY_INLINE V high_of(Expansion<V> factor) { return factor.high; }

  // factor F(-|x|) 2^-n. The sign of a zero is not determined.
  HWY_INLINE V lower_product(D d, V factor) const {
    return mul_add(d, factor, tail_.high, hn::Mul(factor, tail_.low));
  }
  HWY_INLINE V lower_product(D d, Expansion<V> factor) const {
    const V rest = mul_add(d, factor.high, tail_.low, hn::Mul(factor.low, tail_.whole));
    return mul_add(d, factor.high, tail_.high, rest);
  }

  // factor - lower
  static HWY_INLINE V upper(V factor, V lower) { return hn::Sub(factor, lower); }
  static HWY_INLINE V upper(Expansion<V> factor, V lower) {
    return hn::Add(factor.high, hn::Sub(factor.low, lower));
  }

  // factor F(x), with its sign where it is 0.
  template <class Factor>
  HWY_INLINE V on_side(Factor factor, V lower) const {
    const V high = high_of(factor);
    const V sign = hn::IfThenElse(above_, high, hn::Xor(high, tail_.high));
    return hn::CopySign(hn::IfThenElse(above_, upper(factor, lower), lower), sign);
  }

  V x_;
  V size_;
  V argument_;
  M above_;
  LowerTail<V> tail_;
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
