// SPDX-License-Identifier: Apache-2.0
// Per-target: exp2, hyperbolic functions and their inverses, and logarithms of sums of
// exponentials, of vectors of double.
#if defined(ACLGRAD_OPS_ENGINE_MATH_HYPERBOLIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_HYPERBOLIC_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_HYPERBOLIC_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_HYPERBOLIC_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "ops/engine/math/long-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;
inline constexpr double kLn2Rest = 0x1.abc9e3b39803fp-56;

// 2^x; whole x exactly. Lanes: double. Largest error: 2 ulp; subnormal results are rounded once
// more. Range: all x.
template <class D, class V>
HWY_INLINE V exp2(D d, V x) {
  const V bounded = clamp(d, x, -1100.0, 1100.0);
  const V n = nearest_integer(d, bounded);
  const V r = hn::Sub(bounded, n);
  const Expansion<V> product = two_product(d, r, hn::Set(d, kLn2));
  const V rest = hn::Add(product.low, hn::Mul(r, hn::Set(d, kLn2Rest)));
  const SplitExponential<V> e = split_exponential(d, product.high, rest);
  const V mantissa = hn::Mul(hn::Mul(hn::Add(hn::Set(d, 1.0), e.growth), e.first), e.second);
  const V half = nearest_integer(d, hn::Mul(n, hn::Set(d, 0.5)));
  return hn::Mul(hn::Mul(mantissa, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
}

// e^|x| / 2, infinite only where sinh and cosh are.
template <class D, class V>
HWY_INLINE V half_exponential(D d, V x) {
  const V size = clamp(d, hn::Abs(x), 0.0, 800.0);
  const Expansion<V> less = two_sum(size, hn::Set(d, -kLn2));
  return exponential(d, less.high, hn::Sub(less.low, hn::Set(d, kLn2Rest)));
}

// Lanes: double. Largest error: 2 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V cosh(D d, V x) {
  const V half = half_exponential(d, x);
  return hn::Add(half, hn::Div(hn::Set(d, 0.25), half));
}
template <class D, class V>
HWY_INLINE V sinh(D d, V x) {
  // 1/3!, 1/5!, ... for sizes below 1, beyond which nothing cancels.
  static constexpr double kSeries[] = {
      1.0 / 6,         1.0 / 120,         1.0 / 5040,           1.0 / 362880,
      1.0 / 39916800., 1.0 / 6227020800., 1.0 / 1307674368000., 1.0 / 355687428096000.};
  const V size = hn::Abs(x);
  const V square = hn::Mul(x, x);
  const V near = hn::Add(size, hn::Mul(hn::Mul(size, square), polynomial(d, square, kSeries)));
  const V half = half_exponential(d, x);
  const V far = hn::Sub(half, hn::Div(hn::Set(d, 0.25), half));
  const auto is_near = hn::Lt(size, hn::Set(d, 1.0));
  return hn::CopySign(hn::IfThenElse(is_near, near, far), x);
}

// log(x + root), or log(2 x) for x so large that there is no difference.
template <class D, class V>
HWY_INLINE V log_of_sum(D d, V x, Expansion<V> root) {
  const auto large = hn::Gt(x, hn::Set(d, 0x1p30));
  Expansion<V> sum = two_sum(x, root.high);
  sum.low = hn::Add(sum.low, root.low);
  const Expansion<V> logarithm = long_log(d, if_then_else(large, {x, hn::Zero(d)}, sum));
  const V more = hn::IfThenElseZero(large, hn::Set(d, kLn2));
  const Expansion<V> total = two_sum(logarithm.high, more);
  return hn::Add(total.high, hn::Add(total.low, logarithm.low));
}

// Lanes: double. Largest error: 1 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V asinh(D d, V x) {
  const V size = hn::Abs(x);
  const V bounded = clamp(d, size, kLinear, std::numeric_limits<double>::max());
  const V moderate = hn::Min(bounded, hn::Set(d, 0x1p40));
  const Expansion<V> square = two_product(d, moderate, moderate);
  const Expansion<V> sum = two_sum(square.high, hn::Set(d, 1.0));
  const auto root = long_sqrt(d, Expansion<V>{sum.high, hn::Add(sum.low, square.low)});
  const V result = log_of_sum(d, bounded, root);
  const auto small = hn::Lt(size, hn::Set(d, kLinear));
  const auto finite = hn::IsFinite(x);
  return hn::IfThenElse(hn::AndNot(small, finite), hn::CopySign(result, x), x);
}

// Lanes: double. Largest error: 1 ulp. Range: all x; NaN below 1.
template <class D, class V>
HWY_INLINE V acosh(D d, V x) {
  const V bounded = clamp(d, x, 1.0, std::numeric_limits<double>::max());
  const V moderate = hn::Min(bounded, hn::Set(d, 0x1p40));
  const Expansion<V> square = two_product(d, moderate, moderate);
  const Expansion<V> sum = two_sum(square.high, hn::Set(d, -1.0));
  const auto root = long_sqrt(d, Expansion<V>{sum.high, hn::Add(sum.low, square.low)});
  const V result = log_of_sum(d, bounded, root);
  const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  const V from_one = hn::IfThenElse(hn::Lt(x, infinity), result, x);  // NaN too
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0)), hn::NaN(d), from_one);
}

// Lanes: double. Largest error: 1 ulp. Range: all x; NaN beyond -1 and 1.
template <class D, class V>
HWY_INLINE V atanh(D d, V x) {
  // log((1 + x) / (1 - x)) / 2, as log(1 + 2 x / (1 - x)) / 2.
  const V one = hn::Set(d, 1.0);
  const V size = hn::Abs(x);
  const auto linear = hn::Lt(size, hn::Set(d, kLinear));
  const auto inside = hn::Lt(size, one);
  const V bounded = hn::IfThenElse(hn::AndNot(linear, inside), size, hn::Set(d, 0.5));
  const auto offset = long_quotient(d, Expansion<V>{hn::Add(bounded, bounded), hn::Zero(d)},
                                    two_sum(one, hn::Neg(bounded)));
  Expansion<V> sum = two_sum(one, offset.high);
  sum.low = hn::Add(sum.low, offset.low);
  const Expansion<V> logarithm = long_log(d, sum);
  const V half = hn::Mul(hn::Set(d, 0.5), hn::Add(logarithm.high, logarithm.low));
  const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  const V edge = hn::IfThenElse(hn::Eq(size, one), infinity, hn::NaN(d));
  const V result = hn::IfThenElse(inside, hn::IfThenElse(linear, size, half), edge);
  return hn::CopySign(result, x);
}

// x where both are the same infinity, otherwise max + log(1 + b^-|x - y|) / log b.
template <class V, class Correction>
HWY_INLINE V log_add(V x, V y, const Correction& correction) {
  const V most = hn::IfThenElse(hn::Gt(x, y), x, y);
  const V distance = hn::Abs(hn::Sub(x, y));
  const V sum = hn::Add(most, correction(hn::Neg(distance)));
  const V nan = hn::Add(x, y);
  const V result = hn::IfThenElse(hn::And(hn::IsInf(x), hn::Eq(x, y)), x, sum);
  // Of opposite infinities the larger is the result.
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), nan, result);
}

// log(e^x + e^y). Lanes: double. Largest error: 2 ulp of the larger of the result and 1. Range:
// all.
template <class D, class V>
HWY_INLINE V log_add_exp(D d, V x, V y) {
  return log_add(x, y, [d](V z) HWY_ATTR { return log1p(d, exponential(d, z)); });
}
// log2(2^x + 2^y)
template <class D, class V>
HWY_INLINE V log_add_exp2(D d, V x, V y) {
  return log_add(x, y, [d](V z) HWY_ATTR {
    return times_constant(d, Expansion<V>{log1p(d, exp2(d, z)), hn::Zero(d)}, 0x1.71547652b82fep+0,
                          0x1.777d0ffda0d24p-56);
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
