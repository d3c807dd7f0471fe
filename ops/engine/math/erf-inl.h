// SPDX-License-Identifier: Apache-2.0
// Per-target: erf of vectors of float and double.
#if defined(ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_
#endif

#include "hwy/highway.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/math/normal_tail_table.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The upper tail beyond a: Phi(-a) = decay * mills, with decay = e^(-a^2/2).
template <class V>
struct NormalTail {
  V decay;
  V mills;
};

// Lanes: double. Largest error: a few ulp of the product. Range: 0 <= a <= 40.
template <class D, class V>
HWY_INLINE NormalTail<V> normal_tail(D d, V a) {
  const Expansion<V> square = two_product(d, a, a);
  const V half = hn::Set(d, -0.5);
  const V decay = exponential(d, hn::Mul(square.high, half), hn::Mul(square.low, half));
  const V pole = hn::Set(d, kTailPole);
  const V t = hn::Div(hn::Sub(a, pole), hn::Add(a, pole));
  const V lift = hn::Add(hn::Set(d, 1.0), hn::Mul(hn::Set(d, kTailLift), a));
  return {decay, hn::Div(polynomial(d, t, kTailCoefficients), lift)};
}

// Lanes: float, double. Largest error: 1 ulp, 3 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V erf(D d, V x) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [](auto wide, auto each) HWY_ATTR { return erf(wide, each); }, x);
  } else {
    // Up to 3/4 the Taylor series of erf(x) / x - 1: 2/rootPi (-x^2)^k / (k! (2k + 1)).
    constexpr double kFactor = 0x1.20dd750429b6dp+0;  // 2/rootPi
    static constexpr double kSeries[] = {
        0x1.06eba8214db69p-3,        -kFactor / 3,
        kFactor / (2 * 5),           -kFactor / (6 * 7),
        kFactor / (24 * 9),          -kFactor / (120 * 11),
        kFactor / (720 * 13),        -kFactor / (5040 * 15),
        kFactor / (40320 * 17),      -kFactor / (362880 * 19),
        kFactor / (3628800. * 21),   -kFactor / (39916800. * 23),
        kFactor / (479001600. * 25), -kFactor / (6227020800. * 27)};
    constexpr double kRootTwo = 0x1.6a09e667f3bcdp+0;
    const V near = hn::Add(x, hn::Mul(x, polynomial(d, hn::Mul(x, x), kSeries)));
    // Beyond, the upper tail of the normal distribution; from 6 on the result is 1.
    const V size = hn::Abs(x);
    const V clamped_size = hn::IfThenElse(hn::Lt(size, hn::Set(d, 6.0)), size, hn::Set(d, 6.0));
    const auto tail = normal_tail(d, hn::Mul(clamped_size, hn::Set(d, kRootTwo)));
    const V far =
        hn::Sub(hn::Set(d, 1.0), hn::Mul(hn::Set(d, 2.0), hn::Mul(tail.decay, tail.mills)));
    const V result = hn::IfThenElse(hn::Lt(size, hn::Set(d, 0.75)), near, hn::CopySign(far, x));
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
