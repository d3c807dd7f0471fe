// SPDX-License-Identifier: Apache-2.0
// Per-target: sin and cos of vectors of float and double, tan and sinc of double. Arguments of
// any size are reduced in the same way (Payne and Hanek 1983).
#if defined(ACLGRAD_OPS_ENGINE_MATH_TRIG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_TRIG_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_TRIG_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_TRIG_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/engine/math/long-inl.h"
#include "ops/engine/math/two_over_pi.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// |x| = quadrant pi/2 + y but for multiples of 2 pi, |y| up to pi/4.
template <class V>
struct ReducedAngle {
  V quadrant;  // integral
  Expansion<V> y;
};

// For finite x, which are floats if kOfFloat.
template <bool kOfFloat, class D, class V>
HWY_INLINE ReducedAngle<V> reduce_angle(D d, V x) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  constexpr double kHalfPiRest = 0x1.1a62633145c07p-54;
  constexpr int64_t kFractionBits = kOfFloat ? 23 : 52;
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const V size = hn::Abs(x);
  // size = m 2^e with an integer m. Of 2^e 2/pi the multiples of 4 do not count; so many bits of
  // the rest do that successive pieces of 48 bits hold.
  const auto bits = hn::BitCast(di, size);
  const auto mantissa = hn::And(bits, hn::Set(di, (int64_t{1} << 52) - 1));
  const V fraction = hn::BitCast(d, hn::Or(mantissa, hn::BitCast(di, hn::Set(d, 1.0))));
  const V m = hn::Mul(fraction, hn::Set(d, static_cast<double>(int64_t{1} << kFractionBits)));
  const auto least = hn::Set(di, int64_t{1023 - 54 + kFractionBits});
  const auto first = hn::Max(hn::Sub(hn::ShiftRight<52>(bits), least), hn::Zero(di));
  const auto shift = hn::BitCast(du, hn::And(first, hn::Set(di, int64_t{7})));
  const auto begin = hn::Sub(hn::Set(di, kTwoOverPiEnd), hn::ShiftRight<3>(first));
  const auto piece = [&](int64_t number, double unit) HWY_ATTR {
    const auto* base = reinterpret_cast<const uint64_t*>(kTwoOverPi);
    const auto offset = hn::Sub(begin, hn::Set(di, 6 * number));
    const auto word = hn::Shl(hn::GatherOffset(du, base, offset), shift);
    const V magic = hn::Set(d, 0x1p52);
    const V value = hn::BitCast(d, hn::Or(hn::ShiftRight<16>(word), hn::BitCast(du, magic)));
    return hn::Mul(hn::Sub(value, magic), hn::Set(d, unit));
  };
  // Sums of parts are exact as long as their last bits are not further apart than 53.
  const Expansion<V> p0 = two_product(d, m, piece(0, 0x1p-46));
  const V four = hn::Set(d, 4.0);
  const V turns = hn::Mul(four, hn::Round(hn::Mul(p0.high, hn::Set(d, 0.25))));
  const V whole = hn::Add(hn::Sub(p0.high, turns), p0.low);
  V quadrant;
  Expansion<V> part;
  if constexpr (kOfFloat) {
    quadrant = nearest_integer(d, whole);
    part = two_sum(hn::Sub(whole, quadrant), hn::Mul(m, piece(1, 0x1p-94)));
  } else {
    const Expansion<V> p1 = two_product(d, m, piece(1, 0x1p-94));
    const Expansion<V> p2 = two_product(d, m, piece(2, 0x1p-142));
    const Expansion<V> s1 = two_sum(whole, p1.high);
    quadrant = nearest_integer(d, s1.high);
    const Expansion<V> s2 = two_sum(hn::Sub(s1.high, quadrant), hn::Add(s1.low, p1.low));
    const Expansion<V> s3 = two_sum(s2.high, p2.high);
    const V last = hn::Add(p2.low, hn::Mul(m, piece(3, 0x1p-190)));
    part = two_sum(s3.high, hn::Add(hn::Add(s2.low, s3.low), last));
  }
  const Expansion<V> angle = two_product(d, part.high, hn::Set(d, kHalfPi));
  const V low = hn::Add(angle.low, hn::Add(hn::Mul(part.high, hn::Set(d, kHalfPiRest)),
                                           hn::Mul(part.low, hn::Set(d, kHalfPi))));
  const auto small = hn::Lt(size, hn::Set(d, kHalfPi / 2));
  return {hn::IfThenZeroElse(small, quadrant),
          {hn::IfThenElse(small, size, angle.high), hn::IfThenZeroElse(small, low)}};
}

// sin(y) and cos(y) for |y| up to pi/4, each as the sum of two numbers.
template <class V>
struct SinCos {
  Expansion<V> sine;
  Expansion<V> cosine;
};
template <class D, class V>
HWY_INLINE SinCos<V> sin_and_cos(D d, Expansion<V> y) {
  // Taylor series: -1/3!, 1/5!, ... and 1/4!, -1/6!, ...
  static constexpr double kSin[] = {
      -1.0 / 6,         1.0 / 120,         -1.0 / 5040,           1.0 / 362880,
      -1.0 / 39916800., 1.0 / 6227020800., -1.0 / 1307674368000., 1.0 / 355687428096000.};
  static constexpr double kCos[] = {
      1.0 / 24,         -1.0 / 720,          1.0 / 40320,           -1.0 / 3628800,
      1.0 / 479001600., -1.0 / 87178291200., 1.0 / 20922789888000., -1.0 / 6402373705728000.};
  const V square = hn::Mul(y.high, y.high);
  const V half = hn::Mul(square, hn::Set(d, 0.5));
  const V one = hn::Set(d, 1.0);
  const V w = hn::Sub(one, half);
  const V cube = hn::Mul(hn::Mul(square, y.high), polynomial(d, square, kSin));
  const V fourth = hn::Mul(hn::Mul(square, square), polynomial(d, square, kCos));
  const V lost = hn::Sub(hn::Sub(one, w), half);
  return {{y.high, hn::Add(cube, hn::Mul(y.low, w))},
          {w, hn::Add(lost, hn::Sub(fourth, hn::Mul(y.high, y.low)))}};
}

// Whether an integral quadrant is odd; what an even one gives to the sign of a sine.
template <class D, class V>
HWY_INLINE hn::Mask<D> is_odd(D d, V quadrant) {
  const hn::RebindToUnsigned<D> du;
  const auto one_bit = hn::Set(du, uint64_t{1});
  const auto number = hn::BitCast(du, hn::Add(quadrant, hn::Set(d, kIntegerMagic)));
  return hn::RebindMask(d, hn::Eq(hn::And(number, one_bit), one_bit));
}
template <class D, class V>
HWY_INLINE V sign_of_quadrant(D d, V quadrant) {
  const hn::RebindToUnsigned<D> du;
  const auto number = hn::BitCast(du, hn::Add(quadrant, hn::Set(d, kIntegerMagic)));
  return hn::BitCast(d, hn::ShiftLeft<63>(hn::ShiftRight<1>(number)));
}

// sin(|x| + quadrants pi/2) for finite x.
template <bool kOfFloat, class D, class V>
HWY_INLINE V sin_of_size(D d, V x, double quadrants) {
  const auto [quadrant, y] = reduce_angle<kOfFloat>(d, x);
  const auto [sine, cosine] = sin_and_cos(d, y);
  const V turned = hn::Add(quadrant, hn::Set(d, quadrants));
  const Expansion<V> value = if_then_else(is_odd(d, turned), cosine, sine);
  return hn::Xor(hn::Add(value.high, value.low), sign_of_quadrant(d, turned));
}

template <bool kOfFloat, class D, class V>
HWY_INLINE V sin_in_double(D d, V x) {
  const V result = hn::Xor(sin_of_size<kOfFloat>(d, x, 0), hn::And(x, hn::Set(d, -0.0)));
  return hn::IfThenElse(hn::IsFinite(x), result, hn::NaN(d));
}
// Lanes: float, double. Largest error: 1 ulp. Range: all x; NaN at infinities.
template <class D, class V>
HWY_INLINE V sin(D d, V x) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [](auto wide, auto each) HWY_ATTR { return sin_in_double<true>(wide, each); }, x);
  } else {
    return sin_in_double<false>(d, x);
  }
}

template <bool kOfFloat, class D, class V>
HWY_INLINE V cos_in_double(D d, V x) {
  return hn::IfThenElse(hn::IsFinite(x), sin_of_size<kOfFloat>(d, x, 1), hn::NaN(d));
}
// Lanes: float, double. Largest error: 1 ulp. Range: all x; NaN at infinities.
template <class D, class V>
HWY_INLINE V cos(D d, V x) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [](auto wide, auto each) HWY_ATTR { return cos_in_double<true>(wide, each); }, x);
  } else {
    return cos_in_double<false>(d, x);
  }
}

// Lanes: double. Largest error: 1.5 ulp. Range: all x; NaN at infinities.
template <class D, class V>
HWY_INLINE V tan(D d, V x) {
  const auto small = hn::Lt(hn::Abs(x), hn::Set(d, kLinear));
  const V moderate = hn::IfThenElse(small, hn::Set(d, 1.0), x);
  const auto [quadrant, y] = reduce_angle<false>(d, moderate);
  const auto [sine, cosine] = sin_and_cos(d, y);
  const auto odd = is_odd(d, quadrant);
  const Expansion<V> below = if_then_else(odd, sine, cosine);
  const auto result =
      long_quotient(d, if_then_else(odd, cosine, sine), two_sum(below.high, below.low));
  const V size = hn::Add(result.high, result.low);
  const V sign = hn::IfThenElseZero(odd, hn::Set(d, -0.0));
  const V value = hn::Xor(hn::Xor(size, sign), hn::And(x, hn::Set(d, -0.0)));
  return hn::IfThenElse(small, x, hn::IfThenElse(hn::IsFinite(x), value, hn::NaN(d)));
}

// pi x as the sum of two numbers.
template <class D, class V>
HWY_INLINE Expansion<V> times_pi(D d, V x) {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  constexpr double kPiRest = 0x1.1a62633145c07p-53;
  const Expansion<V> product = two_product(d, x, hn::Set(d, kPi));
  return {product.high, hn::Add(product.low, hn::Mul(x, hn::Set(d, kPiRest)))};
}

// sin(pi x) / (pi x), 1 at 0 and 0 at other whole numbers. Lanes: double. Largest error: 1 ulp.
// Range: all x; NaN at infinities.
template <class D, class V>
HWY_INLINE V sinc(D d, V x) {
  const V size = hn::Abs(x);
  const auto small = hn::Lt(size, hn::Set(d, kLinear));
  const auto whole = hn::AndNot(small, hn::Eq(hn::Round(size), size));
  const V moderate = hn::IfThenElse(hn::Or(small, whole), hn::Set(d, 0.5), size);
  const V half = hn::Set(d, 0.5);
  const V turns = hn::Round(hn::Mul(moderate, half));
  const V rest = hn::Sub(moderate, hn::Add(turns, turns));  // from -1 to 1
  const V quadrant = nearest_integer(d, hn::Add(rest, rest));
  const V left = hn::Sub(rest, hn::Mul(quadrant, half));
  const auto [sine, cosine] = sin_and_cos(d, times_pi(d, left));
  const Expansion<V> value = if_then_else(is_odd(d, quadrant), cosine, sine);
  const auto result = long_quotient(d, value, times_pi(d, moderate));
  const V quotient = hn::Xor(hn::Add(result.high, result.low), sign_of_quadrant(d, quadrant));
  const V beside_small = hn::IfThenElse(whole, hn::Zero(d), quotient);
  const V finite = hn::IfThenElse(small, hn::Set(d, 1.0), beside_small);
  return hn::IfThenElse(hn::IsFinite(x), finite, hn::NaN(d));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
