// SPDX-License-Identifier: Apache-2.0
// Activations of straight pieces, and their backwards: Hardtanh, Hardshrink, Softshrink,
// Hardsigmoid, Threshold.
#include "aclnnop/aclnn_hardshrink.h"
#include "aclnnop/aclnn_hardshrink_backward.h"
#include "aclnnop/aclnn_hardsigmoid.h"
#include "aclnnop/aclnn_hardsigmoid_backward.h"
#include "aclnnop/aclnn_hardtanh.h"
#include "aclnnop/aclnn_hardtanh_backward.h"
#include "aclnnop/aclnn_softshrink.h"
#include "aclnnop/aclnn_softshrink_backward.h"
#include "aclnnop/aclnn_threshold.h"
#include "ops/activation/formula_rules.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/piecewise.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// NaN fails every comparison: where a comparison must hold for a piece, it goes to the others.

FloatKernel hardtanh_formula(const Numbers& bounds) {
  return unary([low = bounds[0], high = bounds[1]](auto d, auto x) HWY_ATTR {
    const auto raised = hn::IfThenElse(hn::Lt(x, set(d, low)), set(d, low), x);
    return hn::IfThenElse(hn::Gt(raised, set(d, high)), set(d, high), raised);
  });
}
FloatKernel hardtanh_slope(const Numbers& bounds) {
  return binary([low = bounds[0], high = bounds[1]](auto d, auto g, auto x) HWY_ATTR {
    return hn::IfThenZeroElse(hn::Or(hn::Le(x, set(d, low)), hn::Ge(x, set(d, high))), g);
  });
}

// y, and 0 for x within lambda of 0.
template <class D, class V>
HWY_INLINE V outside(D d, V x, double lambda, V y) {
  return hn::IfThenZeroElse(hn::And(hn::Ge(x, set(d, -lambda)), hn::Le(x, set(d, lambda))), y);
}
FloatKernel hardshrink_formula(const Numbers& numbers) {
  return unary([lambda = numbers[0]](auto d, auto x) HWY_ATTR { return outside(d, x, lambda, x); });
}
FloatKernel softshrink_formula(const Numbers& numbers) {
  return unary([lambda = numbers[0]](auto d, auto x) HWY_ATTR {
    return outside(d, x, lambda, hn::Sub(x, hn::CopySign(set(d, lambda), x)));
  });
}
FloatKernel shrink_slope(const Numbers& numbers) {
  return binary([lambda = numbers[0]](auto d, auto g, auto x)
                    HWY_ATTR { return outside(d, x, lambda, g); });
}

FloatKernel hardsigmoid_formula(const Numbers&) {
  return unary([](auto d, auto x) HWY_ATTR {
    const auto middle = hn::Div(hn::Add(x, set(d, 3)), set(d, 6));
    const auto above = hn::IfThenElse(hn::Ge(x, set(d, 3)), one(d), middle);
    return hn::IfThenZeroElse(hn::Le(x, set(d, -3)), above);
  });
}
FloatKernel hardsigmoid_slope(const Numbers&) {
  return binary([](auto d, auto g, auto x) HWY_ATTR {
    return hn::IfThenElseZero(hn::Lt(hn::Abs(x), set(d, 3)), hn::Div(g, set(d, 6)));
  });
}

FloatKernel threshold_formula(const Numbers& numbers) {
  return unary([threshold = numbers[0], value = numbers[1]](auto d, auto x) HWY_ATTR {
    return hn::IfThenElse(hn::Le(x, set(d, threshold)), set(d, value), x);
  });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

namespace aclgrad::ops {
namespace {

HWY_EXPORT(hardtanh_formula);
HWY_EXPORT(hardtanh_slope);
HWY_EXPORT(hardshrink_formula);
HWY_EXPORT(softshrink_formula);
HWY_EXPORT(shrink_slope);
HWY_EXPORT(hardsigmoid_formula);
HWY_EXPORT(hardsigmoid_slope);
HWY_EXPORT(threshold_formula);

// Integers have kernels of their own.
Kernel hardtanh(const Numbers& bounds) {
  if (!is_integer(bounds.dtype)) return HWY_DYNAMIC_DISPATCH(hardtanh_formula)(bounds);
  return of_integers([low = bounds[0], high = bounds[1]](int64_t x) {
    if (static_cast<double>(x) < low) x = static_cast<int64_t>(low);
    return static_cast<double>(x) > high ? static_cast<int64_t>(high) : x;
  });
}
Kernel threshold(const Numbers& numbers) {
  if (!is_integer(numbers.dtype)) return HWY_DYNAMIC_DISPATCH(threshold_formula)(numbers);
  return of_integers([limit = numbers[0], value = numbers[1]](int64_t x) {
    return static_cast<double>(x) > limit ? x : static_cast<int64_t>(value);
  });
}

Rule lambda_known(size_t lambda) {
  return require([lambda](const Arguments& arguments) -> std::optional<std::string> {
    const double number = arguments.scalar(lambda).to_double();
    if (number >= 0) return std::nullopt;
    return fmt::format("lambd must not be negative, but is {}.", number);
  });
}

}  // namespace

ACLGRAD_FORMULA_OF(aclnnHardtanh, hardtanh, forward({"minVal", "maxVal"}, kRealNumbers))
ACLGRAD_FORMULA_OF(aclnnInplaceHardtanh, hardtanh, in_place({"minVal", "maxVal"}, kRealNumbers))
ACLGRAD_FORMULA(aclnnHardtanhBackward, hardtanh_slope, backward({"minVal", "maxVal"}))
ACLGRAD_FORMULA(aclnnHardshrink, hardshrink_formula, forward({"lambd"}))
ACLGRAD_FORMULA(aclnnHardshrinkBackward, shrink_slope, backward({"lambd"}, Tensors::kBroadcast))
ACLGRAD_FORMULA(aclnnSoftshrink, softshrink_formula,
                forward({"lambd"}, kRealFloats, {lambda_known(1)}))
ACLGRAD_FORMULA(aclnnSoftshrinkBackward, shrink_slope, backward({"lambd"}, Tensors::kBroadcast))
ACLGRAD_FORMULA(aclnnHardsigmoid, hardsigmoid_formula, forward())
ACLGRAD_FORMULA(aclnnInplaceHardsigmoid, hardsigmoid_formula, in_place())
ACLGRAD_FORMULA(aclnnHardsigmoidBackward, hardsigmoid_slope, backward({}, Tensors::kConverted))
ACLGRAD_FORMULA_OF(aclnnThreshold, threshold,
                   forward({"threshold", "value"}, kRealNumbers, {}, Tensors::kConverted))
ACLGRAD_FORMULA_OF(aclnnInplaceThreshold, threshold, in_place({"threshold", "value"}, kRealNumbers))

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
