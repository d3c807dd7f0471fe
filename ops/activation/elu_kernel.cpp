// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/elu_kernel.h"

#include <bit>
#include <functional>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/elu_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/block-inl.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// ---- Exact --------------------------------------------------------------------------------------

// -infinity becomes the lowest finite number, so that its product with an inputScale of 0 is 0, and
// so that the limit holds for every other inputScale. NaN stays.
template <class D, class V>
HWY_INLINE V above_minus_infinity(D d, V x) {
  const V lowest = hn::Set(d, -0x1.fffffffffffffp+1023);
  return hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
}

// Where the gradient follows from an output y that the linear branch gave.
template <class D, class V>
HWY_INLINE auto is_linear(D d, const EluFunction& f, V y) {
  using T = hn::TFromD<D>;
  return hn::Gt(y, hn::Set(d, f.zero_is_linear ? -std::numeric_limits<T>::denorm_min() : T{0}));
}

void elu(const EluFunction& f, const double* const* in, double* const* out, size_t count) {
  map_block<1>(in, out, count, [=](auto d, auto x) HWY_ATTR {
    const auto scaled = hn::Mul(above_minus_infinity(d, x), hn::Set(d, f.input_scale));
    // For tiny z, e^z - 1 = z + z^2/2 lies just above z.
    const auto tiny = hn::Lt(hn::Abs(scaled), hn::Set(d, kTiny));
    const auto growth =
        hn::IfThenElse(tiny, round_to_odd(d, scaled, hn::Abs(scaled)), expm1_double(d, scaled));
    const auto exp_branch = hn::Mul(hn::Set(d, f.limit), growth);
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, f.scale)), exp_branch);
  });
}

void elu_backward(const EluFunction& f, const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count, [=](auto d, auto g, auto x) HWY_ATTR {
    const auto clamped = above_minus_infinity(d, x);
    const auto input_scale = hn::Set(d, f.input_scale);
    const auto scaled = hn::Mul(clamped, input_scale);
    const auto tiny = hn::Lt(hn::Abs(scaled), hn::Set(d, kTiny));
    const auto decay = hn::IfThenElse(tiny, round_to_odd(d, hn::Set(d, 1.0), scaled),
                                      exponential_of_product(d, clamped, input_scale));
    const auto exp_branch = hn::Mul(hn::Set(d, f.limit * f.input_scale), decay);
    return hn::Mul(g, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Set(d, f.scale), exp_branch));
  });
}

void elu_backward_of_result(const EluFunction& f, const double* const* in, double* const* out,
                            size_t count) {
  map_block<2>(in, out, count, [=](auto d, auto g, auto y) HWY_ATTR {
    const auto factor = hn::Mul(g, hn::Set(d, f.input_scale));
    auto slope = two_sum(y, hn::Set(d, f.limit));
    // Summed again, because the rest is all there is where the first sum is 0. An infinite y has a
    // NaN for its low part, which must not spread.
    const auto rest = hn::Set(d, f.limit_rest);
    slope.low = hn::IfThenElse(hn::IsNaN(slope.low), rest, hn::Add(slope.low, rest));
    const auto exp_branch = multiply_to_odd(d, factor, two_sum(slope.high, slope.low));
    const auto linear = is_linear(d, f, y);
    return hn::IfThenElse(linear, hn::Mul(g, hn::Set(d, f.scale)), exp_branch);
  });
}

// ---- In float, for positive parameters of moderate size -----------------------------------------

// Which numbers of the function are not 1. Products with those that are take up to half of the time
// of a formula that goes without them.
enum class Form { kPlain, kWithFactors, kWithInputScale };

// Calls visit(the form of f, as a type).
template <class Visit>
HWY_INLINE void with_form(const EluFunction& f, const Visit& visit) {
  using enum Form;
  if (f.input_scale != 1) return visit(std::integral_constant<Form, kWithInputScale>());
  if (f.limit != 1 || f.scale != 1) return visit(std::integral_constant<Form, kWithFactors>());
  visit(std::integral_constant<Form, kPlain>());
}

template <Form kForm>
auto elu_formula(const EluFunction& f) {
  const DoubleFloatConstant limit(f.limit);
  const auto below = DoubleFloatConstant::from_below(f.limit * f.input_scale);
  const auto above = DoubleFloatConstant::from_below(f.scale);
  const auto input_scale = static_cast<float>(f.input_scale);
  const float lowest = kVanishingExponential / input_scale;
  const float linear = kLinearGrowth / input_scale;
  return [=](auto d, const auto& x, auto& y) HWY_ATTR {
    const auto clamped = hn::Min(hn::Max(x[0], hn::Set(d, lowest)), hn::Set(d, linear));
    auto exp_branch = clamped;
    auto line = x[0];
    if constexpr (kForm == Form::kPlain) {
      const auto growth = expm1_double_float(d, clamped);
      exp_branch = hn::Add(growth.high, growth.low);
    } else {
      auto growth = double_float_product(d, clamped, hn::Set(d, input_scale));
      growth = kForm == Form::kWithFactors ? expm1_double_float(d, clamped)
                                           : expm1_double_float(d, growth.high, growth.low);
      exp_branch = unsigned_product(d, double_float(d, limit), growth);
      const auto negative = hn::Lt(x[0], hn::Zero(d));
      const auto slope = if_then_else(negative, double_float(d, below), double_float(d, above));
      line = mul_add(d, x[0], slope.high, hn::Mul(x[0], slope.low));
    }
    y[0] = hn::IfThenElse(hn::Lt(x[0], hn::Set(d, linear)), exp_branch, line);
  };
}

template <Form kForm>
auto elu_backward_formula(const EluFunction& f) {
  constexpr float kLowest = -170.0f;  // e^x times numbers up to 2^9 is 0 below
  const DoubleFloatConstant factor(f.limit * f.input_scale);
  const auto input_scale = static_cast<float>(f.input_scale);
  const auto scale = static_cast<float>(f.scale);
  const float lowest = kLowest / input_scale;
  const float nearest = kLinearGrowth / input_scale;
  return [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    const auto g = x[0];
    const auto clamped = larger(hn::Set(d, lowest), smaller(hn::Set(d, nearest), x[1]));
    if constexpr (kForm == Form::kPlain) {
      const auto e = reduce_shortly(d, clamped);
      const auto rest = hn::Mul(e.n, hn::Set(d, kLn2Excess));
      const auto growth = hn::Add(e.r, beyond_linear(d, e.r, rest));
      y[0] = product_with_power(d, g, g, clamped, mul_add(d, g, growth, g), e, valid);
    } else {
      const auto z = double_float_product(d, clamped, hn::Set(d, input_scale));
      const auto e = reduce_shortly(d, z.high);
      const auto rest = mul_add(d, e.n, hn::Set(d, kLn2Excess), z.low);
      const auto scaled_g = scaled(d, factor, Expansion<Floats>{g, hn::Zero(d)});
      const auto low = mul_add(d, scaled_g.high, beyond_linear(d, e.r, rest), scaled_g.low);
      const auto sum = hn::Add(scaled_g.high, mul_add(d, scaled_g.high, e.r, low));
      const auto exp_branch = product_with_power(d, g, scaled_g.high, clamped, sum, e, valid);
      const auto line = hn::Mul(g, hn::Set(d, scale));
      y[0] = hn::IfThenElse(hn::Gt(x[1], hn::Zero(d)), line, exp_branch);
    }
  };
}

template <Form kForm>
auto elu_backward_of_result_formula(const EluFunction& f) {
  const DoubleFloatConstant limit(f.limit);
  const DoubleFloatConstant scale(f.scale);
  const auto input_scale = static_cast<float>(f.input_scale);
  return [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    // Numbers that do not count beside the limit become 0: products with them may be slow.
    auto negative = x[1];
    if constexpr (kForm == Form::kPlain) negative = smaller(hn::Zero(d), negative);
    if constexpr (kForm != Form::kWithFactors) negative = without_tiny(d, negative, 0x1.8p-60f);
    const auto slope_of = [&](auto slope) HWY_ATTR {
      if constexpr (kForm == Form::kPlain) return slope;
      slope.low = hn::Add(slope.low, hn::Set(d, limit.low));
      if constexpr (kForm == Form::kWithInputScale) {
        const auto low = hn::Mul(slope.low, hn::Set(d, input_scale));
        slope = double_float_product(d, slope.high, hn::Set(d, input_scale));
        slope.low = hn::Add(slope.low, low);
      }
      return if_then_else(is_linear(d, f, x[1]), double_float(d, scale), slope);
    };
    auto slope = slope_of(sum_with_larger(d, negative, limit.high));
    y[0] = product(d, x[0], slope);
    // Below twice the limit, where no forward's results are, that sum is not exact.
    auto regular = hn::And(hn::IsFinite(y[0]), hn::Ge(negative, hn::Set(d, -2 * limit.high)));
    // Where the high part is 0 the low one has the sign.
    if constexpr (kForm != Form::kPlain) {
      regular = hn::And(regular, hn::Ne(slope.high, hn::Zero(d)));
    }
    if (HWY_LIKELY(hn::AllTrue(d, regular))) return;
    slope = slope_of(two_sum(negative, hn::Set(d, limit.high)));
    y[0] = product_of_any(d, x[0], slope);
    valid = hn::Or(hn::IsFinite(slope.high), hn::Not(hn::IsFinite(x[1])));
  };
}

// For 16-bit elements. With kMayBeExact products are marked that are not exact: where the numbers
// of f are short, they are often ties.
template <Form kForm, bool kMayBeExact>
auto elu_backward_of_result_formula16(const EluFunction& f) {
  const DoubleFloatConstant limit(f.limit);
  const auto scale = static_cast<float>(f.scale);
  const auto input_scale = static_cast<float>(f.input_scale);
  return [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    const auto negative = kForm == Form::kPlain ? smaller(hn::Zero(d), x[1]) : x[1];
    const auto sum = sum_with_larger(d, negative, limit.high);
    auto slope = sum.high;
    // In the plain form this sum has an error for tiny numbers only, and the product is next to g
    // and no tie.
    auto lost = hn::Zero(d);
    if constexpr (kForm != Form::kPlain) {
      slope = hn::Add(slope, hn::Set(d, limit.low));
      lost = hn::Or(sum.low, hn::Set(d, limit.low));
      if constexpr (kForm == Form::kWithInputScale) {
        const auto scaled_slope = hn::Mul(slope, hn::Set(d, input_scale));
        lost = hn::Or(lost, mul_sub(d, slope, hn::Set(d, input_scale), scaled_slope));
        slope = scaled_slope;
      }
      const auto linear = is_linear(d, f, x[1]);
      slope = hn::IfThenElse(linear, hn::Set(d, scale), slope);
      lost = hn::IfThenZeroElse(linear, lost);
    }
    y[0] = hn::Mul(x[0], slope);
    if constexpr (kMayBeExact) {
      y[0] = inexact_if(d, hn::Or(lost, mul_sub(d, x[0], slope, y[0])), y[0]);
    }
    // Below, the sum has an error that it does not tell, and products with it may overflow.
    if constexpr (kMayBeExact || kForm == Form::kWithInputScale) {
      valid = hn::Not(hn::Lt(x[1], hn::Set(d, -2 * limit.high)));
    }
  };
}

struct EluTables {
  Lut16s forward;
  Lut16s backward;
};

// Null when too many others are in use.
Lut16s* tables_of(const EluFunction& f, Lut16s EluTables::*which) {
  constinit static TablesByKey<EluFunction, EluTables> tables;
  EluTables* const found = tables.find(f);
  return found == nullptr ? nullptr : &(found->*which);
}

void elu_native(const EluFunction& f, const NativeBlock& block) {
  const auto exact = std::bind_front(elu, f);
  if (block.dtype != ACL_FLOAT) {
    return map_lut16(block, tables_of(f, &EluTables::forward), exact);
  }
  with_form(f, [&](auto form) { map_floats<1, 1>(block, elu_formula<form>(f), exact); });
}

void elu_backward_native(const EluFunction& f, const NativeBlock& block) {
  const auto exact = std::bind_front(elu_backward, f);
  if (block.dtype != ACL_FLOAT) {
    return map_lut16_product</*kMayBeExact=*/true>(block, tables_of(f, &EluTables::backward),
                                                   exact);
  }
  with_form(f, [&](auto form) { map_floats<2, 1>(block, elu_backward_formula<form>(f), exact); });
}

// Whether products of elements with the number have at most the digits of a float.
bool is_short(double number) {
  const auto nearest = static_cast<float>(number);
  return static_cast<double>(nearest) == number && (std::bit_cast<uint32_t>(nearest) & 0xfff) == 0;
}

void elu_backward_of_result_native(const EluFunction& f, const NativeBlock& block) {
  const auto exact = std::bind_front(elu_backward_of_result, f);
  with_form(f, [&](auto form) {
    if (block.dtype == ACL_FLOAT) {
      map_floats<2, 1>(block, elu_backward_of_result_formula<form>(f), exact);
    } else if (is_short(f.limit) || is_short(f.scale)) {
      const auto formula = elu_backward_of_result_formula16<form, true>(f);
      map_16bit<2, 1, Outputs::kNearOrExact>(block, formula, exact);
    } else {
      const auto formula = elu_backward_of_result_formula16<form, false>(f);
      map_16bit<2, 1, Outputs::kNear>(block, formula, exact);
    }
  });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cmath>
#include <functional>
#include <utility>

#include "ops/engine/dispatch.h"

namespace aclgrad::ops {

HWY_EXPORT(elu);
HWY_EXPORT(elu_backward);
HWY_EXPORT(elu_backward_of_result);
HWY_EXPORT(elu_native);
HWY_EXPORT(elu_backward_native);
HWY_EXPORT(elu_backward_of_result_native);

FloatKernel elu_function_kernel(const EluFunction& f) {
  return {std::bind_front(ACLGRAD_DISPATCHED(elu), f),
          std::bind_front(ACLGRAD_DISPATCHED(elu_native), f)};
}

FloatKernel elu_function_backward_kernel(const EluFunction& f, bool is_result) {
  if (is_result) {
    return {std::bind_front(ACLGRAD_DISPATCHED(elu_backward_of_result), f),
            std::bind_front(ACLGRAD_DISPATCHED(elu_backward_of_result_native), f)};
  }
  return {std::bind_front(ACLGRAD_DISPATCHED(elu_backward), f),
          std::bind_front(ACLGRAD_DISPATCHED(elu_backward_native), f)};
}

namespace {

// Products of three such numbers are floats with all their digits.
bool is_moderate(float parameter) { return parameter >= 0x1p-20f && parameter <= 0x1p20f; }

EluFunction function_of(const EluParameters& p) {
  return {
      .limit = double{p.alpha} * double{p.scale}, .scale = p.scale, .input_scale = p.input_scale};
}

// The kernel in double alone, unless the parameters are such that there is one in float.
Kernel kernel_for(const EluParameters& p, FloatKernel both) {
  if (is_moderate(p.alpha) && is_moderate(p.scale) && is_moderate(p.input_scale)) return both;
  return std::move(both.exact);
}

}  // namespace

Kernel elu_kernel(const EluParameters& p) {
  const EluFunction f = function_of(p);
  if (std::isfinite(p.alpha) && std::isfinite(p.input_scale))
    return kernel_for(p, elu_function_kernel(f));
  return RealKernel([f](const double* const* in, double* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const double x = in[0][i];
      out[0][i] = x <= 0 ? -f.limit : x * f.scale;  // the product also carries NaN
    }
  });
}

Kernel elu_backward_kernel(const EluParameters& p, bool is_result) {
  return kernel_for(p, elu_function_backward_kernel(function_of(p), is_result));
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
