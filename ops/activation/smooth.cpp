// SPDX-License-Identifier: Apache-2.0
// Activations out of exponentials and logarithms, and their backwards: Mish, Celu, FastGelu,
// LogSigmoid, Logit. Most are computed in double, and rounded once.
#include "aclnnop/aclnn_celu.h"
#include "aclnnop/aclnn_fast_gelu.h"
#include "aclnnop/aclnn_fast_gelu_backward.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "aclnnop/aclnn_logsigmoid.h"
#include "aclnnop/aclnn_logsigmoid_backward.h"
#include "aclnnop/aclnn_mish.h"
#include "aclnnop/aclnn_mish_backward.h"
#include "ops/activation/formula_rules.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/smooth.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/activation/in_doubles-inl.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// ---- Mish ---------------------------------------------------------------------------------------
// With e = e^x = m 2^n and p = e (e + 2): tanh(log(1 + e)) = p / (p + 2). The power is multiplied
// last, as e may be too small a number where the result is not. From 40 on the function is x.

template <class V>
struct MishParts {
  V m;  // 0 where every number times e vanishes
  V first, second;
  V e;
  V divisor;  // p + 2

  HWY_INLINE V times_power(V value) const { return hn::Mul(hn::Mul(value, first), second); }
};
template <class D, class V>
HWY_INLINE MishParts<V> mish_parts(D d, V x) {
  const auto parts = split_exponential(d, clamp(d, x, -760.0, 40.0), hn::Zero(d));
  const V mantissa = hn::Add(one(d), parts.growth);
  const V m = hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -760.0)), mantissa);
  const V e = hn::Mul(hn::Mul(m, parts.first), parts.second);
  const V p = hn::Mul(e, hn::Add(e, hn::Set(d, 2.0)));
  return {m, parts.first, parts.second, e, hn::Add(p, hn::Set(d, 2.0))};
}

FloatKernel mish_formula(const Numbers&) {
  return unary(in_doubles([](auto d, auto x) HWY_ATTR {
    const auto at = mish_parts(d, x);
    const auto ratio = hn::Div(hn::Add(at.e, hn::Set(d, 2.0)), at.divisor);
    const auto product = at.times_power(hn::Mul(x, hn::Mul(ratio, at.m)));
    return hn::IfThenElse(hn::Gt(x, hn::Set(d, 40.0)), x, product);
  }));
}

// e ((e + 2) (p + 2) + 4 x (1 + e)) / (p + 2)^2
FloatKernel mish_slope(const Numbers&) {
  return binary(in_doubles([](auto d, auto g, auto x) HWY_ATTR {
    const auto at = mish_parts(d, x);
    const auto growing = hn::Mul(hn::Add(at.e, hn::Set(d, 2.0)), at.divisor);
    const auto by_x = hn::Mul(hn::Mul(hn::Set(d, 4.0), x), hn::Add(at.e, one(d)));
    const auto sum = hn::Div(hn::Add(growing, by_x), hn::Mul(at.divisor, at.divisor));
    const auto product = at.times_power(hn::Mul(g, hn::Mul(sum, at.m)));
    const auto nothing = hn::Mul(x, hn::Zero(d));  // NaN at infinity
    return hn::IfThenElse(hn::Gt(x, hn::Set(d, 40.0)), hn::Add(g, nothing), product);
  }));
}

// ---- Celu ---------------------------------------------------------------------------------------

FloatKernel celu_formula(const Numbers& numbers) {
  return unary(in_doubles([alpha = numbers[0]](auto d, auto x) HWY_ATTR {
    const auto below = hn::Mul(hn::Set(d, alpha), expm1(d, hn::Div(x, hn::Set(d, alpha))));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, below);
  }));
}

// ---- FastGelu -----------------------------------------------------------------------------------

constexpr double kFastGelu = 1.702;

FloatKernel fast_gelu_formula(const Numbers&) {
  return unary(in_doubles([](auto d, auto x) HWY_ATTR {
    const auto z = two_product(d, clamp(d, x, -450.0, 450.0), hn::Set(d, kFastGelu));
    return hn::Mul(x, logistic_pair(d, z.high, z.low).of_plus);
  }));
}

FloatKernel fast_gelu_slope(const Numbers&) {
  return binary(in_doubles([](auto d, auto g, auto x) HWY_ATTR {
    const auto z = two_product(d, clamp(d, x, -450.0, 450.0), hn::Set(d, kFastGelu));
    const auto u = logistic_pair(d, z.high, z.low);
    const auto factor = hn::Add(one(d), hn::Mul(z.high, u.of_minus));
    return hn::Mul(g, hn::Mul(u.of_plus, factor));
  }));
}

// ---- LogSigmoid ---------------------------------------------------------------------------------

FloatKernel log_sigmoid_formula(const Numbers&) {
  return unary(in_doubles([](auto d, auto x) HWY_ATTR {
    const auto rest = log1p(d, exponential(d, hn::Neg(hn::Abs(x))));
    return hn::Sub(hn::IfThenZeroElse(hn::Gt(x, hn::Zero(d)), x), rest);
  }));
}
FloatKernel log_sigmoid_buffer(const Numbers&) {
  return unary([](auto d, auto x) HWY_ATTR { return exp(d, hn::Neg(hn::Abs(x))); });
}
FloatKernel log_sigmoid_slope(const Numbers&) {
  return binary([](auto d, auto g, auto x) HWY_ATTR { return hn::Mul(g, sigmoid(d, hn::Neg(x))); });
}

// ---- Logit --------------------------------------------------------------------------------------

// Bounds of the dtype that is computed in, as in PyTorch: elements are compared with numbers of
// theirs. Below 0 there are none.
struct LogitBounds {
  explicit LogitBounds(const Numbers& numbers) : there(numbers[0] >= 0) {
    if (numbers.dtype == ACL_DOUBLE) {
      low = numbers[0];
      high = 1 - low;
    } else {
      const auto eps = static_cast<float>(numbers[0]);
      low = static_cast<double>(eps);
      high = static_cast<double>(1 - eps);
    }
  }

  bool there;
  double low, high;
};

// log(z / (1 - z)), which is log(1 + (2 z - 1) / (1 - z)) near 1/2.
FloatKernel logit_formula(const Numbers& numbers) {
  const LogitBounds bounds(numbers);
  return unary(in_doubles([bounds](auto d, auto x) HWY_ATTR {
    const auto z = bounds.there ? clamp(d, x, bounds.low, bounds.high) : x;
    const auto rest = hn::Sub(one(d), z);
    const auto beyond = hn::Sub(hn::Add(z, z), one(d));
    const auto near = hn::Lt(hn::Abs(beyond), hn::Set(d, 0.5));
    const auto of_near = log1p(d, hn::Div(beyond, rest));
    return hn::IfThenElse(near, of_near, log(d, hn::Div(z, rest)));
  }));
}

FloatKernel logit_slope(const Numbers& numbers) {
  const LogitBounds bounds(numbers);
  const double low = bounds.there ? bounds.low : 0, high = bounds.there ? bounds.high : 1;
  return binary(in_doubles([=](auto d, auto x, auto g) HWY_ATTR {
    const auto slope = hn::Div(g, hn::Mul(x, hn::Sub(one(d), x)));
    const auto is_out = hn::Or(hn::Lt(x, hn::Set(d, low)), hn::Gt(x, hn::Set(d, high)));
    return hn::IfThenElse(is_out, bounds.there ? hn::Zero(d) : hn::NaN(d), slope);
  }));
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

namespace aclgrad::ops {
namespace {

HWY_EXPORT(mish_formula);
HWY_EXPORT(mish_slope);
HWY_EXPORT(celu_formula);
HWY_EXPORT(fast_gelu_formula);
HWY_EXPORT(fast_gelu_slope);
HWY_EXPORT(log_sigmoid_formula);
HWY_EXPORT(log_sigmoid_buffer);
HWY_EXPORT(log_sigmoid_slope);
HWY_EXPORT(logit_formula);
HWY_EXPORT(logit_slope);

Rule not_zero(size_t scalar) {
  return require([scalar](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.scalar(scalar).to_double() != 0) return std::nullopt;
    return fmt::format("{} must not be 0.", arguments.name(scalar));
  });
}

// A double, not a scalar.
FormulaRow of_eps(std::vector<Parameter> parameters) {
  return {std::move(parameters), kRealFloats, Tensors::kAlike, {}, /*has_scalars=*/false};
}

// The gradient of LogSigmoid: gradOutput, self, the buffer, gradInput; the same without a buffer.
enum : size_t { kGradOutput, kSelf, kBuffer, kGradInput };
const OperatorSpec kLogSigmoidBackward{
    "aclnnLogSigmoidBackward",
    {input("gradOutput"), input("self"), input("buffer"), output("gradInput")},
    Rules{all_given(), dtype_in(kGradOutput, kRealFloats),
          same_dtype({kSelf, kBuffer, kGradInput}, kGradOutput), max_rank({kGradOutput, kBuffer}),
          same_shape({kSelf, kGradInput}, kGradOutput)}};

// self, out and the buffer, which is filled where it has room for every element.
enum : size_t { kX, kOut, kFilled };
const OperatorSpec kLogSigmoidForward{
    "aclnnLogSigmoidForward",
    {input("self"), output("out"), output("buffer")},
    Rules{all_given(), dtype_in(kX, kRealFloats), same_dtype({kOut, kFilled}, kX),
          max_rank({kX, kFilled}), same_shape(kOut, kX)}};

Plan plan_log_sigmoid_forward(const Arguments& arguments) {
  const Numbers none{arguments.dtype(kX)};
  const FloatKernel result = HWY_DYNAMIC_DISPATCH(log_sigmoid_formula)(none);
  if (!(arguments.shape(kFilled) == arguments.shape(kX))) {
    return elementwise(arguments, {kOut}, {kX}, result);
  }
  return elementwise(arguments, {kOut, kFilled}, {kX},
                     both(result, HWY_DYNAMIC_DISPATCH(log_sigmoid_buffer)(none)));
}

}  // namespace

ACLGRAD_FORMULA(aclnnMish, mish_formula, forward())
ACLGRAD_FORMULA(aclnnInplaceMish, mish_formula, in_place())
ACLGRAD_FORMULA(aclnnMishBackward, mish_slope, backward({}, Tensors::kBroadcast))
ACLGRAD_FORMULA(aclnnCelu, celu_formula, forward({"alpha"}, kRealFloats, {not_zero(1)}))
ACLGRAD_FORMULA(aclnnInplaceCelu, celu_formula, in_place({"alpha"}, kRealFloats, {not_zero(1)}))
ACLGRAD_FORMULA(aclnnFastGelu, fast_gelu_formula, forward())
ACLGRAD_FORMULA(aclnnFastGeluBackward, fast_gelu_slope, backward())
ACLGRAD_FORMULA(aclnnLogSigmoid, log_sigmoid_formula, forward())
ACLGRAD_OPERATOR(aclnnLogSigmoidForward, kLogSigmoidForward, plan_log_sigmoid_forward)
ACLGRAD_OPERATOR(aclnnLogSigmoidBackward, kLogSigmoidBackward, [](const Arguments& arguments) {
  const FloatKernel slope =
      HWY_DYNAMIC_DISPATCH(log_sigmoid_slope)(Numbers{arguments.dtype(kSelf)});
  return elementwise(arguments, {kGradInput}, {kGradOutput, kSelf}, slope);
})
ACLGRAD_FORMULA(aclnnLogit, logit_formula, of_eps({input("self"), attribute("eps"), output("out")}))
ACLGRAD_FORMULA(aclnnLogitGrad, logit_slope,
                of_eps({input("self"), input("gradOutput"), attribute("eps"), output("gradInput")}))

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
