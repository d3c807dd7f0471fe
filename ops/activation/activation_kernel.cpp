// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/activation_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/activation_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// 1 - y^2
template <class D, class V>
HWY_INLINE V one_minus_square(D d, V y) {
  if constexpr (kIsFloat<D>) {
    return fused(d, hn::Neg(y), y, one(d));
  } else {
    return hn::Mul(hn::Sub(one(d), y), hn::Add(one(d), y));
  }
}

// a x, without the rounding that would count in its exponential. In double.
template <class D, class V>
HWY_INLINE DoubleFloat<V> exact_product(D d, V x, double a) {
  const auto product = two_product(d, x, set(d, a));
  const auto moderate = hn::Lt(hn::Abs(product.high), hn::Set(d, 1024.0));
  return {product.high, hn::IfThenElseZero(moderate, product.low)};
}
template <class D, class V>
HWY_INLINE V softplus(D d, V x, double a, double b) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [=](auto wide, auto each) HWY_ATTR { return softplus(wide, each, a, b); }, x);
  } else {
    const auto z = exact_product(d, x, a);
    const auto negative = hn::Lt(z.high, hn::Zero(d));
    const V low = hn::IfThenElse(negative, z.low, hn::Neg(z.low));
    const V decay = log1p(d, exponential(d, hn::Neg(hn::Abs(z.high)), low));
    const V sum = hn::Add(hn::IfThenZeroElse(negative, z.high), decay);
    return hn::IfThenElse(hn::Gt(z.high, set(d, b)), x, hn::Div(sum, set(d, a)));
  }
}
template <class D, class V>
HWY_INLINE V softplus_slope(D d, V x, double a, double b) {
  if constexpr (kIsFloat<D>) {
    return in_double(
        d, [=](auto wide, auto each) HWY_ATTR { return softplus_slope(wide, each, a, b); }, x);
  } else {
    const auto z = exact_product(d, x, a);
    const V slope = logistic_pair(d, z.high, z.low).of_plus;
    return hn::IfThenElse(hn::Gt(z.high, set(d, b)), one(d), slope);
  }
}

FloatKernel kernel(Activation activation, double a, double b) {
  switch (activation) {
    case Activation::kTanh:
      return unary([](auto d, auto x) HWY_ATTR { return tanh(d, x); });
    case Activation::kSigmoid:
      return unary([](auto d, auto x) HWY_ATTR { return sigmoid(d, x); });
    case Activation::kSilu:  // x / (1 + e^-x)
      return unary([](auto d, auto x) HWY_ATTR { return silu(d, x); });
    case Activation::kSiluBackward:  // g, x: g times the derivative at x
      return binary([](auto d, auto g, auto x) HWY_ATTR { return silu_backward(d, g, x); });
    case Activation::kTanhBackward:  // g, y: g (1 - y^2)
      return binary([](auto d, auto g, auto y)
                        HWY_ATTR { return hn::Mul(g, one_minus_square(d, y)); });
    case Activation::kSigmoidBackward:  // g, y: g y (1 - y)
      return binary([](auto d, auto g, auto y)
                        HWY_ATTR { return hn::Mul(g, hn::Mul(y, hn::Sub(one(d), y))); });
    case Activation::kRelu:
      return unary([](auto d, auto x)
                       HWY_ATTR { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x); });
    case Activation::kThresholdBackward:  // g, x: g for x > a, otherwise 0; a NaN in x stays
      return binary([a](auto d, auto g, auto x) HWY_ATTR {
        const auto taken = hn::IfThenElse(hn::Gt(x, set(d, a)), g, x);
        return hn::IfThenZeroElse(hn::Le(x, set(d, a)), taken);
      });
    case Activation::kLeakyRelu:  // x for x > 0, otherwise a x
      return unary([a](auto d, auto x) HWY_ATTR {
        return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, set(d, a)));
      });
    case Activation::kLeakyReluBackward:  // g, x: g for x > 0, otherwise a g; a NaN in x stays
      return binary([a](auto d, auto g, auto x) HWY_ATTR {
        const auto slope = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, set(d, a)));
        return hn::IfThenElse(hn::IsNaN(x), x, slope);
      });
    case Activation::kSoftplus:  // x for a x > b, otherwise log(1 + e^(a x)) / a
      return unary([=](auto d, auto x) HWY_ATTR { return softplus(d, x, a, b); });
    case Activation::kSoftplusBackward:  // g, x: g times the derivative at x
      return binary([=](auto d, auto g, auto x)
                        HWY_ATTR { return hn::Mul(g, softplus_slope(d, x, a, b)); });
  }
  return {};
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(kernel);

FloatKernel activation_kernel(Activation activation, double a, double b) {
  return HWY_DYNAMIC_DISPATCH(kernel)(activation, a, b);
}

using Complex = std::complex<double>;

ComplexKernel complex_sigmoid_kernel() {
  return [](const Complex* const* in, Complex* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = 1.0 / (1.0 + std::exp(-in[0][i]));
  };
}

ComplexKernel complex_sigmoid_backward_kernel() {
  return [](const Complex* const* in, Complex* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = in[0][i] * in[1][i] * (1.0 - in[1][i]);
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
