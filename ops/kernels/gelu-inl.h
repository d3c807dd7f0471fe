// SPDX-License-Identifier: Apache-2.0
// Per-target: GELU and its derivative on vectors of double, for the kernels of GELU and GEGLU.
//
//   erf form    gelu(x)  = x Phi(x)              gelu'(x) = Phi(x) + x phi(x)
//   tanh form   gelu(x)  = x s(z)                gelu'(x) = s + x s (1 - s) z'(x)
//               s(z) = 1 / (1 + e^-z),  z = 2 sqrt(2/pi) (x + 0.044715 x^3)
//
// The tanh form is the usual 0.5 x (1 + tanh(z/2)) written so that the negative tail keeps its
// relative accuracy. At -infinity both functions are 0, at +infinity gelu' is 1; NaN stays NaN.
#if defined(ACLGRAD_OPS_KERNELS_GELU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_GELU_INL_H_
#undef ACLGRAD_OPS_KERNELS_GELU_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_GELU_INL_H_
#endif

#include "ops/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Beyond these limits the exponential of the form is 0 even in double, so that clamping the
// argument changes no result and keeps infinities out of products with 0.
inline constexpr double kErfLimit = 40.0;
inline constexpr double kTanhLimit = 25.0;

// A function that is 1/2 at 0 and rises there: for tiny x, 1/2 moved to the side where it lies.
template <class D, class V>
HWY_INLINE V beside_one_half(D d, V x, V value) {
  const V moved = hn::Add(hn::Set(d, 0.5), hn::CopySign(hn::Set(d, 0x1p-53), x));
  const auto tiny = hn::And(hn::Lt(hn::Abs(x), hn::Set(d, kTiny)), hn::Ne(x, hn::Zero(d)));
  return hn::IfThenElse(tiny, moved, value);
}

struct GeluErf {
  template <class D, class V>
  static HWY_INLINE V value(D d, V x) {
    const NormalTail<V> tail = normal_tail(d, hn::Min(hn::Abs(x), hn::Set(d, kErfLimit)));
    const V small = hn::Mul(tail.decay, tail.mills);
    const V phi = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), small, hn::Sub(hn::Set(d, 1.0), small));
    const V limit = hn::Set(d, -kErfLimit);
    return hn::Mul(hn::IfThenElse(hn::Lt(x, limit), limit, x), beside_one_half(d, x, phi));
  }

  template <class D, class V>
  static HWY_INLINE V derivative(D d, V x) {
    const V a = hn::Min(hn::Abs(x), hn::Set(d, kErfLimit));
    const NormalTail<V> tail = normal_tail(d, a);
    const V inverse_root = hn::Set(d, 0.39894228040143267794);  // 1 / sqrt(2 pi)
    // For x = -a: Phi(-a) - a phi(a), without cancelling the common factor first.
    const V small = hn::Mul(tail.decay, hn::Sub(tail.mills, hn::Mul(a, inverse_root)));
    const V slope = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), small, hn::Sub(hn::Set(d, 1.0), small));
    return hn::IfThenElse(hn::IsNaN(x), x, beside_one_half(d, x, slope));
  }
};

struct GeluTanh {
  template <class D, class V>
  static HWY_INLINE V value(D d, V x) {
    const V held = clamp(d, x, -kTanhLimit, kTanhLimit);
    const V limit = hn::Set(d, -kTanhLimit);
    const V s = beside_one_half(d, x, sigmoid(d, held).of_plus);
    return hn::Mul(hn::IfThenElse(hn::Lt(x, limit), limit, x), s);
  }

  template <class D, class V>
  static HWY_INLINE V derivative(D d, V x) {
    const V held = clamp(d, x, -kTanhLimit, kTanhLimit);
    const LogisticPair<V> s = sigmoid(d, held);
    const V slope =
        hn::Add(hn::Set(d, kLinear), hn::Mul(hn::Set(d, 3 * kCubic), hn::Mul(held, held)));
    const V bend = hn::Mul(hn::Mul(held, s.of_minus), slope);
    return beside_one_half(d, x, hn::Mul(s.of_plus, hn::Add(hn::Set(d, 1.0), bend)));
  }

 private:
  // 2 sqrt(2/pi) and 0.044715 times it, each with what the double leaves out.
  static constexpr double kLinear = 0x1.9884533d43651p+0;
  static constexpr double kLinearRest = -0x1.cbc0d30ebfd15p-54;
  static constexpr double kCubic = 0x1.2444f2a4d8b4bp-4;
  static constexpr double kCubicRest = -0x1.6c843a29d1c70p-61;

  // s(z) and s(-z). z reaches -750 where the double result ends, and an error of z is a relative
  // error of s: hence z in two parts.
  template <class D, class V>
  static HWY_INLINE LogisticPair<V> sigmoid(D d, V x) {
    const Twofold<V> square = two_product(d, x, x);
    const Twofold<V> cubic = two_product(d, hn::Set(d, kCubic), square.high);
    const V cubic_low = hn::Add(cubic.low, hn::Add(hn::Mul(hn::Set(d, kCubic), square.low),
                                                   hn::Mul(hn::Set(d, kCubicRest), square.high)));
    const Twofold<V> sum = two_sum(hn::Set(d, kLinear), cubic.high);
    const V sum_low = hn::Add(sum.low, hn::Add(cubic_low, hn::Set(d, kLinearRest)));
    const Twofold<V> z = two_product(d, x, sum.high);
    return logistic(d, z.high, hn::Add(z.low, hn::Mul(x, sum_low)));
  }
};

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
