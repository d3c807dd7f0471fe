// SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/adamw_kernel_step.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/optimizer/adamw_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/staged-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Operands, for both forms of the step. Inputs: theta, m, v, gradient, with amsgrad the largest v
// so far. Outputs: theta, m, v, with amsgrad the largest v.
template <bool kAmsgrad>
inline constexpr size_t kInputs = kAmsgrad ? 5 : 4;
template <bool kAmsgrad>
inline constexpr size_t kOutputs = kAmsgrad ? 4 : 3;

// The step in double; with amsgrad the largest v is an output where `keeps` is set.
template <bool kAmsgrad>
HWY_ATTR void exact_step(bool keeps, const AdamWFactors& factors, const double* const* in,
                         double* const* out, size_t count) {
  const auto set = [](double value) HWY_ATTR { return hn::Set(DoubleTag(), value); };
  for_vectors(count, [&](size_t i, auto n) HWY_ATTR {
    const Doubles g = load_doubles(in[3] + i, n);
    const Doubles old_m = load_doubles(in[1] + i, n);
    const Doubles old_v = load_doubles(in[2] + i, n);
    const Doubles m = mul_add(set(factors.beta1), old_m, hn::Mul(set(factors.one_less_beta1), g));
    const Doubles square = hn::Mul(set(factors.one_less_beta2), hn::Mul(g, g));
    const Doubles v = mul_add(set(factors.beta2), old_v, square);
    Doubles u = v;
    if constexpr (kAmsgrad) {
      // Written so that a NaN on either side stays: what diverged must show.
      const Doubles largest = load_doubles(in[4] + i, n);
      u = hn::IfThenElse(hn::Or(hn::Ge(largest, v), hn::IsNaN(largest)), largest, v);
      if (keeps) store_doubles(u, out[3] + i, n);
    }
    const Doubles divisor = mul_add(hn::Sqrt(u), set(factors.root_factor), set(factors.eps));
    const Doubles decayed = hn::Mul(load_doubles(in[0] + i, n), set(factors.decay));
    store_doubles(mul_add(set(factors.minus_step_size), hn::Div(m, divisor), decayed), out[0] + i,
                  n);
    store_doubles(m, out[1] + i, n);
    store_doubles(v, out[2] + i, n);
  });
}

// -m / divisor for a negative divisor, rounded but for 2^-29 of it. The processor's divider is
// slow, and busy with the root.
HWY_INLINE Floats minus_quotient(FloatTag d, Floats m, Floats divisor) {
  // The difference of exponents, and for the mantissas a straight line: within 5.2 % of the
  // inverse. The polynomial, a square and a constant, leaves 2^-14.9 (tools/fit_adamw.py).
  constexpr uint32_t kLine = 0xfef33400;
  constexpr float kCentre = 1.50096371f, kRest = 0.749034074f;
  const hn::RebindToUnsigned<FloatTag> du;
  const Floats start = hn::BitCast(d, hn::Sub(hn::Set(du, kLine), hn::BitCast(du, divisor)));
  const Floats offset = mul_add(d, start, divisor, hn::Set(d, kCentre));
  const Floats inverse = hn::Mul(start, mul_add(d, offset, offset, hn::Set(d, kRest)));
  const Floats guess = hn::Mul(m, inverse);
  return mul_add(d, mul_add(d, guess, divisor, m), inverse, guess);
}

// a x + b y within a unit in the last place and 2^-46 of the larger product.
HWY_INLINE Floats weighted_sum(FloatTag d, Floats a, Floats x, Floats b, Floats y) {
  const Expansion<Floats> second = two_product(d, b, y);
  return hn::Add(mul_add(d, a, x, second.high), second.low);
}

// a x + b y^2 within a unit in the last place, if nothing is negative.
HWY_INLINE Floats weighted_square(FloatTag d, Floats a, Floats x, Floats b, Floats y) {
  const Expansion<Floats> factor = two_product(d, b, y);
  return mul_add(d, a, x, mul_add(d, factor.high, y, hn::Mul(factor.low, y)));
}

// The smaller of |a| and |b|, numbers both.
HWY_INLINE Floats smaller_magnitude(FloatTag, Floats a, Floats b) {
#if HWY_TARGET <= HWY_AVX3
  constexpr int kSmallerWithoutSigns = 0b1010;
  return Floats{_mm512_range_ps(a.raw, b.raw, kSmallerWithoutSigns)};
#else
  return hn::Min(hn::Abs(a), hn::Abs(b));
#endif
}

// The numbers of a step in float.
struct FloatFactors {
  float beta1, one_less_beta1;
  float beta2, one_less_beta2;
  DoubleFloatConstant decay;
  float root_factor, eps;

  explicit FloatFactors(const AdamWFactors& factors)
      : beta1(static_cast<float>(factors.beta1)),
        one_less_beta1(static_cast<float>(factors.one_less_beta1)),
        beta2(static_cast<float>(factors.beta2)),
        one_less_beta2(static_cast<float>(factors.one_less_beta2)),
        decay(factors.decay) {
    // The step's size goes into the divisor. A NaN in it leaves all elements to the exact step.
    const double none = std::numeric_limits<double>::quiet_NaN();
    const double scale = factors.fits_float ? 1 / factors.minus_step_size : none;
    root_factor = static_cast<float>(factors.root_factor * scale);
    eps = static_cast<float>(factors.eps * scale);
  }
};

HWY_INLINE Floats set(float value) { return hn::Set(FloatTag(), value); }

// The step in float, in two stages. What theta's change loses is eight roundings of at most 2^-24
// of it: two of m, half of v's two, the root, the factors, the divisor, the quotient, and the sum
// with what the short factor of theta leaves out.
template <bool kAmsgrad>
struct FirstStage {
  FloatFactors factors;

  // y: m, v, and what m is divided by.
  template <class X>
  HWY_INLINE void operator()(FloatTag d, const X& x, Floats (&y)[3]) const {
    const Floats old_m = x[1], old_v = x[2], g = x[3];
    y[0] = weighted_sum(d, set(factors.beta1), old_m, set(factors.one_less_beta1), g);
    const Floats v = weighted_square(d, set(factors.beta2), old_v, set(factors.one_less_beta2), g);
    const Floats u = kAmsgrad ? larger(x[kInputs<kAmsgrad> - 1], v) : v;
    y[1] = v;
    y[2] = mul_add(d, hn::Sqrt(u), set(factors.root_factor), set(factors.eps));
  }
};

template <bool kAmsgrad>
struct SecondStage {
  FloatFactors factors;

  template <class X, class Y>
  HWY_INLINE void operator()(FloatTag d, const X& x, const Floats (&first)[3], Y& y,
                             FloatMask& valid) const {
    const Floats theta = x[0], m = first[0], v = first[1];
    const Floats step = minus_quotient(d, m, first[2]);
    const Floats rest = mul_sub(d, theta, set(factors.decay.low), step);
    y[0] = mul_add(d, theta, set(factors.decay.high), rest);
    y[1] = m;
    y[2] = v;
    const Floats u = kAmsgrad ? larger(x[kInputs<kAmsgrad> - 1], v) : v;
    if constexpr (kAmsgrad) y[3] = u;

    // Far from the ends of the exponent range the above holds. What is not a number, or infinite,
    // makes theta so, and with it the bound.
    const Floats bound = hn::Add(hn::Sub(y[0], y[0]), set(kSmall));
    valid = hn::Ge(hn::Min(smaller_magnitude(d, m, step), v), bound);
    if constexpr (kAmsgrad) {
      valid = hn::And(valid, hn::Not(hn::IsNaN(x[kInputs<kAmsgrad> - 1])));
    }
  }

  // It holds for parameters that no gradient has reached, too. Where something is not a number, or
  // infinite, plain arithmetic shows it.
  template <class X, class Y>
  HWY_INLINE void reconsider(FloatTag d, const X& x, const Floats (&first)[3], Y& y,
                             FloatMask& valid) const {
    const Floats theta = x[0], old_m = x[1], old_v = x[2], g = x[3];
    const Floats u = y[kAmsgrad ? 3 : 2];
    const auto is_zero = [d](Floats value) HWY_ATTR { return hn::Eq(value, hn::Zero(d)); };
    const auto is_large = [](Floats value) HWY_ATTR { return hn::Ge(value, set(kSmall)); };
    const Floats step = minus_quotient(d, first[0], first[2]);
    const auto no_m = hn::And(is_zero(g), is_zero(old_m));
    const auto no_v = hn::And(is_zero(g), hn::And(is_zero(old_v), is_zero(u)));
    const auto large_v = hn::Or(is_large(y[2]), no_v);
    const auto large_step = hn::Or(is_large(smaller_magnitude(d, y[1], step)), no_m);
    auto also = hn::And(hn::And(large_v, large_step), hn::IsFinite(y[0]));
    if constexpr (kAmsgrad) {
      also = hn::And(also, hn::Not(hn::IsNaN(x[kInputs<kAmsgrad> - 1])));
    } else {
      const auto nothing = [](Floats value) HWY_ATTR { return hn::Sub(value, value); };
      const Floats sum =
          hn::Add(hn::Add(nothing(theta), nothing(old_m)), hn::Add(nothing(old_v), nothing(g)));
      const Floats root_factor = set(factors.root_factor);
      const Floats m =
          mul_add(d, set(factors.beta1), old_m, hn::Mul(set(factors.one_less_beta1), g));
      const Floats square = hn::Mul(set(factors.one_less_beta2), hn::Mul(g, g));
      const Floats v = mul_add(d, set(factors.beta2), old_v, square);
      const Floats divisor = mul_add(d, hn::Sqrt(v), root_factor, set(factors.eps));
      const Floats change = hn::Div(m, divisor);
      const auto overflows = hn::Or(hn::And(hn::IsInf(change), hn::IsFinite(m)),
                                    hn::And(hn::IsInf(square), hn::IsFinite(g)));
      const auto special =
          hn::AndNot(overflows, hn::And(hn::IsNaN(sum), hn::IsFinite(root_factor)));
      const Floats plain[] = {mul_add(d, theta, set(factors.decay.high), change), m, v};
      for (size_t k = 0; k < 3; ++k) y[k] = hn::IfThenElse(special, plain[k], y[k]);
      also = hn::Or(also, special);
    }
    valid = hn::Or(valid, also);
  }

 private:
  static constexpr float kSmall = 0x1p-100f;
};

template <bool kAmsgrad>
HWY_ATTR void native_step(const NativeBlock& block, const AdamWFactors& factors) {
  const FloatFactors floats(factors);
  const FirstStage<kAmsgrad> first{floats};
  const SecondStage<kAmsgrad> second{floats};
  const auto exact = [&](const double* const* in, double* const* out, size_t count)
                         HWY_ATTR { exact_step<kAmsgrad>(true, factors, in, out, count); };
  // Floats that are rounded as they are, like sums.
  map_in_stages<kInputs<kAmsgrad>, kOutputs<kAmsgrad>, 3>(block, first, second, exact);
}

void exact_block(bool amsgrad, bool keeps, const AdamWFactors& factors, const double* const* in,
                 double* const* out, size_t count) {
  amsgrad ? exact_step<true>(keeps, factors, in, out, count)
          : exact_step<false>(keeps, factors, in, out, count);
}

void native_block(bool amsgrad, const AdamWFactors& factors, const NativeBlock& block) {
  amsgrad ? native_step<true>(block, factors) : native_step<false>(block, factors);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(exact_block);
HWY_EXPORT(native_block);

void adamw_exact(bool amsgrad, bool keeps_largest, const AdamWFactors& factors,
                 const double* const* in, double* const* out, size_t count) {
  HWY_DYNAMIC_DISPATCH(exact_block)(amsgrad, keeps_largest, factors, in, out, count);
}

void adamw_native(bool amsgrad, const AdamWFactors& factors, const NativeBlock& block) {
  HWY_DYNAMIC_DISPATCH(native_block)(amsgrad, factors, block);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
