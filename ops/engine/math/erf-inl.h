// SPDX-License-Identifier: Apache-2.0
// Per-target: erf of vectors of float and double, erfc and erfinv of double.
#if defined(ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_ERF_INL_H_
#endif

#include "hwy/highway.h"
#include "ops/engine/math/long-inl.h"
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

// (1 + kTailLift a) mills, between 0.49 and 0.51. Range: 0 <= a <= 40.
template <class D, class V>
HWY_INLINE V lifted_mills(D d, V a) {
  const V pole = hn::Set(d, kTailPole);
  const V t = hn::Div(hn::Sub(a, pole), hn::Add(a, pole));
  return polynomial(d, t, kTailCoefficients);
}

// Lanes: double. Largest error: a few ulp of the product. Range: 0 <= a <= 40.
template <class D, class V>
HWY_INLINE NormalTail<V> normal_tail(D d, V a) {
  const Expansion<V> square = two_product(d, a, a);
  const V half = hn::Set(d, -0.5);
  const V decay = exponential(d, hn::Mul(square.high, half), hn::Mul(square.low, half));
  const V lift = hn::Add(hn::Set(d, 1.0), hn::Mul(hn::Set(d, kTailLift), a));
  return {decay, hn::Div(lifted_mills(d, a), lift)};
}

// By the Taylor series of erf(x) / x - 1: 2/rootPi (-x^2)^k / (k! (2k + 1)). Lanes: double. Largest
// error: 1 ulp. Range: |x| up to 3/4.
template <class D, class V>
HWY_INLINE V erf_near_zero(D d, V x) {
  constexpr double kFactor = 0x1.20dd750429b6dp+0;  // 2/rootPi
  static constexpr double kSeries[] = {0x1.06eba8214db69p-3,        -kFactor / 3,
                                       kFactor / (2 * 5),           -kFactor / (6 * 7),
                                       kFactor / (24 * 9),          -kFactor / (120 * 11),
                                       kFactor / (720 * 13),        -kFactor / (5040 * 15),
                                       kFactor / (40320 * 17),      -kFactor / (362880 * 19),
                                       kFactor / (3628800. * 21),   -kFactor / (39916800. * 23),
                                       kFactor / (479001600. * 25), -kFactor / (6227020800. * 27)};
  return hn::Add(x, hn::Mul(x, polynomial(d, hn::Mul(x, x), kSeries)));
}

// Lanes: float, double. Largest error: 1 ulp, 3 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V erf(D d, V x) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [](auto wide, auto each) HWY_ATTR { return erf(wide, each); }, x);
  } else {
    // The Taylor series up to 3/4.
    constexpr double kRootTwo = 0x1.6a09e667f3bcdp+0;
    const V near = erf_near_zero(d, x);
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

// 1 - erf(x), with the digits of the tail. Lanes: double. Largest error: 4 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V erfc(D d, V x) {
  constexpr double kRootTwo = 0x1.6a09e667f3bcdp+0;
  constexpr double kRootTwoRest = -0x1.bdd3413b26456p-54;
  const V one = hn::Set(d, 1.0);
  const V size = clamp(d, hn::Abs(x), 0.0, 28.0);
  const Expansion<V> square = two_product(d, size, size);
  const V decay = exponential(d, hn::Neg(square.high), hn::Neg(square.low));
  const Expansion<V> a = two_product(d, size, hn::Set(d, kRootTwo));
  const V a_rest = hn::Add(a.low, hn::Mul(size, hn::Set(d, kRootTwoRest)));
  const V lifted = lifted_mills(d, a.high);
  const Expansion<V> lifting = two_product(d, a.high, hn::Set(d, kTailLift));
  Expansion<V> lift = two_sum(one, lifting.high);
  lift.low = hn::Add(lift.low, lifting.low);
  const V rounded = hn::Div(hn::Mul(decay, hn::Add(lifted, lifted)), lift.high);
  // What the roundings of the lift and of a took, by the slope of mills: a mills - 1/root(2 pi).
  const V mills = hn::Div(lifted, lift.high);
  const V slope = hn::Sub(hn::Mul(a.high, mills), hn::Set(d, 0.3989422804014327));
  const V lost = hn::Sub(hn::Div(hn::Mul(a_rest, slope), mills), hn::Div(lift.low, lift.high));
  const V tail = hn::Add(rounded, hn::Mul(rounded, lost));
  const V far = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), tail), tail);
  // Up to 0.46 the other part is the smaller.
  const auto is_near = hn::Lt(size, hn::Set(d, 0.46875));
  return hn::IfThenElse(is_near, hn::Sub(one, erf_near_zero(d, x)), far);
}

// The x with erf(x) = y. Lanes: double. Largest error: 4 ulp. Range: all y; NaN beyond -1 and 1.
template <class D, class V>
HWY_INLINE V erfinv(D d, V y) {
  constexpr double kHalfRootPi = 0x1.c5bf891b4ef6bp-1;
  constexpr double kHalfRootPiRest = -0x1.618f13eb7ca89p-55;
  constexpr double kTwoOverRootPi = 0x1.20dd750429b6dp+0;
  const V one = hn::Set(d, 1.0);
  const V zero = hn::Zero(d);
  const V size = hn::Abs(y);
  const auto small = hn::Lt(size, hn::Set(d, kLinear));
  const auto inside = hn::Lt(size, one);
  const V p = hn::IfThenElse(hn::AndNot(small, inside), size, hn::Set(d, 0.5));
  const V q = hn::Sub(one, p);
  // To 1 in 400 at first (Winitzki 2008): x^2 = sqrt(a^2 - b) - a with b = log(1 - y^2) / c and
  // a = 2/(pi c) + log(1 - y^2) / 2, where c = 0.147.
  const V logarithm = log_of_positive(d, hn::Mul(q, hn::Add(one, p)));
  const V b = hn::Mul(logarithm, hn::Set(d, -1 / 0.147));
  const V a = hn::Add(hn::Set(d, 4.3307467), hn::Mul(logarithm, hn::Set(d, 0.5)));
  const V root = hn::Sqrt(hn::Add(hn::Mul(a, a), b));
  const V square = hn::IfThenElse(hn::Gt(a, zero), hn::Div(b, hn::Add(root, a)), hn::Sub(root, a));
  V x = hn::Sqrt(square);
  // Then Halley's method, which makes the digits threefold, by the smaller part of the integral.
  const auto upper = hn::Gt(p, hn::Set(d, 0.5));
  for (int step = 0; step < 3; ++step) {
    const V difference = hn::IfThenElse(upper, hn::Sub(q, erfc(d, x)), hn::Sub(erf(d, x), p));
    const V slope = hn::Mul(hn::Set(d, kTwoOverRootPi), exponential(d, hn::Neg(hn::Mul(x, x))));
    const V newton = hn::Div(difference, slope);
    x = hn::Sub(x, hn::Div(newton, hn::Add(one, hn::Mul(x, newton))));
  }
  // Small ones by the first term of the series; the rest of the product would underflow first.
  const Expansion<V> first = two_product(d, size, hn::Set(d, kHalfRootPi));
  const V more = hn::Add(first.low, hn::Mul(size, hn::Set(d, kHalfRootPiRest)));
  const auto has_rest = hn::And(small, hn::Gt(size, hn::Set(d, 0x1p-900)));
  const V linear = hn::Add(first.high, hn::IfThenElseZero(has_rest, more));
  const V edge = hn::IfThenElse(hn::Eq(size, one), hn::Inf(d), hn::NaN(d));
  const V result = hn::IfThenElse(inside, hn::IfThenElse(small, linear, x), edge);
  return hn::CopySign(result, y);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
