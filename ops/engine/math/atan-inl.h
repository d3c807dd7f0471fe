// SPDX-License-Identifier: Apache-2.0
// Per-target: arctangents, and the functions that are one, of vectors of double. Each finds its
// angle as the sum of two numbers, which is rounded once.
#if defined(ACLGRAD_OPS_ENGINE_MATH_ATAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_ATAN_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_ATAN_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_ATAN_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "ops/engine/math/long-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// atan(k / 16) in two parts.
alignas(64) inline constexpr double kArctangents[] = {0.0,
                                                      0x1.ff55bb72cfdeap-5,
                                                      0x1.fd5ba9aac2f6ep-4,
                                                      0x1.7b97b4bce5b02p-3,
                                                      0x1.f5b75f92c80ddp-3,
                                                      0x1.362773707ebccp-2,
                                                      0x1.6f61941e4def1p-2,
                                                      0x1.a64eec3cc23fdp-2,
                                                      0x1.dac670561bb4fp-2,
                                                      0x1.0657e94db30d0p-1,
                                                      0x1.1e00babdefeb4p-1,
                                                      0x1.345f01cce37bbp-1,
                                                      0x1.4978fa3269ee1p-1,
                                                      0x1.5d58987169b18p-1,
                                                      0x1.700a7c5784634p-1,
                                                      0x1.819d0b7158a4dp-1,
                                                      0x1.921fb54442d18p-1};
alignas(64) inline constexpr double kArctangentRests[] = {0.0,
                                                          -0x1.c934d86d23f1dp-60,
                                                          -0x1.cd37686760c17p-59,
                                                          0x1.347b0b4f881cap-58,
                                                          0x1.8ab6e3cf7afbdp-57,
                                                          -0x1.963a544b672d8p-57,
                                                          -0x1.c63aae6f6e918p-56,
                                                          -0x1.24dec1b50b7ffp-56,
                                                          0x1.a2b7f222f65e2p-56,
                                                          -0x1.d5b495f6349e6p-56,
                                                          -0x1.928df287a668fp-58,
                                                          0x1.1021137c71102p-55,
                                                          0x1.2419a87f2a458p-56,
                                                          0x1.0028e4bc5e7cap-57,
                                                          -0x1.8c34d25aadef6p-56,
                                                          -0x1.bf76229d3b917p-56,
                                                          0x1.1a62633145c07p-55};

// atan(y / x) for 0 <= y <= x and x of moderate size. Lanes: double. Largest error of the sum:
// 2^-60 of it.
template <class D, class V>
HWY_INLINE Expansion<V> arctangent(D d, Expansion<V> y, Expansion<V> x) {
  // -1/3, 1/5, ... The first term that is left out is below 2^-73.
  static constexpr double kSeries[] = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13};
  const hn::RebindToSigned<D> di;
  // y / x is within 1/32 of c = k / 16: atan(y / x) = atan(c) + atan((y - c x) / (x + c y)).
  const V sixteen = hn::Set(d, 16.0);
  const V shifted = hn::Add(hn::Mul(hn::Div(y.high, x.high), sixteen), hn::Set(d, kIntegerMagic));
  const V c = hn::Mul(hn::Sub(shifted, hn::Set(d, kIntegerMagic)), hn::Set(d, 1.0 / 16));
  const Expansion<V> cx = two_product(d, c, x.high);
  const Expansion<V> cy = two_product(d, c, y.high);
  Expansion<V> above = two_sum(y.high, hn::Neg(cx.high));
  above.low = hn::Add(above.low, hn::Sub(hn::Sub(y.low, cx.low), hn::Mul(c, x.low)));
  Expansion<V> below = two_sum(x.high, cy.high);
  below.low = hn::Add(below.low, hn::Add(hn::Add(x.low, cy.low), hn::Mul(c, y.low)));
  const Expansion<V> t = long_quotient(d, above, below);
  const V square = hn::Mul(t.high, t.high);
  const V series = hn::Mul(hn::Mul(t.high, square), polynomial(d, square, kSeries));
  // Of lanes that are NaN any entry is read.
  const auto k = hn::Min(hn::And(hn::BitCast(di, shifted), hn::Set(di, int64_t{31})),
                         hn::Set(di, int64_t{16}));
  const Expansion<V> sum = two_sum(hn::GatherIndex(d, kArctangents, k), t.high);
  const V rest = hn::Add(hn::GatherIndex(d, kArctangentRests, k), hn::Add(t.low, series));
  return {sum.high, hn::Add(sum.low, rest)};
}

// The angle of the point (x, y) with y >= 0, from 0 to pi; x is negative where `left` is, and given
// by its size. Not both are 0, and both are of moderate size, or 0. Lanes: double. Largest error:
// 0.6 ulp.
template <class D, class V, class M>
HWY_INLINE V angle(D d, Expansion<V> y, Expansion<V> x, M left) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  constexpr double kHalfPiRest = 0x1.1a62633145c07p-54;
  const V zero = hn::Zero(d);
  const auto steep = hn::Gt(y.high, x.high);
  const Expansion<V> a = arctangent(d, if_then_else(steep, x, y), if_then_else(steep, y, x));
  // a, pi/2 - a, pi - a or pi/2 + a.
  const V quarters =
      hn::IfThenElse(steep, hn::Set(d, 1.0), hn::IfThenElse(left, hn::Set(d, 2.0), zero));
  const auto turned = hn::Xor(hn::VecFromMask(d, steep), hn::VecFromMask(d, left));
  const V sign = hn::And(turned, hn::Set(d, -0.0));
  const Expansion<V> sum = two_sum(hn::Mul(quarters, hn::Set(d, kHalfPi)), hn::Xor(a.high, sign));
  const V rest = hn::Add(hn::Mul(quarters, hn::Set(d, kHalfPiRest)), hn::Xor(a.low, sign));
  return hn::Add(sum.high, hn::Add(sum.low, rest));
}

// Lanes: double. Largest error: 1 ulp. Range: all x.
template <class D, class V>
HWY_INLINE V atan(D d, V x) {
  const V size = hn::Abs(x);
  const Expansion<V> y = {clamp(d, size, kLinear, 0x1p60), hn::Zero(d)};
  const V result = angle(d, y, {hn::Set(d, 1.0), hn::Zero(d)}, hn::Lt(size, hn::Zero(d)));
  const V with_small = hn::IfThenElse(hn::Lt(size, hn::Set(d, kLinear)), size, result);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(with_small, x));
}

// sqrt(1 - x^2) for 2^-60 <= x <= 1.
template <class D, class V>
HWY_INLINE Expansion<V> other_side(D d, V x) {
  const Expansion<V> square = two_product(d, x, x);
  const Expansion<V> rest = two_sum(hn::Set(d, 1.0), hn::Neg(square.high));
  return long_sqrt(d, Expansion<V>{rest.high, hn::Sub(rest.low, square.low)});
}

// Lanes: double. Largest error: 1 ulp. Range: all x; NaN beyond -1 and 1.
template <class D, class V>
HWY_INLINE V asin(D d, V x) {
  const V size = hn::Abs(x);
  const V y = clamp(d, size, kLinear, 1.0);
  const V result =
      angle(d, Expansion<V>{y, hn::Zero(d)}, other_side(d, y), hn::Lt(size, hn::Zero(d)));
  const V with_small = hn::IfThenElse(hn::Lt(size, hn::Set(d, kLinear)), size, result);
  const auto inside = hn::Le(size, hn::Set(d, 1.0));
  return hn::CopySign(hn::IfThenElse(inside, with_small, hn::NaN(d)), x);
}

// Lanes: double. Largest error: 1 ulp. Range: all x; NaN beyond -1 and 1.
template <class D, class V>
HWY_INLINE V acos(D d, V x) {
  const V size = hn::Abs(x);
  const V side = clamp(d, size, 0x1p-60, 1.0);
  const auto left = hn::Lt(x, hn::Zero(d));
  const V result = angle(d, other_side(d, side), Expansion<V>{side, hn::Zero(d)}, left);
  return hn::IfThenElse(hn::Le(size, hn::Set(d, 1.0)), result, hn::NaN(d));
}

// The angle of the point (x, y), as C's atan2. Lanes: double. Largest error: 1 ulp; quotients y / x
// that are subnormal are rounded once more. Range: all y and x.
template <class D, class V>
HWY_INLINE V atan2(D d, V y, V x) {
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0);
  V a = hn::Abs(y);
  V b = hn::Abs(x);
  // Infinities count as 1 beside 0 and among themselves.
  const auto infinite = hn::Or(hn::IsInf(a), hn::IsInf(b));
  a = hn::IfThenElse(infinite, hn::IfThenElse(hn::IsInf(a), one, zero), a);
  b = hn::IfThenElse(infinite, hn::IfThenElse(hn::IsInf(b), one, zero), b);
  b = hn::IfThenElse(hn::Eq(hn::Max(a, b), zero), one, b);
  const V quotient = hn::Div(a, b);
  // A power of two for both, and no number that is lost beside the other.
  const V largest = hn::Max(a, b);
  const V up = hn::IfThenElse(hn::Lt(largest, hn::Set(d, 0x1p-500)), hn::Set(d, 0x1p600), one);
  const V factor = hn::IfThenElse(hn::Gt(largest, hn::Set(d, 0x1p500)), hn::Set(d, 0x1p-600), up);
  const V least = hn::Mul(hn::Mul(largest, factor), hn::Set(d, 0x1p-80));
  a = hn::Max(hn::Mul(a, factor), least);
  b = hn::Max(hn::Mul(b, factor), least);
  const auto left = hn::Lt(hn::CopySign(one, x), zero);
  const V result = angle(d, Expansion<V>{a, zero}, Expansion<V>{b, zero}, left);
  const auto is_quotient = hn::AndNot(left, hn::Lt(quotient, hn::Set(d, kLinear)));
  const V size = hn::IfThenElse(is_quotient, quotient, result);
  const auto is_nan = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
  return hn::IfThenElse(is_nan, hn::Add(x, y), hn::CopySign(size, y));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
