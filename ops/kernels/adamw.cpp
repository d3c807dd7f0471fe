// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/adamw.h"

#include "ops/kernels/formats.h"

// What a step multiplies by; the same for all elements.
#ifndef ACLGRAD_OPS_KERNELS_ADAMW_FACTORS_
#define ACLGRAD_OPS_KERNELS_ADAMW_FACTORS_
namespace aclgrad::ops {

struct AdamWFactors {
  double direction;  // -1 to maximize
  double one_less_beta1, beta2, one_less_beta2;
  double inverse_root_correction, eps;
  double decay, minus_step_size;
};

// Dense elements; `out` may be `in`.
struct AdamWBlock {
  const void* const* in;  // theta, m, v, gradient, with amsgrad the largest v so far
  void* const* out;       // theta, m, v, with amsgrad the largest v
  aclDataType dtype;
  size_t count;
  bool amsgrad;
};

}  // namespace aclgrad::ops
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/adamw.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

using NarrowTag = hn::Rebind<float, Wide>;

// m / (sqrt(u) * factor + eps). Float's root and reciprocals, which every processor rounds alike,
// are corrected by one step of Newton's method each; where a float has no room, double does it all.
HWY_INLINE WideVec quotient(WideVec m, WideVec u, double factor, double eps) {
  const Wide d;
  const NarrowTag df;
  const auto small = hn::Set(df, 0x1p-100f);
  const auto large = hn::Set(df, 0x1p+100f);
  const auto narrow_u = nearest_floats(u);
  const auto narrow_root = hn::Sqrt(narrow_u);
  const WideVec root_guess = hn::PromoteTo(d, narrow_root);
  const WideVec slope = hn::PromoteTo(d, hn::Div(hn::Set(df, 0.5f), narrow_root));
  const WideVec root = fused(fused(hn::Neg(root_guess), root_guess, u), slope, root_guess);
  const WideVec divisor = fused(root, hn::Set(d, factor), hn::Set(d, eps));
  const auto narrow_divisor = nearest_floats(divisor);
  const WideVec inverse = hn::PromoteTo(d, hn::Div(hn::Set(df, 1.0f), narrow_divisor));
  const WideVec guess = hn::Mul(m, inverse);
  const WideVec result = fused(fused(hn::Neg(guess), divisor, m), inverse, guess);
  const auto fits = hn::And(hn::And(hn::Ge(narrow_u, small), hn::Le(narrow_u, large)),
                            hn::And(hn::Ge(narrow_divisor, small), hn::Le(narrow_divisor, large)));
  if (HWY_LIKELY(hn::AllTrue(df, fits))) return result;
  const WideVec exact_divisor = hn::Add(hn::Mul(hn::Sqrt(u), hn::Set(d, factor)), hn::Set(d, eps));
  const WideVec exact = hn::Div(m, exact_divisor);
  const auto sure = hn::PromoteTo(d, hn::IfThenElseZero(fits, hn::Set(df, 1.0f)));
  return hn::IfThenElse(hn::Gt(sure, hn::Zero(d)), result, exact);
}

template <bool kAmsgrad, class Stored>
HWY_INLINE void step_block(const AdamWBlock& block, const AdamWFactors& factors) {
  const Wide d;
  const auto in = [&](size_t k, size_t i) { return static_cast<const Stored*>(block.in[k]) + i; };
  const auto out = [&](size_t k, size_t i) { return static_cast<Stored*>(block.out[k]) + i; };
  const auto set = [&](double value) HWY_ATTR { return hn::Set(d, value); };
  const auto step = [&](size_t i, auto n) HWY_ATTR {
    const WideVec g = load_wide(in(3, i), n);
    const WideVec m = load_wide(in(1, i), n);
    const WideVec v = load_wide(in(2, i), n);
    const WideVec change = fused(set(factors.direction), g, hn::Neg(m));
    const WideVec new_m = fused(set(factors.one_less_beta1), change, m);
    const WideVec square = hn::Mul(set(factors.one_less_beta2), hn::Mul(g, g));
    const WideVec new_v = fused(set(factors.beta2), v, square);
    WideVec u = new_v;
    if constexpr (kAmsgrad) {
      // Written so that a NaN on either side stays: what diverged must show.
      const WideVec largest = load_wide(in(4, i), n);
      u = hn::IfThenElse(hn::Or(hn::Ge(largest, new_v), hn::IsNaN(largest)), largest, new_v);
      store_wide(u, out(3, i), n);
    }
    const WideVec ratio = quotient(new_m, u, factors.inverse_root_correction, factors.eps);
    const WideVec decayed = hn::Mul(load_wide(in(0, i), n), set(factors.decay));
    store_wide(fused(set(factors.minus_step_size), ratio, decayed), out(0, i), n);
    store_wide(new_m, out(1, i), n);
    store_wide(new_v, out(2, i), n);
  };
  for_vectors(block.count, step);
}

void adamw_block(const AdamWBlock& block, const AdamWFactors& factors) {
  visit_real(block.dtype, [&](auto tag) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    block.amsgrad ? step_block<true, Stored>(block, factors)
                  : step_block<false, Stored>(block, factors);
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <cmath>

#include "ops/kernels/strided.h"

namespace aclgrad::ops {

HWY_EXPORT(adamw_block);

namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 15;
constexpr size_t kMostTensors = 5;

AdamWFactors factors_of(const AdamWSettings& settings, double steps_done) {
  const double t = steps_done + 1;
  return {.direction = settings.maximize ? -1.0 : 1.0,
          .one_less_beta1 = 1 - settings.beta1,
          .beta2 = settings.beta2,
          .one_less_beta2 = 1 - settings.beta2,
          .inverse_root_correction = 1 / std::sqrt(1 - std::pow(settings.beta2, t)),
          .eps = settings.eps,
          .decay = 1 - settings.lr * settings.weight_decay,
          .minus_step_size = -settings.lr / (1 - std::pow(settings.beta1, t))};
}

// For the elementwise engine. Inputs: theta, m, v, gradient, steps done (one number for the whole
// block), with amsgrad the largest v so far.
Kernel block_kernel(const AdamWSettings& settings) {
  return RealKernel([settings](const double* const* in, double* const* out, size_t count) {
    const std::array<const void*, kMostTensors> from = {in[0], in[1], in[2], in[3],
                                                        settings.amsgrad ? in[5] : nullptr};
    const std::array<void*, 4> to = {out[0], out[1], out[2], settings.amsgrad ? out[3] : nullptr};
    HWY_DYNAMIC_DISPATCH(adamw_block)
    ({from.data(), to.data(), ACL_DOUBLE, count, settings.amsgrad}, factors_of(settings, in[4][0]));
  });
}

Plan plan_by_blocks(const Arguments& arguments, const AdamWParameters& parameters,
                    const AdamWSettings& settings) {
  const Dims& shape = arguments.shape(parameters.var);
  const auto whole = [&](size_t parameter) { return operand(arguments, parameter, shape); };
  const aclDataType dtype = arguments.dtype(parameters.step);
  const Operand step{parameters.step, dtype, Dims::filled(shape.size(), 0), 0, dtype};
  std::vector<Operand> outputs = {whole(parameters.var), whole(parameters.m), whole(parameters.v)};
  std::vector<Operand> inputs = outputs;
  inputs.push_back(whole(parameters.gradient));
  inputs.push_back(step);
  if (settings.amsgrad) {
    outputs.push_back(whole(parameters.largest_v));
    inputs.push_back(whole(parameters.largest_v));
  }
  return {Elementwise(shape, std::move(outputs), std::move(inputs), block_kernel(settings))};
}

}  // namespace

Plan plan_adamw(const Arguments& arguments, const AdamWParameters& parameters,
                const AdamWSettings& settings) {
  const std::array<size_t, kMostTensors> tensors = {
      parameters.var, parameters.m, parameters.v, parameters.gradient,
      settings.amsgrad ? parameters.largest_v : parameters.var};
  const aclDataType dtype = arguments.dtype(parameters.var);
  const bool plain = std::all_of(tensors.begin(), tensors.end(), [&](size_t each) {
    return arguments.dtype(each) == dtype &&
           StridedIndex(arguments.shape(each), arguments.strides(each)).dense();
  });
  if (!plain) return plan_by_blocks(arguments, parameters, settings);
  return {[=, count = count_elements(arguments.shape(parameters.var)),
           step_dtype = arguments.dtype(parameters.step)](const Run& run) -> aclError {
    double steps_done = 0;
    load(run.data(parameters.step), step_dtype, 1, &steps_done, 1);
    const AdamWFactors factors = factors_of(settings, steps_done);
    parallel_pieces(count, kGrain, [&](int64_t begin, int64_t end) {
      std::array<const void*, kMostTensors> in{};
      for (size_t k = 0; k < kMostTensors; ++k) {
        in[k] = element(run.data(tensors[k]), dtype, begin);
      }
      const auto place = [&](size_t parameter) {
        return element(run.data(parameter), dtype, begin);
      };
      const std::array<void*, 4> out = {place(parameters.var), place(parameters.m),
                                        place(parameters.v), place(tensors[kMostTensors - 1])};
      const auto size = static_cast<size_t>(end - begin);
      HWY_DYNAMIC_DISPATCH(adamw_block)
      ({in.data(), out.data(), dtype, size, settings.amsgrad}, factors);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
