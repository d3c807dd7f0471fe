// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/functions.h"

#include <cmath>
#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/functions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/formula-inl.h"
#include "ops/kernels/math/erf-inl.h"
#include "ops/kernels/math/log-inl.h"
#include "ops/kernels/math/sigmoid-inl.h"
#include "ops/kernels/math/trig-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

template <class D>
HWY_INLINE hn::Vec<D> one(D d) {
  return hn::Set(d, hn::TFromD<D>{1});
}

// 1 - y^2
template <class D, class V>
HWY_INLINE V one_minus_square(D d, V y) {
  if constexpr (kIsFloat<D>) {
    return fused(d, hn::Neg(y), y, one(d));
  } else {
    return hn::Mul(hn::Sub(one(d), y), hn::Add(one(d), y));
  }
}

// value as a vector of either type
template <class D>
HWY_INLINE hn::Vec<D> set(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// x where it is chosen, otherwise y; a NaN in either.
template <class D, class M, class V>
HWY_INLINE V chosen_or_nan(D d, M chosen, V x, V y) {
  static_cast<void>(d);
  const V number = hn::IfThenElse(chosen, x, y);
  return hn::IfThenElse(hn::IsNaN(x), x, number);
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

// x + a y z and x + a y / z, rounded in double and once more.
template <class D, class V>
HWY_INLINE V add_product(D d, V x, V y, V z, double a) {
  if constexpr (kIsFloat<D>) {
    const auto formula = [a](auto wide, auto u, auto v, auto w)
                             HWY_ATTR { return add_product(wide, u, v, w, a); };
    return in_double(d, formula, x, y, z);
  } else {
    return hn::Add(x, hn::Mul(hn::Mul(y, set(d, a)), z));
  }
}
template <class D, class V>
HWY_INLINE V add_quotient(D d, V x, V y, V z, double a) {
  if constexpr (kIsFloat<D>) {
    const auto formula = [a](auto wide, auto u, auto v, auto w)
                             HWY_ATTR { return add_quotient(wide, u, v, w, a); };
    return in_double(d, formula, x, y, z);
  } else {
    return hn::Add(x, hn::Div(hn::Mul(y, set(d, a)), z));
  }
}

FloatKernel kernel(Function function, double a, double b) {
  switch (function) {
    case Function("exp"):
      return unary([](auto d, auto x) HWY_ATTR { return exp(d, x); });
    case Function("log"):
      return unary([](auto d, auto x) HWY_ATTR { return log(d, x); });
    case Function("sqrt"):
      return unary([](auto, auto x) HWY_ATTR { return hn::Sqrt(x); });
    case Function("rsqrt"):
      return unary([](auto d, auto x) HWY_ATTR { return rsqrt(d, x); });
    case Function("reciprocal"):
      return unary([](auto d, auto x) HWY_ATTR { return hn::Div(one(d), x); });
    case Function("sin"):
      return unary([](auto d, auto x) HWY_ATTR { return sin(d, x); });
    case Function("cos"):
      return unary([](auto d, auto x) HWY_ATTR { return cos(d, x); });
    case Function("tanh"):
      return unary([](auto d, auto x) HWY_ATTR { return tanh(d, x); });
    case Function("sigmoid"):
      return unary([](auto d, auto x) HWY_ATTR { return sigmoid(d, x); });
    case Function("erf"):
      return unary([](auto d, auto x) HWY_ATTR { return erf(d, x); });
    case Function("silu"):  // x / (1 + e^-x)
      return unary([](auto d, auto x) HWY_ATTR { return silu(d, x); });
    case Function("silu_backward"):  // g, x: g times the derivative at x
      return binary([](auto d, auto g, auto x) HWY_ATTR { return silu_backward(d, g, x); });
    case Function("tanh_backward"):  // g, y: g (1 - y^2)
      return binary([](auto d, auto g, auto y)
                        HWY_ATTR { return hn::Mul(g, one_minus_square(d, y)); });
    case Function("sigmoid_backward"):  // g, y: g y (1 - y)
      return binary([](auto d, auto g, auto y)
                        HWY_ATTR { return hn::Mul(g, hn::Mul(y, hn::Sub(one(d), y))); });
    case Function("abs"):
      return unary([](auto, auto x) HWY_ATTR { return hn::Abs(x); });
    case Function("sign"):  // 1, -1, or x where it is 0 or NaN
      return unary([](auto d, auto x) HWY_ATTR {
        const auto differs = hn::Gt(hn::Abs(x), hn::Zero(d));  // from 0, and is no NaN
        return hn::IfThenElse(differs, hn::CopySign(one(d), x), x);
      });
    case Function("power"):  // x, y: x^y, as C's pow
      return binary([](auto d, auto x, auto y) HWY_ATTR { return pow(d, x, y); });
    case Function("divide"):  // x, y: x / y
      return binary([](auto, auto x, auto y) HWY_ATTR { return hn::Div(x, y); });
    case Function("maximum"):  // x, y: the larger, or NaN
      return binary([](auto d, auto x, auto y)
                        HWY_ATTR { return chosen_or_nan(d, hn::Ge(x, y), x, y); });
    case Function("minimum"):  // x, y: the smaller, or NaN
      return binary([](auto d, auto x, auto y)
                        HWY_ATTR { return chosen_or_nan(d, hn::Le(x, y), x, y); });
    case Function("divide_by"):  // x / a
      return unary([a](auto d, auto x) HWY_ATTR { return hn::Div(x, set(d, a)); });
    case Function("scale"):  // a x
      return unary([a](auto d, auto x) HWY_ATTR { return hn::Mul(x, set(d, a)); });
    case Function("power_of"):  // x^a
      if (a == 2) return unary([](auto, auto x) HWY_ATTR { return hn::Mul(x, x); });
      return unary([a](auto d, auto x) HWY_ATTR { return pow(d, x, set(d, a)); });
    case Function("clamp"):  // max(min(x, b), a); a NaN in any gives NaN
      if (std::isnan(a) || std::isnan(b)) {
        return unary([nan = a + b](auto d, auto x) HWY_ATTR { return hn::Add(x, set(d, nan)); });
      }
      return unary([=](auto d, auto x) HWY_ATTR {
        const auto below = hn::IfThenElse(hn::Gt(x, set(d, b)), set(d, b), x);
        return hn::IfThenElse(hn::Lt(below, set(d, a)), set(d, a), below);
      });
    case Function("add_product"):  // x, y, z: x + a y z
      return ternary([a](auto d, auto x, auto y, auto z)
                         HWY_ATTR { return add_product(d, x, y, z, a); });
    case Function("add_quotient"):  // x, y, z: x + a y / z
      return ternary([a](auto d, auto x, auto y, auto z)
                         HWY_ATTR { return add_quotient(d, x, y, z, a); });
    case Function("relu"):
      return unary([](auto d, auto x)
                       HWY_ATTR { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x); });
    case Function("threshold_backward"):  // g, x: g for x > a, otherwise 0; a NaN in x stays
      return binary([a](auto d, auto g, auto x) HWY_ATTR {
        const auto taken = hn::IfThenElse(hn::Gt(x, set(d, a)), g, x);
        return hn::IfThenZeroElse(hn::Le(x, set(d, a)), taken);
      });
    case Function("leaky_relu"):  // x for x > 0, otherwise a x
      return unary([a](auto d, auto x) HWY_ATTR {
        return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, set(d, a)));
      });
    case Function("leaky_relu_backward"):  // g, x: g for x > 0, otherwise a g; a NaN in x stays
      return binary([a](auto d, auto g, auto x) HWY_ATTR {
        const auto slope = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, set(d, a)));
        return hn::IfThenElse(hn::IsNaN(x), x, slope);
      });
    case Function("softplus"):  // x for a x > b, otherwise log(1 + e^(a x)) / a
      return unary([=](auto d, auto x) HWY_ATTR { return softplus(d, x, a, b); });
    case Function("softplus_backward"):  // g, x: g times the derivative at x
      return binary([=](auto d, auto g, auto x)
                        HWY_ATTR { return hn::Mul(g, softplus_slope(d, x, a, b)); });
  }
  throw std::logic_error("a function that functions.cpp does not list");
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(kernel);

FloatKernel function_kernel(Function function, double a, double b) {
  return HWY_DYNAMIC_DISPATCH(kernel)(function, a, b);
}

using Complex = std::complex<double>;

namespace {

Complex complex_value(Function function, const Complex& x) {
  switch (function) {
    case Function("exp"):
      return std::exp(x);
    case Function("log"):
      return std::log(x);
    case Function("sqrt"):
      return std::sqrt(x);
    case Function("rsqrt"):
      return 1.0 / std::sqrt(x);
    case Function("reciprocal"):
      return 1.0 / x;
    case Function("sin"):
      return std::sin(x);
    case Function("cos"):
      return std::cos(x);
    case Function("sigmoid"):
      return 1.0 / (1.0 + std::exp(-x));
    default:
      throw std::invalid_argument("not a function of complex numbers");
  }
}

}  // namespace

ComplexKernel complex_function_kernel(Function function) {
  return [function](const Complex* const* in, Complex* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (function == Function("sigmoid_backward")) {
        out[0][i] = in[0][i] * in[1][i] * (1.0 - in[1][i]);
      } else if (function == Function("divide")) {
        out[0][i] = in[0][i] / in[1][i];
      } else {
        out[0][i] = complex_value(function, in[0][i]);
      }
    }
  };
}

ComplexKernel complex_quotient_kernel(Complex divisor) {
  return [divisor](const Complex* const* in, Complex* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = in[0][i] / divisor;
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
