// SPDX-License-Identifier: Apache-2.0
// Per-target: the logistic function and SiLU of vectors of float and double.
#if defined(ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_SIGMOID_INL_H_
#endif

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

// With e = e^-|x| = m 2^n: 1 / (1 + e) is the logistic function of |x|, m / (1 + e) 2^n that of
// -|x|.
template <class V>
struct FloatLogistic {
  Expansion<V> mantissa;  // m, or 0 where also x, or any float, times the result is 0
  Expansion<V> divisor;   // 1 + e
  V inverse;              // near 1 / divisor
  V n;
  V power;  // 2^n as long as it counts beside 1

  template <class D>
  HWY_INLINE Expansion<V> over_divisor(D d, Expansion<V> dividend) const {
    return long_quotient(d, dividend, divisor, inverse);
  }
};
template <class D, class V>
HWY_INLINE FloatLogistic<V> float_logistic(D d, V x) {
  const auto e = exp_parts(d, clamp_or_zero(d, hn::Neg(hn::Abs(x)), -200.0f, 0.0f));
  const V one = hn::Set(d, 1.0f);
  const auto mantissa = normalized(add_to_larger(d, 1.0f, {e.r, e.beyond}));
  const V power = power_of_two(d, larger(hn::Set(d, -40.0f), e.n));
  const auto divisor =
      add_to_larger(d, 1.0f, {hn::Mul(mantissa.high, power), hn::Mul(mantissa.low, power)});
  const auto far = hn::Gt(hn::Abs(x), hn::Set(d, 200.0f));
  return {{hn::IfThenZeroElse(far, mantissa.high), hn::IfThenZeroElse(far, mantissa.low)},
          divisor,
          hn::Div(one, divisor.high),
          e.n,
          power};
}

// factor / (1 + e^-x), for a factor of 1 or x.
template <class D, class V>
HWY_INLINE V sigmoid_times(D d, V factor, V x) {
  const auto positive = hn::Ge(x, hn::Zero(d));
  if constexpr (kIsFloat<D>) {
    const auto e = float_logistic(d, x);
    const V one = hn::Set(d, 1.0f);
    const auto dividend = if_then_else(positive, {one, hn::Zero(d)}, e.mantissa);
    const auto ratio = e.over_divisor(d, dividend);
    return scale_by_power(d, hn::Mul(factor, hn::Add(ratio.high, ratio.low)),
                          hn::IfThenZeroElse(positive, e.n));
  } else {
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
}

// 1 / (1 + e^-x). Lanes: float, double. Largest error: 1 ulp, 3 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
  return sigmoid_times(d, hn::Set(d, hn::TFromD<D>{1}), x);
}

// x / (1 + e^-x). Lanes: float, double. Largest error: 2 ulp, 4 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V silu(D d, V x) {
  return sigmoid_times(d, x, x);
}

// g times its derivative, which is 0 and 1 at the infinities. Lanes: float, double. Largest error:
// 3 ulp in float; in double without a bound near the root at -1.278. Range: all g and x.
template <class D, class V>
HWY_INLINE V silu_backward(D d, V g, V x) {
  if constexpr (kIsFloat<D>) {
    // s (1 + x c) with s and c = 1 - s the logistic functions of x and -x.
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0f);
    const auto positive = hn::Ge(x, zero);
    const auto e = float_logistic(d, x);
    const auto of_size = e.over_divisor(d, {one, zero});
    const auto of_minus_size = e.over_divisor(d, e.mantissa);
    const Expansion<V> tail{hn::Mul(of_minus_size.high, e.power),
                            hn::Mul(of_minus_size.low, e.power)};
    const auto s = if_then_else(positive, of_size, of_minus_size);
    const auto c = if_then_else(positive, tail, of_size);
    const V clamped_x = clamp_or_zero(d, x, -200.0f, 200.0f);
    const V product = hn::Mul(clamped_x, c.high);
    const V rest = hn::Add(mul_sub(d, clamped_x, c.high, product), hn::Mul(clamped_x, c.low));
    const auto sum = two_sum(one, product);
    const V factor = hn::Add(sum.high, hn::Add(sum.low, rest));
    const V plain = hn::Mul(hn::Add(s.high, s.low), factor);
    // Near the root the factor has lost its digits: there the Taylor series.
    static constexpr float kSeries[] = {0x1.be1410p-3f,  0x1.2c5634p-3f,  0x1.353eb6p-6f,
                                        -0x1.f2d0e4p-7f, -0x1.b0f82cp-8f, 0x1.098e92p-13f,
                                        0x1.a2a7cap-11f, 0x1.8574d2p-13f};
    const V offset = hn::Add(x, hn::Set(d, 0x1.474974p+0f));  // exact, but for what the root has
    const V rest_of_root = hn::Set(d, -0x1.bdf6fap-27f);      // beyond a float
    V series = hn::Set(d, kSeries[7]);
    for (size_t k = 7; k-- > 0;) series = mul_add(d, series, offset, hn::Set(d, kSeries[k]));
    const V near_root = mul_add(d, series, offset, hn::Mul(series, rest_of_root));
    const auto near = hn::Lt(hn::Abs(offset), hn::Set(d, 0.25f));
    const V slope = hn::IfThenElse(near, near_root, plain);
    const V n = hn::IfThenZeroElse(hn::Or(near, positive), e.n);
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
    const V result = scale_by_power(d, hn::Mul(mantissa, slope), hn::Add(exponent, n));
    // Zeros have no mantissa, infinities and NaN no power.
    const auto regular = hn::And(hn::IsFinite(g), hn::Ne(g, zero));
    return hn::IfThenElse(regular, result, hn::Mul(g, slope));
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
