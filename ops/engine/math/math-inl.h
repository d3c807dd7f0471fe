// SPDX-License-Identifier: Apache-2.0
// Per-target: elementary functions on vectors of double, accurate to a few units in the last place
// of double over the whole range, far tails included. Included by kernel files inside Highway's
// foreach_target loop.
//
// Every instruction set gives the same bits: additions and multiplications are rounded one by one
// (no fused multiply-add), except in two_product, whose result is exact either way.
#if defined(ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_
#undef ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_MATH_MATH_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/engine/math/normal_tail_table.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- Building blocks ----------------------------------------------------------------------------

// The larger and the smaller of two, and b if either is NaN. x86 has that as one instruction; Arm's
// and the portable ones give the number.
template <class V>
HWY_INLINE V larger(V a, V b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Max(a, b);
#else
  return hn::IfThenElse(hn::Gt(a, b), a, b);
#endif
}
template <class V>
HWY_INLINE V smaller(V a, V b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Min(a, b);
#else
  return hn::IfThenElse(hn::Lt(a, b), a, b);
#endif
}

// A number as the unevaluated sum of two of its type, the second much smaller: a double-double of
// doubles, a double-float of floats.
template <class V>
struct Expansion {
  V high;
  V low;
};

#if !HWY_NATIVE_FMA
// a = high + low with 26 bits each, sign included (Veltkamp). For |a| < 2^996.
template <class D, class V>
HWY_INLINE Expansion<V> split(D d, V a) {
  const V scaled = hn::Mul(a, hn::Set(d, 134217729.0));  // 2^27 + 1
  const V high = hn::Sub(scaled, hn::Sub(scaled, a));
  return {high, hn::Sub(a, high)};
}
#endif

// a * b without error, unless the product comes near the ends of the exponent range.
template <class D, class V>
HWY_INLINE Expansion<V> two_product(D d, V a, V b) {
  const V product = hn::Mul(a, b);
#if HWY_NATIVE_FMA
  (void)d;
  return {product, hn::MulSub(a, b, product)};
#else
  const Expansion<V> x = split(d, a);
  const Expansion<V> y = split(d, b);
  const V error = hn::Sub(hn::Mul(x.high, y.high), product);
  const V cross = hn::Add(hn::Add(error, hn::Mul(x.high, y.low)), hn::Mul(x.low, y.high));
  return {product, hn::Add(cross, hn::Mul(x.low, y.low))};
#endif
}

// a + b without error (Knuth).
template <class V>
HWY_INLINE Expansion<V> two_sum(V a, V b) {
  const V sum = hn::Add(a, b);
  const V b_part = hn::Sub(sum, a);
  const V a_part = hn::Sub(sum, b_part);
  return {sum, hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part))};
}

// `value`, or its neighbour on the side of `rest` when that is not 0 and the last bit of `value` is
// 0: the exact value + rest, of which the type holds no more, "rounded to odd". Rounding that to a
// shorter format gives what rounding the exact sum would give, even where `value` is a tie there.
template <class D, class V>
HWY_INLINE V round_to_odd(D d, V value, V rest) {
  const hn::RebindToSigned<D> di;
  const V zero = hn::Zero(d);
  const auto one = hn::Set(di, hn::TFromD<decltype(di)>{1});
  const auto bits = hn::BitCast(di, value);
  const auto outwards =
      hn::Gt(hn::CopySign(hn::Set(d, hn::TFromD<D>{1}), hn::Xor(value, rest)), zero);
  const auto inexact = hn::Or(hn::Lt(rest, zero), hn::Gt(rest, zero));
  const auto step = hn::Sub(one, hn::And(bits, one));
  const V outer = hn::BitCast(d, hn::Add(bits, step));
  const V inner = hn::BitCast(d, hn::Sub(bits, step));
  return hn::IfThenElse(inexact, hn::IfThenElse(outwards, outer, inner), value);
}

// factor * (value.high + value.low), rounded to odd: for results that may lie at a tie of a shorter
// format but for their last digits.
template <class D, class V>
HWY_INLINE V multiply_to_odd(D d, V factor, Expansion<V> value) {
  const Expansion<V> product = two_product(d, factor, value.high);
  return round_to_odd(d, product.high, hn::Add(product.low, hn::Mul(factor, value.low)));
}

// c[0] + c[1] x + ... for an even number of coefficients; even and odd powers run side by side.
template <class D, class V, size_t kCount>
HWY_INLINE V polynomial(D d, V x, const double (&c)[kCount]) {
  static_assert(kCount % 2 == 0);
  const V square = hn::Mul(x, x);
  V even = hn::Set(d, c[kCount - 2]);
  V odd = hn::Set(d, c[kCount - 1]);
  for (size_t k = kCount - 2; k > 0; k -= 2) {
    even = hn::Add(hn::Mul(even, square), hn::Set(d, c[k - 2]));
    odd = hn::Add(hn::Mul(odd, square), hn::Set(d, c[k - 1]));
  }
  return hn::Add(even, hn::Mul(odd, x));
}

// Adding it to a number of moderate size leaves the nearest integer in the low bits of the sum.
inline constexpr double kIntegerMagic = 0x1.8p52;

template <class D, class V>
HWY_INLINE V nearest_integer(D d, V x) {
  const V magic = hn::Set(d, kIntegerMagic);
  return hn::Sub(hn::Add(x, magic), magic);
}

// 2^n for integral n within [-1022, 1023].
template <class D, class V>
HWY_INLINE V power_of_two(D d, V n) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, hn::Add(n, hn::Set(d, kIntegerMagic)));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::Add(bits, hn::Set(du, uint64_t{1023}))));
}

// x clamped to [low, high]; NaN stays NaN, which Min and Max do not promise.
template <class D, class V>
HWY_INLINE V clamp(D d, V x, double low, double high) {
  const V bottom = hn::Set(d, low);
  const V top = hn::Set(d, high);
  return hn::IfThenElse(hn::Lt(x, bottom), bottom, hn::IfThenElse(hn::Gt(x, top), top, x));
}

// ---- Exponentials -------------------------------------------------------------------------------

// e^x = (1 + growth) * first * second, with powers of two that are normal numbers even where the
// result is not.
template <class V>
struct SplitExponential {
  V growth;
  V first;
  V second;
  V second_inverse;
};

// Lanes: double. Range: x = high + low, high anything, low finite.
template <class D, class V>
HWY_INLINE SplitExponential<V> split_exponential(D d, V high, V low) {
  // ln 2 in two parts; products of the first with integers up to 2^11 are exact.
  constexpr double kLn2High = 0x1.62e42fefa3800p-1;
  constexpr double kLn2Low = 0x1.ef35793c76730p-45;
  constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
  // (e^r - 1 - r) / r^2 as its Taylor series: 1/2!, 1/3!, ..., 1/13!. With |r| <= ln 2 / 2 the
  // first omitted term is below 5e-18.
  static constexpr double kCoefficients[] = {1.0 / 2,         1.0 / 6,          1.0 / 24,
                                             1.0 / 120,       1.0 / 720,        1.0 / 5040,
                                             1.0 / 40320,     1.0 / 362880,     1.0 / 3628800,
                                             1.0 / 39916800., 1.0 / 479001600., 1.0 / 6227020800.};
  const V x = clamp(d, high, -760.0, 720.0);
  const V n = nearest_integer(d, hn::Mul(x, hn::Set(d, kInverseLn2)));
  const V coarse = hn::Sub(x, hn::Mul(n, hn::Set(d, kLn2High)));
  const V r = hn::Add(hn::Sub(coarse, hn::Mul(n, hn::Set(d, kLn2Low))), low);
  const V growth = hn::Add(r, hn::Mul(hn::Mul(r, r), polynomial(d, r, kCoefficients)));
  const V half = nearest_integer(d, hn::Mul(n, hn::Set(d, 0.5)));
  const V rest = hn::Sub(n, half);
  return {growth, power_of_two(d, half), power_of_two(d, rest), power_of_two(d, hn::Neg(rest))};
}

// e^(high + low), 0 at -infinity. Lanes: double. Largest error: 2 ulp; subnormal results are
// rounded once more. Range: any high, finite low.
template <class D, class V>
HWY_INLINE V exponential(D d, V high, V low) {
  const SplitExponential<V> e = split_exponential(d, high, low);
  return hn::Mul(hn::Mul(hn::Add(hn::Set(d, 1.0), e.growth), e.first), e.second);
}

template <class D, class V>
HWY_INLINE V exponential(D d, V x) {
  return exponential(d, x, hn::Zero(d));
}

// e^(a b), with the product taken exactly. Lanes: double. Largest error: 2 ulp. Range: all a and b.
template <class D, class V>
HWY_INLINE V exponential_of_product(D d, V a, V b) {
  const Expansion<V> product = two_product(d, a, b);
  // Outside this range the result is 0 or infinite and the error term may be NaN.
  const auto moderate = hn::Lt(hn::Abs(product.high), hn::Set(d, 1024.0));
  return exponential(d, product.high, hn::IfThenElseZero(moderate, product.low));
}

// e^x - 1. Lanes: double. Largest error: 3 ulp, also where it is tiny. Range: all x.
template <class D, class V>
HWY_INLINE V expm1_double(D d, V x) {
  const SplitExponential<V> e = split_exponential(d, x, hn::Zero(d));
  const V offset = hn::Sub(e.first, e.second_inverse);
  return hn::Mul(hn::Add(hn::Mul(e.growth, e.first), offset), e.second);
}

// Below this size of x the terms beyond the linear one are lost in double; they then count only for
// the side on which the exact value lies of a tie in a shorter format.
inline constexpr double kTiny = 0x1p-52;

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

// ---- Normal distribution ------------------------------------------------------------------------

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

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
