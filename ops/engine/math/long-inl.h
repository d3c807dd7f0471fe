// SPDX-License-Identifier: Apache-2.0
// Per-target: quotients, roots and logarithms of sums of two doubles, for functions that round
// once.
#if defined(ACLGRAD_OPS_ENGINE_MATH_LONG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_LONG_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_LONG_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_LONG_INL_H_
#endif

#include "hwy/highway.h"
#include "ops/engine/math/log-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Below this size odd functions of slope 1 at 0, as atan and sinh, are their argument.
inline constexpr double kLinear = 0x1p-27;

// x / y, to 2^-100 of it; no part may underflow. Lanes: double.
template <class D, class V>
HWY_INLINE Expansion<V> long_quotient(D d, Expansion<V> x, Expansion<V> y) {
  const V q = hn::Div(x.high, y.high);
  const Expansion<V> back = two_product(d, q, y.high);
  const V left = hn::Sub(hn::Sub(x.high, back.high), back.low);
  const V rest = hn::Add(left, hn::Sub(x.low, hn::Mul(q, y.low)));
  return {q, hn::Div(rest, y.high)};
}

// The root of x >= 0, to 2^-100 of it. Lanes: double.
template <class D, class V>
HWY_INLINE Expansion<V> long_sqrt(D d, Expansion<V> x) {
  const V root = hn::Sqrt(x.high);
  const Expansion<V> back = two_product(d, root, root);
  const V left = hn::Sub(hn::Sub(x.high, back.high), back.low);
  const V rest = hn::Div(hn::Add(left, x.low), hn::Add(root, root));
  return {root, hn::IfThenElseZero(hn::Gt(root, hn::Zero(d)), rest)};
}

// The logarithm of u > 0, to 2^-60 of it, also where u is 1 and a small rest. Lanes: double.
template <class D, class V>
HWY_INLINE Expansion<V> long_log(D d, Expansion<V> u) {
  const Expansion<V> logarithm = long_log_of_positive(d, u.high);
  const V rest = hn::Add(logarithm.low, hn::Div(u.low, u.high));
  return two_sum(logarithm.high, rest);
}

// (x.high + x.low) times a constant in two parts, rounded once.
template <class D, class V>
HWY_INLINE V times_constant(D d, Expansion<V> x, double high, double low) {
  const Expansion<V> product = two_product(d, x.high, hn::Set(d, high));
  const V rest = hn::Add(hn::Mul(x.high, hn::Set(d, low)), hn::Mul(x.low, hn::Set(d, high)));
  return hn::Add(product.high, hn::Add(product.low, rest));
}

// Logarithms to base 2 and 10; those of exact powers are exact. Lanes: double. Largest error: 1
// ulp. Range: all x; NaN below 0.
template <class D, class V>
HWY_INLINE V log2(D d, V x) {
  const V result =
      times_constant(d, long_log_of_positive(d, x), 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
  return with_limits_of_log(d, x, result);
}
template <class D, class V>
HWY_INLINE V log10(D d, V x) {
  const V result =
      times_constant(d, long_log_of_positive(d, x), 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
  return with_limits_of_log(d, x, result);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
