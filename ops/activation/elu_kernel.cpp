// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/elu_kernel.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/elu_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/block-inl.h"
#include "ops/engine/math/math-inl.h"
#include "ops/engine/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// -infinity becomes the lowest finite number, so that its product with an inputScale of 0 is 0, and
// so that the limit holds for every other inputScale. NaN stays.
template <class D, class V>
HWY_INLINE V above_minus_infinity(D d, V x) {
  const V lowest = hn::Set(d, -0x1.fffffffffffffp+1023);
  return hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
}

// ---- Exact --------------------------------------------------------------------------------------

void elu(const double* const* in, double* const* out, size_t count,
         const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double limit = static_cast<double>(parameters.alpha) * scale;  // exact
  const double input_scale = static_cast<double>(parameters.input_scale);
  map_block<1>(in, out, count, [=](auto d, auto x) HWY_ATTR {
    const auto scaled = hn::Mul(above_minus_infinity(d, x), hn::Set(d, input_scale));
    // For tiny z, e^z - 1 = z + z^2/2 lies just above z.
    const auto tiny = hn::Lt(hn::Abs(scaled), hn::Set(d, kTiny));
    const auto growth =
        hn::IfThenElse(tiny, round_to_odd(d, scaled, hn::Abs(scaled)), expm1_double(d, scaled));
    const auto exp_branch = hn::Mul(hn::Set(d, limit), growth);
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, scale)), exp_branch);
  });
}

// The path for an alpha or inputScale that is not finite.
void elu_constant(const double* const* in, double* const* out, size_t count,
                  const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double limit = static_cast<double>(parameters.alpha) * scale;
  map_block<1>(in, out, count, [=](auto d, auto x) HWY_ATTR {
    const auto product = hn::Mul(x, hn::Set(d, scale));  // also carries NaN
    return hn::IfThenElse(hn::Le(x, hn::Zero(d)), hn::Set(d, -limit), product);
  });
}

void elu_backward(const double* const* in, double* const* out, size_t count,
                  const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double input_scale = static_cast<double>(parameters.input_scale);
  const double factor = static_cast<double>(parameters.alpha) * scale * input_scale;
  map_block<2>(in, out, count, [=](auto d, auto g, auto x) HWY_ATTR {
    const auto clamped = above_minus_infinity(d, x);
    const auto scaled = hn::Mul(clamped, hn::Set(d, input_scale));
    const auto tiny = hn::Lt(hn::Abs(scaled), hn::Set(d, kTiny));
    const auto decay = hn::IfThenElse(tiny, round_to_odd(d, hn::Set(d, 1.0), scaled),
                                      exponential_of_product(d, clamped, hn::Set(d, input_scale)));
    const auto exp_branch = hn::Mul(hn::Set(d, factor), decay);
    return hn::Mul(g, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Set(d, scale), exp_branch));
  });
}

void elu_backward_of_result(const double* const* in, double* const* out, size_t count,
                            const EluParameters& parameters) {
  const double scale = static_cast<double>(parameters.scale);
  const double limit = static_cast<double>(parameters.alpha) * scale;
  const double input_scale = static_cast<double>(parameters.input_scale);
  map_block<2>(in, out, count, [=](auto d, auto g, auto y) HWY_ATTR {
    const auto factor = hn::Mul(g, hn::Set(d, input_scale));
    const auto exp_branch = multiply_to_odd(d, factor, two_sum(y, hn::Set(d, limit)));
    const auto linear_branch = hn::Mul(g, hn::Set(d, scale));
    return hn::IfThenElse(hn::Gt(y, hn::Zero(d)), linear_branch, exp_branch);
  });
}

// ---- In float, for positive parameters of moderate size -----------------------------------------

// An exact kernel with its parameters bound, as map_floats() and map_16bit() take it.
template <class Function>
auto with_parameters(const Function& function, const EluParameters& parameters) {
  return [&](const double* const* in, double* const* out, size_t count) {
    function(in, out, count, parameters);
  };
}

// The default parameters, whose formulas are much shorter.
bool all_are_one(const EluParameters& parameters) {
  return parameters.alpha == 1 && parameters.scale == 1 && parameters.input_scale == 1;
}

struct EluTables {
  Lut16s forward;
  Lut16s backward;
  Lut16s of_result;
};

// Null when too many others are in use.
Lut16s* tables_of(const EluParameters& parameters, Lut16s EluTables::*which) {
  constinit static TablesByKey<EluParameters, EluTables> tables;
  EluTables* const found = tables.find(parameters);
  return found == nullptr ? nullptr : &(found->*which);
}

void elu_native(const NativeBlock& block, const EluParameters& parameters) {
  const auto exact = with_parameters(elu, parameters);
  if (block.dtype != ACL_FLOAT) {
    return map_lut16(block, tables_of(parameters, &EluTables::forward), exact);
  }
  if (all_are_one(parameters)) {
    return map_floats<1, 1, Outputs::kNear>(
        block,
        [](auto d, const auto& x, auto& y) HWY_ATTR {
          const auto growth = expm1_double_float(d, clamped_for_expm1(d, x[0]));
          const auto exp_branch = hn::Add(growth.high, growth.low);
          y[0] = hn::IfThenElse(hn::Lt(x[0], hn::Set(d, kLinearGrowth)), exp_branch, x[0]);
        },
        exact);
  }
  const double exact_limit =
      static_cast<double>(parameters.alpha) * static_cast<double>(parameters.scale);
  const DoubleFloatConstant limit(exact_limit);
  const auto steepest =
      DoubleFloatConstant::from_below(exact_limit * static_cast<double>(parameters.input_scale));
  const float lowest = kVanishingExponential / parameters.input_scale;
  const float linear = kLinearGrowth / parameters.input_scale;
  map_floats<1, 1, Outputs::kNear>(
      block,
      [=](auto d, const auto& x, auto& y) HWY_ATTR {
        const auto clamped = hn::Min(hn::Max(x[0], hn::Set(d, lowest)), hn::Set(d, linear));
        const auto z = double_float_product(d, clamped, hn::Set(d, parameters.input_scale));
        const auto growth = expm1_double_float(d, z.high, z.low);
        const auto exp_branch = unsigned_product(d, double_float(d, limit), growth);
        const auto near_zero =
            mul_add(d, x[0], hn::Set(d, steepest.high), hn::Mul(x[0], hn::Set(d, steepest.low)));
        const auto linear_branch = hn::IfThenElse(hn::Lt(x[0], hn::Zero(d)), near_zero,
                                                  hn::Mul(x[0], hn::Set(d, parameters.scale)));
        y[0] = hn::IfThenElse(hn::Lt(x[0], hn::Set(d, linear)), exp_branch, linear_branch);
      },
      exact);
}

// x clamped to numbers whose e^x is less than 1 in a float. NaN stays.
template <class D, class V>
HWY_INLINE V clamped_for_exp(D d, V x, float nearest) {
  return smaller(hn::Set(d, nearest), x);
}

// For x below kLowestExponential, products of e^x with numbers of up to kLargeFactor are 0.
inline constexpr float kLowestExponential = -170.0f;
inline constexpr float kLargeFactor = 0x1p64f;

// sum 2^e.n with the sign of g, for sum = g (1 + r + ...) and x = e.n ln 2 + r. The fast tier needs
// a power that is a normal number; the accurate tier takes any x from kLowestExponential on, and
// infinite g.
template <bool kFast, class D, class V>
HWY_INLINE V scaled_by_power(D d, V g, V x, V sum, const ShortReduction<V>& e) {
  if constexpr (kFast) return hn::CopySign(hn::Mul(sum, power_of(d, e)), g);
  // The power is split in two where it is not a normal number.
  const V most = hn::Max(e.n, hn::Set(d, -126.0f));
  const V first = float_power_of_two(d, most);
  const V second = float_power_of_two(d, hn::Sub(e.n, most));
  const V any = hn::IfThenElse(hn::IsNaN(sum), hn::Add(g, hn::Sub(x, x)), sum);
  // A product that underflows to 0 is slow on some processors; a product with 0 is not.
  const auto vanishes =
      hn::And(hn::Lt(e.n, hn::Set(d, -165.0f)), hn::Lt(hn::Abs(any), hn::Set(d, 0x1p12f)));
  const V product = hn::Mul(hn::Mul(any, hn::IfThenZeroElse(vanishes, first)), second);
  return hn::CopySign(product, g);
}

// The lanes in which scaled_by_power() is valid. x is clamped to `lowest` from below; e^x is
// multiplied by `factor`. A large factor may overflow in between, or give results other than 0
// below `lowest`.
template <bool kFast, class D, class V>
HWY_INLINE auto valid_exp_branch(D d, V g, V x, float lowest, V factor, V sum) {
  const auto below = hn::Lt(x, hn::Set(d, lowest));
  if constexpr (kFast) return hn::Not(below);
  const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto is_finite = [&](V value) HWY_ATTR { return hn::Lt(hn::Abs(value), infinity); };
  const auto large = hn::Ge(hn::Abs(factor), hn::Set(d, kLargeFactor));
  const auto lost = hn::AndNot(is_finite(sum), is_finite(g));
  return hn::Not(hn::And(large, hn::Or(below, lost)));
}

template <bool kFast>
auto elu_plain_decay() {
  return [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    constexpr float kLowest = kFast ? -kExponentialLimit : kLowestExponential;
    const auto g = x[0];
    auto clamped = clamped_for_exp(d, x[1], kLinearGrowth);
    if constexpr (!kFast) clamped = larger(hn::Set(d, kLowest), clamped);
    const auto e = reduce_shortly(d, clamped);
    const auto rest = hn::Mul(e.n, hn::Set(d, kLn2Excess));
    const auto growth = hn::Add(e.r, beyond_linear(d, e.r, rest));
    const auto sum = mul_add(d, g, growth, g);
    y[0] = scaled_by_power<kFast>(d, g, clamped, sum, e);
    valid = valid_exp_branch<kFast>(d, g, x[1], kLowest, g, sum);
  };
}

template <bool kFast>
auto elu_scaled_decay(const EluParameters& parameters) {
  const DoubleFloatConstant factor(static_cast<double>(parameters.alpha) *
                                   static_cast<double>(parameters.scale) *
                                   static_cast<double>(parameters.input_scale));
  const float lowest = (kFast ? -kExponentialLimit : kLowestExponential) / parameters.input_scale;
  const float nearest = kLinearGrowth / parameters.input_scale;
  return [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    const auto g = x[0];
    auto clamped = clamped_for_exp(d, x[1], nearest);
    if constexpr (!kFast) clamped = larger(hn::Set(d, lowest), clamped);
    const auto z = double_float_product(d, clamped, hn::Set(d, parameters.input_scale));
    const auto e = reduce_shortly(d, z.high);
    const auto rest = mul_add(d, e.n, hn::Set(d, kLn2Excess), z.low);
    auto scaled = double_float_product(d, g, hn::Set(d, factor.high));
    scaled.low = mul_add(d, g, hn::Set(d, factor.low), scaled.low);
    const auto low = mul_add(d, scaled.high, beyond_linear(d, e.r, rest), scaled.low);
    const auto sum = hn::Add(scaled.high, mul_add(d, scaled.high, e.r, low));
    const auto exp_branch = scaled_by_power<kFast>(d, g, clamped, sum, e);
    const auto linear_branch = hn::Mul(g, hn::Set(d, parameters.scale));
    y[0] = hn::IfThenElse(hn::Gt(x[1], hn::Zero(d)), linear_branch, exp_branch);
    valid = valid_exp_branch<kFast>(d, g, x[1], lowest, scaled.high, sum);
  };
}

void elu_backward_native(const NativeBlock& block, const EluParameters& parameters) {
  const auto exact = with_parameters(elu_backward, parameters);
  if (block.dtype != ACL_FLOAT) {
    return map_lut16_product<Entries::kOdd>(block, tables_of(parameters, &EluTables::backward),
                                            exact);
  }
  if (all_are_one(parameters)) {
    return map_floats<2, 1, Outputs::kNear>(block, elu_plain_decay<true>(),
                                            elu_plain_decay<false>(), exact);
  }
  map_floats<2, 1, Outputs::kNear>(block, elu_scaled_decay<true>(parameters),
                                   elu_scaled_decay<false>(parameters), exact);
}

// min(y, 0), and 0 where 1 + y is 1; NaN stays.
template <class D, class V>
HWY_INLINE V clamped_to_negative(D d, V y) {
  return without_tiny(d, smaller(hn::Zero(d), y), 0x1.8p-60f);
}

void elu_plain_backward_of_result_floats(const NativeBlock& block,
                                         const EluParameters& parameters) {
  map_floats<2, 1, Outputs::kNear>(
      block,
      [](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        y[0] = product_by_positive(d, x[0], sum_with_larger(d, clamped_to_negative(d, x[1]), 1));
        // ELU has no results below -1; a slope below 0 goes to the accurate tier.
        valid = hn::Ge(x[1], hn::Set(d, -1.0f));
      },
      [](auto d, const auto& x, auto& y) HWY_ATTR {
        const auto slope = two_sum(clamped_to_negative(d, x[1]), hn::Set(d, 1.0f));
        y[0] = product_of_any(d, x[0], slope);
      },
      with_parameters(elu_backward_of_result, parameters));
}

void elu_backward_of_result_floats(const NativeBlock& block, const EluParameters& parameters) {
  const DoubleFloatConstant limit(static_cast<double>(parameters.alpha) *
                                  static_cast<double>(parameters.scale));
  // y inputScale + limit inputScale for y + limit in two parts.
  const auto slope_of = [=](auto d, auto sum) HWY_ATTR {
    const auto factor = hn::Set(d, parameters.input_scale);
    const auto low = hn::Add(sum.low, hn::Set(d, limit.low));
    auto slope = double_float_product(d, sum.high, factor);
    slope.low = mul_add(d, low, factor, slope.low);
    return slope;
  };
  map_floats<2, 1, Outputs::kNear>(
      block,
      [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const auto sum = sum_with_larger(d, clamped_to_negative(d, x[1]), limit.high);
        const auto slope = slope_of(d, sum);
        y[0] = hn::IfThenElse(hn::Gt(x[1], hn::Zero(d)),
                              hn::Mul(x[0], hn::Set(d, parameters.scale)), product(d, x[0], slope));
        // Below -2 limit the sum is not exact; of a slope of 0 the sign is not known.
        const auto beyond = hn::Le(x[1], hn::Set(d, -2 * limit.high));
        valid = hn::Not(hn::Or(beyond, hn::Eq(slope.high, hn::Zero(d))));
      },
      [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const auto sum = two_sum(clamped_to_negative(d, x[1]), hn::Set(d, limit.high));
        const auto slope = slope_of(d, sum);
        y[0] =
            hn::IfThenElse(hn::Gt(x[1], hn::Zero(d)), hn::Mul(x[0], hn::Set(d, parameters.scale)),
                           product_of_any(d, x[0], slope));
        valid = hn::Or(hn::IsFinite(slope.high), hn::Not(hn::IsFinite(x[1])));
      },
      with_parameters(elu_backward_of_result, parameters));
}

// With all parameters 1, for 16-bit elements.
void elu_plain_backward_of_result_16bit(const NativeBlock& block, const EluParameters& parameters) {
  const auto product = [](auto d, const auto& x, auto& y) HWY_ATTR {
    const auto slope = hn::Add(smaller(hn::Zero(d), x[1]), hn::Set(d, 1.0f));
    y[0] = hn::Mul(x[0], slope);
    return slope;
  };
  const auto exact = with_parameters(elu_backward_of_result, parameters);
  // In BF16 the product has 8 + 16 bits and is exact for y <= -2^-9. Nearer to 0 it lies above the
  // midpoint between g and the next smaller element.
  if (block.dtype == ACL_BF16) {
    return map_16bit<2, 1, Outputs::kRounded>(
        block,
        [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
          product(d, x, y);
          valid = hn::Not(hn::Lt(x[1], hn::Set(d, -0x1p15f)));
        },
        exact);
  }
  // The rounding error of 1 + y is ignored: it occurs for tiny y only, and the product is then next
  // to g and no tie.
  map_16bit<2, 1, Outputs::kNearOrExact>(
      block,
      [=](auto d, const auto& x, auto& y) HWY_ATTR {
        const auto slope = product(d, x, y);
        y[0] = inexact_if(d, mul_sub(d, x[0], slope, y[0]), y[0]);
      },
      exact);
}

void elu_backward_of_result_native(const NativeBlock& block, const EluParameters& parameters) {
  const bool is_plain = all_are_one(parameters);
  if (block.dtype == ACL_FLOAT) {
    is_plain ? elu_plain_backward_of_result_floats(block, parameters)
             : elu_backward_of_result_floats(block, parameters);
  } else if (is_plain) {
    elu_plain_backward_of_result_16bit(block, parameters);
  } else {
    map_lut16_product<Entries::kOdd>(block, tables_of(parameters, &EluTables::of_result),
                                     with_parameters(elu_backward_of_result, parameters));
  }
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>

namespace aclgrad::ops {

HWY_EXPORT(elu);
HWY_EXPORT(elu_constant);
HWY_EXPORT(elu_backward);
HWY_EXPORT(elu_backward_of_result);
HWY_EXPORT(elu_native);
HWY_EXPORT(elu_backward_native);
HWY_EXPORT(elu_backward_of_result_native);

namespace {

// Products of three such numbers are floats with all their digits.
bool is_moderate(float parameter) { return parameter >= 0x1p-20f && parameter <= 0x1p20f; }

bool are_moderate(const EluParameters& parameters) {
  return is_moderate(parameters.alpha) && is_moderate(parameters.scale) &&
         is_moderate(parameters.input_scale);
}

// The exported function with the parameters bound, as the kernel of a FloatKernel or on its own.
#define ACLGRAD_BOUND(function)                               \
  [parameters](const auto&... arguments) {                    \
    HWY_DYNAMIC_DISPATCH(function)(arguments..., parameters); \
  }

Kernel kernel_for(const EluParameters& parameters, RealKernel exact, NativeKernel native) {
  if (!are_moderate(parameters)) return exact;
  return FloatKernel{std::move(exact), std::move(native)};
}

}  // namespace

Kernel elu_kernel(const EluParameters& parameters) {
  if (!std::isfinite(parameters.alpha) || !std::isfinite(parameters.input_scale)) {
    return RealKernel(ACLGRAD_BOUND(elu_constant));
  }
  return kernel_for(parameters, ACLGRAD_BOUND(elu), ACLGRAD_BOUND(elu_native));
}

Kernel elu_backward_kernel(const EluParameters& parameters, bool is_result) {
  if (is_result) {
    return kernel_for(parameters, ACLGRAD_BOUND(elu_backward_of_result),
                      ACLGRAD_BOUND(elu_backward_of_result_native));
  }
  return kernel_for(parameters, ACLGRAD_BOUND(elu_backward), ACLGRAD_BOUND(elu_backward_native));
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
