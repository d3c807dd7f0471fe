// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/adamw.h"

// What a step multiplies by; the same for all elements.
#ifndef ACLGRAD_OPS_KERNELS_ADAMW_FACTORS_
#define ACLGRAD_OPS_KERNELS_ADAMW_FACTORS_
namespace aclgrad::ops {

struct AdamWFactors {
  double beta1, one_less_beta1;  // the second with the sign that the gradient takes
  double beta2, one_less_beta2;
  double decay;
  double root_factor, eps, minus_step_size;  // of m / (root(v) root_factor + eps)
  bool fits_float;  // none so large or so small that float's exponent range could be too short,
                    // and the weights are floats
};

}  // namespace aclgrad::ops
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/adamw.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/lanes-inl.h"
#include "ops/kernels/staged-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Operands, for both forms of the step. Inputs: theta, m, v, gradient, with amsgrad the largest v
// so far. Outputs: theta, m, v, with amsgrad the largest v.
template <bool kAmsgrad>
inline constexpr size_t kInputs = kAmsgrad ? 5 : 4;
template <bool kAmsgrad>
inline constexpr size_t kOutputs = kAmsgrad ? 4 : 3;

// The step in double; with amsgrad the largest v is an output where `keeps` says so.
template <bool kAmsgrad>
HWY_ATTR void exact_step(bool keeps, const AdamWFactors& factors, const double* const* in,
                         double* const* out, size_t count) {
  const auto set = [](double value) HWY_ATTR { return hn::Set(Wide(), value); };
  for_vectors(count, [&](size_t i, auto n) HWY_ATTR {
    const WideVec g = load_wide(in[3] + i, n);
    const WideVec old_m = load_wide(in[1] + i, n);
    const WideVec old_v = load_wide(in[2] + i, n);
    const WideVec m = fused(set(factors.beta1), old_m, hn::Mul(set(factors.one_less_beta1), g));
    const WideVec square = hn::Mul(set(factors.one_less_beta2), hn::Mul(g, g));
    const WideVec v = fused(set(factors.beta2), old_v, square);
    WideVec u = v;
    if constexpr (kAmsgrad) {
      // Written so that a NaN on either side stays: what diverged must show.
      const WideVec largest = load_wide(in[4] + i, n);
      u = hn::IfThenElse(hn::Or(hn::Ge(largest, v), hn::IsNaN(largest)), largest, v);
      if (keeps) store_wide(u, out[3] + i, n);
    }
    const WideVec divisor = fused(hn::Sqrt(u), set(factors.root_factor), set(factors.eps));
    const WideVec decayed = hn::Mul(load_wide(in[0] + i, n), set(factors.decay));
    store_wide(fused(set(factors.minus_step_size), hn::Div(m, divisor), decayed), out[0] + i, n);
    store_wide(m, out[1] + i, n);
    store_wide(v, out[2] + i, n);
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
  const Floats offset = fused(d, start, divisor, hn::Set(d, kCentre));
  const Floats inverse = hn::Mul(start, fused(d, offset, offset, hn::Set(d, kRest)));
  const Floats guess = hn::Mul(m, inverse);
  return fused(d, fused(d, guess, divisor, m), inverse, guess);
}

// a x + b y within a unit in the last place and 2^-46 of the larger product.
HWY_INLINE Floats weighted_sum(FloatTag d, Floats a, Floats x, Floats b, Floats y) {
  const Twofold<Floats> second = twofold_product(d, b, y);
  return hn::Add(fused(d, a, x, second.high), second.low);
}

// a x + b y^2 within a unit in the last place, if nothing is negative.
HWY_INLINE Floats weighted_square(FloatTag d, Floats a, Floats x, Floats b, Floats y) {
  const Twofold<Floats> factor = twofold_product(d, b, y);
  return fused(d, a, x, fused(d, factor.high, y, hn::Mul(factor.low, y)));
}

// The smaller of |a| and |b|, numbers both.
HWY_INLINE Floats smaller_magnitude(FloatTag, Floats a, Floats b) {
#if HWY_TARGET == HWY_AVX3
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
  TwofoldConstant decay;
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
    const Floats u = kAmsgrad ? hn::Max(x[kInputs<kAmsgrad> - 1], v) : v;
    y[1] = v;
    y[2] = fused(d, hn::Sqrt(u), set(factors.root_factor), set(factors.eps));
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
    const Floats rest = fused_minus(d, theta, set(factors.decay.low), step);
    y[0] = fused(d, theta, set(factors.decay.high), rest);
    y[1] = m;
    y[2] = v;
    const Floats u = kAmsgrad ? hn::Max(x[kInputs<kAmsgrad> - 1], v) : v;
    if constexpr (kAmsgrad) y[3] = u;

    // Far from the ends of the exponent range the above holds. What is not a number, or infinite,
    // makes theta so, and with it the bound.
    const Floats bound = hn::MulAdd(y[0], hn::Zero(d), set(kSmall));
    valid = hn::Ge(hn::Min(smaller_magnitude(d, m, step), v), bound);
    if constexpr (kAmsgrad) {
      valid = hn::And(valid, hn::Not(hn::IsNaN(x[kInputs<kAmsgrad> - 1])));
    }
  }

  // It holds for parameters that no gradient has reached, too.
  template <class X, class Y>
  HWY_INLINE void reconsider(FloatTag d, const X& x, const Floats (&first)[3], const Y& y,
                             FloatMask& valid) const {
    const Floats old_m = x[1], old_v = x[2], g = x[3];
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
    }
    valid = hn::Or(valid, also);
  }

 private:
  static constexpr float kSmall = 0x1p-100f;
};

template <bool kAmsgrad>
HWY_ATTR void stored_step(const StoredBlock& block, const AdamWFactors& factors) {
  const FloatFactors floats(factors);
  const FirstStage<kAmsgrad> first{floats};
  const SecondStage<kAmsgrad> second{floats};
  const auto exact = [&](const double* const* in, double* const* out, size_t count)
                         HWY_ATTR { exact_step<kAmsgrad>(true, factors, in, out, count); };
  // Floats that are rounded as they are, like sums.
  map_in_stages<kInputs<kAmsgrad>, kOutputs<kAmsgrad>, 3, Outputs::kSum>(block, first, second,
                                                                         exact);
}

void exact_block(bool amsgrad, bool keeps, const AdamWFactors& factors, const double* const* in,
                 double* const* out, size_t count) {
  amsgrad ? exact_step<true>(keeps, factors, in, out, count)
          : exact_step<false>(keeps, factors, in, out, count);
}

void stored_block(bool amsgrad, const AdamWFactors& factors, const StoredBlock& block) {
  amsgrad ? stored_step<true>(block, factors) : stored_step<false>(block, factors);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>

#include "ops/kernels/strided.h"

namespace aclgrad::ops {

HWY_EXPORT(exact_block);
HWY_EXPORT(stored_block);

namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 15;
constexpr size_t kMostTensors = 5;

// Whether it is a float: a weight of at least 1/2 that the caller gave as a float is, and so is
// what it leaves to 1.
bool is_short(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

bool is_moderate(double value) { return std::abs(value) > 0x1p-40 && std::abs(value) < 0x1p40; }

// beta1_power and beta2_power: the t-th powers, t the number of this step.
AdamWFactors factors_of(const AdamWSettings& settings, double beta1_power, double beta2_power) {
  AdamWFactors result{.beta1 = settings.beta1,
                      .one_less_beta1 = settings.maximize ? settings.beta1 - 1 : 1 - settings.beta1,
                      .beta2 = settings.beta2,
                      .one_less_beta2 = 1 - settings.beta2,
                      .decay = 1 - settings.lr * settings.weight_decay,
                      .root_factor = 1 / std::sqrt(1 - beta2_power),
                      .eps = settings.eps,
                      .minus_step_size = -settings.lr / (1 - beta1_power),
                      .fits_float = false};
  const auto all = {result.one_less_beta1, result.one_less_beta2, result.root_factor,
                    result.minus_step_size};
  const auto or_zero = {result.beta1, result.beta2, result.decay, result.eps};
  const auto weights = {result.beta1, result.one_less_beta1, result.beta2, result.one_less_beta2};
  result.fits_float = std::all_of(all.begin(), all.end(), is_moderate) &&
                      std::all_of(or_zero.begin(), or_zero.end(),
                                  [](double value) { return value == 0 || is_moderate(value); }) &&
                      std::all_of(weights.begin(), weights.end(), is_short);
  return result;
}

using FactorsOfRun = std::function<AdamWFactors(const Run&)>;

// Dense tensors of one dtype, in one pass over their own memory. An elementwise loop would give the
// same, but as it is made for each run takes 0.6 us more.
struct DenseStep {
  bool amsgrad;
  aclDataType dtype;
  int64_t count;
  std::vector<size_t> parameters;  // theta, m, v, gradient, with amsgrad the largest v so far
  FactorsOfRun factors_of_run;

  aclError operator()(const Run& run) const {
    const AdamWFactors factors = factors_of_run(run);
    parallel_pieces(count, kGrain, [&](int64_t begin, int64_t end) {
      std::array<void*, kMostTensors> data{};
      for (size_t k = 0; k < parameters.size(); ++k) {
        data[k] = element(run.data(parameters[k]), dtype, begin);
      }
      const std::array<const void*, kMostTensors> in = {data[0], data[1], data[2], data[3],
                                                        data[4]};
      const std::array<void*, kMostTensors - 1> out = {data[0], data[1], data[2], data[4]};
      const std::array<int64_t, kMostTensors> no_steps{};
      HWY_DYNAMIC_DISPATCH(stored_block)
      (amsgrad, factors,
       {.dtype = dtype,
        .in = in.data(),
        .out = out.data(),
        .count = static_cast<size_t>(end - begin),
        .in_steps = no_steps.data(),
        .out_steps = no_steps.data()});
    });
    return ACL_SUCCESS;
  }
};

// All others, by the elementwise engine. The loop is made for each run, whose factors it holds.
struct ViewStep {
  bool amsgrad;
  Dims shape;
  std::vector<Operand> outputs, inputs;
  FactorsOfRun factors_of_run;
  bool keeps_largest;  // the largest v is an output, too

  aclError operator()(const Run& run) const try {
    const AdamWFactors factors = factors_of_run(run);
    RealKernel exact = [&](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(exact_block)(amsgrad, keeps_largest, factors, in, out, count);
    };
    if (!keeps_largest) return Elementwise(shape, outputs, inputs, std::move(exact))(run);
    const FloatKernel kernel{std::move(exact), [&](const StoredBlock& block) {
                               HWY_DYNAMIC_DISPATCH(stored_block)(amsgrad, factors, block);
                             }};
    return Elementwise(shape, outputs, inputs, kernel)(run);
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_BAD_ALLOC;
  }
};

}  // namespace

Plan plan_adamw(const Arguments& arguments, const AdamWParameters& parameters,
                const AdamWSettings& settings) {
  std::vector<size_t> outputs = {parameters.var, parameters.m, parameters.v};
  std::vector<size_t> inputs = {parameters.var, parameters.m, parameters.v, parameters.gradient};
  if (settings.amsgrad) {
    outputs.push_back(parameters.largest_v);
    inputs.push_back(parameters.largest_v);
  }
  const Dims& shape = arguments.shape(parameters.var);
  const aclDataType dtype = arguments.dtype(parameters.var);
  const bool dense = std::all_of(inputs.begin(), inputs.end(), [&](size_t each) {
    return arguments.dtype(each) == dtype && StridedIndex(shape, arguments.strides(each)).dense();
  });
  const size_t step = parameters.step;
  const auto factors = [settings, step, dtype = arguments.dtype(step)](const Run& run) {
    double steps_done = 0;
    load(run.data(step), dtype, 1, &steps_done, 1);
    const double t = steps_done + 1;
    return factors_of(settings, std::pow(settings.beta1, t), std::pow(settings.beta2, t));
  };
  if (dense && dtype != ACL_DOUBLE) {
    return {DenseStep{settings.amsgrad, dtype, count_elements(shape), inputs, factors}};
  }
  ViewStep views{settings.amsgrad, shape, {}, {}, factors, /*keeps_largest=*/true};
  for (size_t each : outputs) views.outputs.push_back(operand(arguments, each, shape));
  for (size_t each : inputs) views.inputs.push_back(operand(arguments, each, shape));
  return {std::move(views)};
}

Plan plan_adamw(const Arguments& arguments, const AdamWParameters& parameters,
                const AdamWNumbers& numbers, bool amsgrad, bool maximize) {
  const Dims& shape = arguments.shape(parameters.var);
  const auto factors = [=, dtype = arguments.dtype(parameters.var)](const Run& run) {
    const auto read = [&](size_t parameter) {
      double value = 0;
      load(run.data(parameter), dtype, 1, &value, 1);
      return value;
    };
    const AdamWSettings settings{read(numbers.lr),
                                 read(numbers.beta1),
                                 read(numbers.beta2),
                                 read(numbers.weight_decay),
                                 read(numbers.eps),
                                 amsgrad,
                                 maximize};
    return factors_of(settings, read(numbers.beta1_power) * settings.beta1,
                      read(numbers.beta2_power) * settings.beta2);
  };
  ViewStep views{amsgrad, shape, {}, {}, factors, /*keeps_largest=*/false};
  for (size_t each : {parameters.var, parameters.m, parameters.v}) {
    views.outputs.push_back(operand(arguments, each, shape));
    views.inputs.push_back(operand(arguments, each, shape));
  }
  views.inputs.push_back(operand(arguments, parameters.gradient, shape));
  if (amsgrad) views.inputs.push_back(operand(arguments, parameters.largest_v, shape));
  return {std::move(views)};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
