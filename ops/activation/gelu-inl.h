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
#include "ops/activation/gelu_tail-inl.h"
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

  using Tail = ErfTail;
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

  using Tail = TanhTail;
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

// The gate or gelu' at x by pieces, where `valid`.
template <bool kIsSlope, class Form, class D, class V, class M>
HWY_INLINE Expansion<V> inner_part(D d, V x, M& valid) {
  constexpr const GeluPieces& kTable = kIsSlope ? Form::kSlope : Form::kGate;
  return by_pieces<kTable, kIsSlope>(d, x, valid);
}

// Products with gelu or with gelu' at any x: by pieces, and beyond them by tails, which are
// computed for vectors that need them.
template <bool kIsSlope, class Form, class D>
class GeluAnywhere {
  using V = hn::Vec<D>;
  using M = hn::Mask<D>;
  using Tail = typename Form::Tail;

 public:
  HWY_INLINE GeluAnywhere(D d, V x) : x_(x), inside_(hn::FirstN(d, hn::Lanes(d))) {
    part_ = inner_part<kIsSlope, Form>(d, x, inside_);
    const M lost = hn::IsNaN(x);
    part_.high = hn::IfThenElse(lost, x, part_.high);
    inside_ = hn::Or(inside_, lost);
    has_tails_ = !hn::AllTrue(d, inside_);
    if (HWY_LIKELY(!has_tails_)) return;
    above_ = hn::Gt(x, hn::Zero(d));
    tail_ = tail_of<kIsSlope, Tail>(d, x);
  }

  // factor gelu'(x), and where x lies beyond the pieces far above 0, factor - factor gelu'(-x). The
  // low part of an infinite factor may be NaN.
  HWY_INLINE V slope_times(D d, Expansion<V> factor) const {
    const V inner = multiply_once_any(d, factor, part_);
    if (HWY_LIKELY(!has_tails_)) return inner;
    const V tail = tail_times(d, factor);
    const V sum = hn::Add(factor.high, hn::Sub(factor.low, tail));
    const V upper = hn::CopySign(hn::IfThenElse(hn::IsNaN(sum), factor.high, sum), factor.high);
    return hn::IfThenElse(inside_, inner, hn::IfThenElse(above_, upper, tail));
  }

  // factor gelu(x), and where x lies beyond the pieces far above 0, factor x + factor gelu(-x).
  HWY_INLINE V value_times(D d, V factor) const {
    const Expansion<V> line = two_product(d, factor, x_);
    const V inner = multiply_once_any(d, line, part_);
    if (HWY_LIKELY(!has_tails_)) return inner;
    const V tail = tail_times(d, {factor, hn::Zero(d)});
    const V sum = hn::Add(line.high, hn::Add(line.low, tail));
    const V upper = hn::CopySign(hn::IfThenElse(hn::IsNaN(sum), line.high, sum), factor);
    return hn::IfThenElse(inside_, inner, hn::IfThenElse(above_, upper, tail));
  }
  // gelu(x): value_times() for a factor of 1.
  HWY_INLINE V value(D d) const {
    const V inner = multiply_once_any(d, Expansion<V>{x_, hn::Zero(d)}, part_);
    if (HWY_LIKELY(!has_tails_)) return inner;
    const V tail = tail_times(d, {hn::Set(d, 1.0f), hn::Zero(d)});
    return hn::IfThenElse(inside_, inner, hn::IfThenElse(above_, hn::Add(x_, tail), tail));
  }

  // Where the products are valid for a factor: not near the end of the tail, if the factor is huge.
  HWY_INLINE M valid(D d, V factor) const {
    constexpr float kNothing = 24.0f;  // below -24 the product is 0 for every factor
    const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const M far_below = hn::Lt(x_, hn::Set(d, -kNothing));
    const V bound = hn::IfThenElse(far_below, infinity, hn::Set(d, kLargestFactor));
    const M below = hn::Not(hn::Or(inside_, hn::Gt(x_, hn::Set(d, kUpperEnd))));
    return hn::Not(hn::And(below, hn::Ge(hn::Abs(factor), bound)));
  }

 private:
  HWY_INLINE V tail_times(D d, Expansion<V> factor) const {
    // Where the tail has ended the product is 0 with the product's sign.
    const M ended = tail_ended<Tail>(d, x_);
    const V nothing = hn::Mul(factor.high, hn::CopySign(hn::Zero(d), tail_.base.high));
    const V one = hn::Set(d, 1.0f);
    const V product = tail_product(d, if_then_else(ended, {one, hn::Zero(d)}, factor), tail_);
    return hn::IfThenElse(ended, nothing, product);
  }

  V x_;
  M inside_;
  M above_;
  Expansion<V> part_;
  TailValue<V> tail_;
  bool has_tails_;
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
