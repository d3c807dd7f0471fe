// SPDX-License-Identifier: Apache-2.0
// Per-target: the logistic function and SiLU of vectors of float and double.
#if defined(ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "ops/engine/math/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// 1 / (1 + e^-z) and 1 / (1 + e^z), which add up to 1; each accurate where it is tiny.
template <class V>
struct LogisticPair {
  V of_plus;
  V of_minus;
};

// Lanes: double. Largest error: 3 ulp of each. Range: z = high + low with finite low.
template <class D, class V>
HWY_INLINE LogisticPair<V> logistic_pair(D d, V high, V low) {
  const auto negative = hn::Lt(high, hn::Zero(d));
  const V e = exponential(d, hn::Neg(hn::Abs(high)), hn::IfThenElse(negative, low, hn::Neg(low)));
  const V sum = hn::Add(hn::Set(d, 1.0), e);
  const V large = hn::Div(hn::Set(d, 1.0), sum);
  const V small = hn::Div(e, sum);
  return {hn::IfThenElse(negative, small, large), hn::IfThenElse(negative, large, small)};
}

// factor / (1 + e^-x), for a factor of 1 or x. Lanes: double.
template <class D, class V>
HWY_INLINE V sigmoid_times(D d, V factor, V x) {
  const auto positive = hn::Ge(x, hn::Zero(d));
  const V one = hn::Set(d, 1.0);
  const auto e = split_exponential(d, hn::Neg(hn::Abs(x)), hn::Zero(d));
  const V mantissa = hn::Add(one, e.growth);
  const V power = hn::Mul(e.first, e.second);
  const V dividend = hn::IfThenElse(positive, one, mantissa);
  const V ratio = hn::Div(dividend, hn::Add(one, hn::Mul(mantissa, power)));
  const V clamped_ratio = hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -760.0)), ratio);
  const V product = hn::Mul(factor, clamped_ratio);
  return hn::IfThenElse(positive, product, hn::Mul(hn::Mul(product, e.first), e.second));
}

// factor e^x for x < -kNearLimit, and `factor` for x > kNearLimit. |factor| <= |x|.
template <class D, class V>
HWY_INLINE V far_exponential(D d, V factor, V x) {
  const V lowest = hn::Set(d, -200.0f);
  const auto e = grown_power(d, larger(lowest, smaller(hn::Zero(d), x)));
  const V bounded = larger(lowest, factor);
  const V small = scale_by_power(d, mul_add(d, bounded, e.growth, bounded), e.n);
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), factor, small);
}

// 1 / (1 + e^-x). Lanes: float, double. Largest error: 2 ulp, 3 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  if constexpr (kIsFloat<D>) {
    // 7/4 over 7/4 + 7/4 e^-x: sums of 1 and a power of two may lie midway between two floats.
    const V scale = hn::Set(d, 1.75f);
    return by_size(
        d, x,
        [&](V near) HWY_ATTR {
          const auto e = grown_power(d, hn::Sub(hn::Set(d, kAboveTiny), near));
          const V power = hn::Mul(e.power, scale);
          return hn::Div(scale, mul_add(d, power, e.growth, hn::Add(power, scale)));
        },
        [&](V far) HWY_ATTR { return far_exponential(d, one, far); });
  } else {
    return sigmoid_times(d, one, x);
  }
}

// x / (1 + e^-x). Lanes: float, double. Largest error: 2 ulp, 4 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V silu(D d, V x) {
  if constexpr (kIsFloat<D>) {
    const V one = hn::Set(d, 1.0f);
    return by_size(
        d, x,
        [&](V value) HWY_ATTR {
          // Half of tiny x: what their roundings leave would be subnormal.
          const auto tiny = hn::Lt(hn::Abs(value), hn::Set(d, kAboveTiny));
          const V near = hn::IfThenElse(tiny, one, value);
          const auto e = grown_power(d, hn::Neg(near));
          const V base = hn::Add(one, e.power);
          const V sum = mul_add(d, e.power, e.growth, base);
          const V rest = mul_add(d, e.power, e.growth, hn::Sub(base, sum));
          const V inverse = hn::Div(one, sum);
          const V ratio = hn::Mul(near, inverse);
          const V excess = mul_add(d, ratio, rest, mul_sub(d, ratio, sum, near));
          const V plain = mul_add(d, hn::Neg(excess), inverse, ratio);
          return hn::IfThenElse(tiny, hn::Mul(value, hn::Set(d, 0.5f)), plain);
        },
        [&](V far) HWY_ATTR {
          const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
          const V undefined = hn::Add(far, infinity);  // -infinity times 0
          return hn::IfThenElse(hn::Eq(far, hn::Neg(infinity)), undefined,
                                far_exponential(d, far, far));
        });
  } else {
    return sigmoid_times(d, x, x);
  }
}

// g times the slope of SiLU for |x| > kNearLimit: 1, or (1 + x) e^x.
template <class D, class V>
HWY_INLINE V far_silu_backward(D d, V g, V x) {
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0f);
  const V clamped_x = larger(hn::Set(d, -200.0f), smaller(zero, x));
  const auto e = grown_power(d, clamped_x);
  const V factor = hn::Add(one, clamped_x);
  const V slope = mul_add(d, factor, e.growth, factor);
  // slope 2^n may be too small for a float where the product is not: the powers are added.
  const hn::RebindToSigned<D> di;
  const auto small = hn::Lt(hn::Abs(g), hn::Set(d, 0x1p-126f));
  const V lifted = hn::IfThenElse(small, hn::Mul(g, hn::Set(d, 0x1p24f)), g);
  const auto bits = hn::BitCast(di, lifted);
  const auto fraction = hn::And(bits, hn::Set(di, static_cast<int32_t>(0x807fffffu)));
  const V mantissa = hn::BitCast(d, hn::Or(fraction, hn::BitCast(di, one)));
  const auto biased = hn::And(hn::ShiftRight<23>(bits), hn::Set(di, 255));
  const V bias = hn::IfThenElse(small, hn::Set(d, 151.0f), hn::Set(d, 127.0f));
  const V exponent = hn::Sub(hn::ConvertTo(d, biased), bias);
  const V result = scale_by_power(d, hn::Mul(mantissa, slope), hn::Add(exponent, e.n));
  // Zeros have no mantissa, infinities and NaN no power.
  const auto regular = hn::And(hn::IsFinite(g), hn::Ne(g, zero));
  const V negative = hn::IfThenElse(regular, result, hn::Mul(g, slope));
  return hn::IfThenElse(hn::Gt(x, zero), g, negative);
}

// g times its derivative, which is 0 and 1 at the infinities. Lanes: float, double. Largest error:
// 3 ulp in float; in double without a bound near the root at -1.278. Range: all g and x.
template <class D, class V>
HWY_INLINE V silu_backward(D d, V g, V x) {
  if constexpr (kIsFloat<D>) {
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0f);
    return by_size(
        d, x,
        [&](V value) HWY_ATTR {
          // With e = e^-|x| and t = x e or x: (1 + e + t) / (1 + e)^2 for x > 0, times e otherwise.
          const V near = hn::Add(value, hn::Set(d, kAboveTiny));
          const auto positive = hn::Ge(near, zero);
          const auto e = grown_power(d, hn::Neg(hn::Abs(near)));
          const V exponential = mul_add(d, e.power, e.growth, e.power);
          const V sum = mul_add(d, e.power, e.growth, hn::Add(one, e.power));
          const V rest = mul_add(d, e.power, e.growth, hn::Sub(e.power, hn::Sub(sum, one)));
          const V weight = hn::IfThenElse(positive, exponential, one);
          const V above = mul_add(d, near, weight, sum);
          const V above_rest = hn::Add(mul_add(d, near, weight, hn::Sub(sum, above)), rest);
          const V growth = hn::IfThenZeroElse(positive, e.growth);
          const V dividend = mul_add(d, above, growth, above);
          const V dividend_rest = hn::Add(mul_add(d, above, growth, hn::Sub(above, dividend)),
                                          mul_add(d, above_rest, growth, above_rest));
          const V square = hn::Mul(sum, sum);
          const V square_rest = mul_add(d, hn::Add(sum, sum), rest, mul_sub(d, sum, sum, square));
          const V inverse = hn::Div(one, square);
          const V ratio = hn::Mul(dividend, inverse);
          const V left =
              mul_add(d, ratio, hn::Neg(square_rest), mul_add(d, ratio, hn::Neg(square), dividend));
          const V slope = mul_add(d, hn::Add(left, dividend_rest), inverse, ratio);
          const V power = hn::IfThenElse(positive, one, e.power);
          // Near the root the Taylor series, as the sums have lost their digits.
          static constexpr float kSeries[] = {0x1.be1410p-3f, 0x1.2c5634p-3f, 0x1.353eb6p-6f,
                                              -0x1.f2d0e4p-7f};
          const V offset =
              hn::Add(near, hn::Set(d, 0x1.474974p+0f));        // exact, but for what the root has
          const V rest_of_root = hn::Set(d, -0x1.bdf6fap-27f);  // beyond a float
          V series = hn::Set(d, kSeries[3]);
          for (size_t k = 3; k-- > 0;) series = mul_add(d, series, offset, hn::Set(d, kSeries[k]));
          const V near_root = mul_add(d, series, offset, hn::Mul(series, rest_of_root));
          const auto is_root = hn::Lt(hn::Abs(offset), hn::Set(d, 0x1.8p-6f));
          return hn::Mul(g, hn::IfThenElse(is_root, near_root, hn::Mul(slope, power)));
        },
        [&](V far) HWY_ATTR { return far_silu_backward(d, g, far); });
  } else {
    const V clamped_x = clamp(d, x, -760.0, 760.0);
    const auto s = logistic_pair(d, clamped_x, hn::Zero(d));
    const V factor = hn::Add(hn::Set(d, 1.0), hn::Mul(clamped_x, s.of_minus));
    return hn::Mul(g, hn::Mul(s.of_plus, factor));
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
