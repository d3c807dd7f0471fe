// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/elu_kernel.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/elu_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// x is held above it: -infinity times an inputScale of 0 would be NaN.
constexpr double kLowest = std::numeric_limits<double>::lowest();

// ---- In float, for positive parameters of moderate size -----------------------------------------

// Which numbers of the function are not 1. Products with those that are take up to half of the time
// of a formula that goes without them.
enum class Form { kPlain, kWithFactors, kWithInputScale };
using enum Form;

// Calls visit(the form of f, as a type).
template <class Visit>
HWY_INLINE void with_form(const EluFunction& f, const Visit& visit) {
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
    const auto z = two_product(d, clamped, hn::Set(d, input_scale));
    const auto growth = kForm == kWithInputScale ? expm1_double_float(d, z.high, z.low)
                                                 : expm1_double_float(d, clamped);
    auto exp_branch = hn::Add(growth.high, growth.low);
    auto line = x[0];
    if constexpr (kForm != kPlain) {
      exp_branch = multiply_nonzero(d, double_float(d, limit), growth);
      const auto negative = hn::Lt(x[0], hn::Zero(d));
      const auto slope = if_then_else(negative, double_float(d, below), double_float(d, above));
      line = mul_add(d, x[0], slope.high, hn::Mul(x[0], slope.low));
    }
    y[0] = hn::IfThenElse(hn::Lt(x[0], hn::Set(d, linear)), exp_branch, line);
  };
}

template <Form kForm>
auto elu_backward_formula(const EluFunction& f) {
  const DoubleFloatConstant factor(f.limit * f.input_scale);
  const auto input_scale = static_cast<float>(f.input_scale);
  const auto scale = static_cast<float>(f.scale);
  const float lowest = -170.0f / input_scale;  // e^x times numbers up to 2^9 is 0 below -170
  const float nearest = kLinearGrowth / input_scale;
  return [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    const auto clamped = larger(hn::Set(d, lowest), smaller(hn::Set(d, nearest), x[1]));
    if constexpr (kForm == kPlain) {  // e^x is 1 above 0
      return times_exponential(d, x[0], x[0], clamped, y[0], valid);
    } else {
      const auto multiple = scaled(d, factor, Expansion<Floats>{x[0], hn::Zero(d)});
      bool all_valid;
      if constexpr (kForm == kWithInputScale) {
        const auto z = two_product(d, clamped, hn::Set(d, input_scale));
        all_valid = times_exponential(d, x[0], multiple, z.high, y[0], valid, z.low);
      } else {
        all_valid = times_exponential(d, x[0], multiple, clamped, y[0], valid, hn::Zero(d));
      }
      const auto above = hn::Gt(x[1], hn::Zero(d));
      y[0] = hn::IfThenElse(above, hn::Mul(x[0], hn::Set(d, scale)), y[0]);
      return all_valid;
    }
  };
}

// For BF16, by fewer operations where that is enough. No product is a tie, as e^x is no float
// but 1.
template <class Formula>
auto elu_backward_in_bfloat16(const Formula& for_all) {
  return [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    const auto below = smaller(hn::Set(d, kLinearGrowth), x[1]);
    y[0] = hn::Mul(x[0], short_exponential(d, below));
    const auto usual = hn::Ge(below, hn::Set(d, kLowestShortExponential));
    return HWY_LIKELY(hn::AllTrue(d, usual)) || for_all(d, x, y, valid);
  };
}

// The gradient from a result y, but for an input scale: of a slope that is rounded once.
template <Form kForm>
auto elu_backward_of_result_formula(const EluFunction& f) {
  const float first = f.limit_factors[0];
  const float second = f.limit_factors[1];
  const auto rest = static_cast<float>(f.rest_of_factors());
  const auto scale = static_cast<float>(f.scale);
  const auto linear_above = static_cast<float>(f.linear_above);
  return [=](auto d, const auto& x, auto& y) HWY_ATTR {
    if constexpr (kForm == kPlain) {
      y[0] = hn::Mul(x[0], hn::Add(smaller(hn::Zero(d), x[1]), hn::Set(d, 1.0f)));
      return;
    }
    // Subnormal numbers do not count beside the limit, but products with them may be slow. Near
    // -limit the first sum is exact; elsewhere the second changes nothing.
    const auto negative = smaller(hn::Set(d, -0x1p-100f), x[1]);
    const auto sum = mul_add(d, hn::Set(d, first), hn::Set(d, second), negative);
    const auto slope = hn::Add(sum, hn::Set(d, rest));
    const auto linear = hn::Gt(x[1], hn::Set(d, linear_above));
    y[0] = hn::Mul(x[0], hn::IfThenElse(linear, hn::Set(d, scale), slope));
  };
}

// The same for all numbers of f. FLOAT takes the slope in two parts up to its one rounding; 16 bits
// take it as one float, of which a low part that is not 0 tells that it is not exact. With kMarked
// products tell that, too.
template <Form kForm, bool kIs16Bit, bool kMarked = false>
auto elu_backward_of_result_in_parts(const EluFunction& f) {
  const DoubleFloatConstant limit(f.limit);
  const DoubleFloatConstant scale(f.scale);
  const auto input_scale = static_cast<float>(f.input_scale);
  const auto linear_above = static_cast<float>(f.linear_above);
  return [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
    const auto join = [](auto a, auto b)
                          HWY_ATTR { return kIs16Bit ? hn::Or(a, b) : hn::Add(a, b); };
    auto slope = kIs16Bit ? sum_with_larger(d, kForm == kPlain ? smaller(hn::Zero(d), x[1]) : x[1],
                                            limit.high)
                          : two_sum(without_tiny(d, x[1], 0x1.8p-60f), hn::Set(d, limit.high));
    // Below twice the limit, where no forward's results are, the shorter sum is not exact.
    if (kIs16Bit) valid = hn::Not(hn::Lt(x[1], hn::Set(d, -2 * limit.high)));
    if constexpr (kForm == kPlain) {
      // Not exact for tiny numbers only, where the product is next to g and no tie.
      y[0] = multiply_marked<kMarked>(d, x[0], slope.high);
      return;
    }
    if (kIs16Bit) slope.high = hn::Add(slope.high, hn::Set(d, limit.low));
    slope.low = join(slope.low, hn::Set(d, limit.low));
    if constexpr (kForm == kWithInputScale) {
      const auto low = kIs16Bit ? slope.low : hn::Mul(slope.low, hn::Set(d, input_scale));
      slope = two_product(d, slope.high, hn::Set(d, input_scale));
      slope.low = join(slope.low, low);
    }
    const auto linear = hn::Gt(x[1], hn::Set(d, linear_above));
    if constexpr (kIs16Bit) {
      slope = if_then_else(linear, double_float(d, scale), slope);
      y[0] = multiply_marked<kMarked>(d, x[0], slope.high, slope.low);
    } else {
      // The low parts of infinite numbers may be NaN.
      const auto finite = hn::IsFinite(slope.high);
      const auto sum = hn::Add(slope.high, hn::IfThenElseZero(finite, slope.low));
      y[0] = hn::Mul(x[0], hn::IfThenElse(linear, hn::Set(d, scale.high), sum));
      valid = hn::Or(finite, hn::Not(hn::IsFinite(x[1])));
    }
  };
}

// ---- Kernels, with their exact formulas ---------------------------------------------------------

FloatKernel elu(const EluFunction& f) {
  const auto exact = blockwise<1>([f](auto d, auto x) HWY_ATTR {
    const auto scaled_x = hn::Mul(larger(set(d, kLowest), x), set(d, f.input_scale));
    const auto growth = f.is_step ? set(d, -1) : expm1_to_odd(d, scaled_x);
    const auto exp_branch = hn::Mul(set(d, f.limit), growth);
    return hn::IfThenElse(hn::Le(x, hn::Zero(d)), exp_branch, hn::Mul(x, set(d, f.scale)));
  });
  return {exact, [f, exact](const NativeBlock& block) HWY_ATTR {
            constinit static TablesByKey<EluFunction, Lut16s> tables;
            if (block.dtype != ACL_FLOAT) return map_lut16(block, tables.find(f), exact);
            with_form(f, [&](auto form)
                             HWY_ATTR { map_floats<1, 1>(block, elu_formula<form>(f), exact); });
          }};
}

FloatKernel elu_backward(const EluFunction& f) {
  const auto exact = blockwise<2>([f](auto d, auto g, auto x) HWY_ATTR {
    const auto decay = exponential_of_product(d, larger(set(d, kLowest), x), set(d, f.input_scale));
    const auto exp_branch = hn::Mul(set(d, f.limit * f.input_scale), decay);
    return hn::Mul(g, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), set(d, f.scale), exp_branch));
  });
  return {exact, [f, exact](const NativeBlock& block) HWY_ATTR {
            constinit static TablesByKey<EluFunction, Lut16s> tables;
            with_form(f, [&](auto form) HWY_ATTR {
              const auto formula = elu_backward_formula<form>(f);
              if (block.dtype == ACL_FLOAT) return map_floats<2, 1>(block, formula, exact);
              if (form != kPlain || block.dtype == ACL_FLOAT16) {
                return map_lut16_product<true>(block, tables.find(f), exact);
              }
              // Gathers take longer than this on some processors.
              const auto in_bfloat16 = elu_backward_in_bfloat16(formula);
              map_bfloat16<2, 1, Outputs::kWithin3Ulp>(block, in_bfloat16, exact);
            });
          }};
}

FloatKernel elu_backward_of_result(const EluFunction& f) {
  const auto exact = blockwise<2>([f](auto d, auto g, auto y) HWY_ATTR {
    auto slope = two_sum(y, set(d, f.limit));
    // Summed again, because the rest is all there is where the first sum is 0. An infinite y has a
    // NaN for its low part, which must not spread.
    const auto rest = set(d, f.limit_rest);
    slope.low = hn::IfThenElse(hn::IsNaN(slope.low), rest, hn::Add(slope.low, rest));
    const auto factor = hn::Mul(g, set(d, f.input_scale));
    const auto exp_branch = multiply_to_odd(d, factor, two_sum(slope.high, slope.low));
    const auto linear = hn::Gt(y, set(d, f.linear_above));
    return hn::IfThenElse(linear, hn::Mul(g, set(d, f.scale)), exp_branch);
  });
  return {exact, [f, exact](const NativeBlock& block) HWY_ATTR {
            // The rests of slopes of smaller numbers, or-ed, are no infinity.
            const bool is_short =
                f.limit_rest == 0 && f.limit * std::max(1.0, f.input_scale) < 0x1p24;
            with_form(f, [&](auto form) HWY_ATTR {
              if (block.dtype != ACL_FLOAT && is_short) {
                if (form == kPlain && block.dtype == ACL_BF16) {
                  // The product, of 8 and at most 16 bits, is exact for y <= -2^-9, and above the
                  // middle between g and the element before it nearer to 0.
                  const auto formula = elu_backward_of_result_in_parts<form, true>(f);
                  return map_bfloat16<2, 1, Outputs::kRoundedUnlessTiny>(block, formula, exact);
                }
                const auto formula = elu_backward_of_result_in_parts<form, true, true>(f);
                return map_16bit<2, 1, Outputs::kWithin5UlpOrExact>(block, formula, exact);
              }
              if constexpr (form == kWithInputScale) {
                if (block.dtype == ACL_FLOAT) {
                  const auto formula = elu_backward_of_result_in_parts<form, false>(f);
                  return map_floats<2, 1>(block, formula, exact);
                }
                const auto formula = elu_backward_of_result_in_parts<form, true>(f);
                map_16bit<2, 1, Outputs::kWithin3Ulp>(block, formula, exact);
              } else {
                const auto formula = elu_backward_of_result_formula<form>(f);
                if (block.dtype == ACL_FLOAT) return map_floats<2, 1>(block, formula, exact);
                map_16bit<2, 1, Outputs::kWithin3Ulp>(block, formula, exact);
              }
            });
          }};
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(elu);
HWY_EXPORT(elu_backward);
HWY_EXPORT(elu_backward_of_result);

// The kernel in double alone, unless products of three numbers of f are floats with all digits.
FloatKernel suited(const EluFunction& f, FloatKernel kernel) {
  for (const double number : {f.limit / f.scale, f.scale, f.input_scale}) {
    if (!(number >= 0x1p-20 && number <= 0x1p20)) kernel.native = nullptr;
  }
  return kernel;
}

}  // namespace

FloatKernel elu_kernel(const EluFunction& f) { return suited(f, HWY_DYNAMIC_DISPATCH(elu)(f)); }

FloatKernel elu_backward_kernel(const EluFunction& f, bool is_result) {
  return suited(f, is_result ? HWY_DYNAMIC_DISPATCH(elu_backward_of_result)(f)
                             : HWY_DYNAMIC_DISPATCH(elu_backward)(f));
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
