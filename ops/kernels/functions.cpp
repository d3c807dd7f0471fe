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

FloatKernel kernel(Function function) {
  switch (function) {
    case Function::kExp:
      return unary([](auto d, auto x) HWY_ATTR { return exp(d, x); });
    case Function::kLog:
      return unary([](auto d, auto x) HWY_ATTR { return log(d, x); });
    case Function::kSqrt:
      return unary([](auto, auto x) HWY_ATTR { return hn::Sqrt(x); });
    case Function::kRsqrt:
      return unary([](auto d, auto x) HWY_ATTR { return rsqrt(d, x); });
    case Function::kReciprocal:
      return unary([](auto d, auto x) HWY_ATTR { return hn::Div(one(d), x); });
    case Function::kSin:
      return unary([](auto d, auto x) HWY_ATTR { return sin(d, x); });
    case Function::kCos:
      return unary([](auto d, auto x) HWY_ATTR { return cos(d, x); });
    case Function::kTanh:
      return unary([](auto d, auto x) HWY_ATTR { return tanh(d, x); });
    case Function::kSigmoid:
      return unary([](auto d, auto x) HWY_ATTR { return sigmoid(d, x); });
    case Function::kErf:
      return unary([](auto d, auto x) HWY_ATTR { return erf(d, x); });
    case Function::kSilu:
      return unary([](auto d, auto x) HWY_ATTR { return silu(d, x); });
    case Function::kSiluBackward:
      return binary([](auto d, auto g, auto x) HWY_ATTR { return hn::Mul(g, silu_slope(d, x)); });
    case Function::kTanhBackward:
      return binary([](auto d, auto g, auto y)
                        HWY_ATTR { return hn::Mul(g, one_minus_square(d, y)); });
    case Function::kSigmoidBackward:
      return binary([](auto d, auto g, auto y)
                        HWY_ATTR { return hn::Mul(g, hn::Mul(y, hn::Sub(one(d), y))); });
  }
  return {};
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(kernel);

FloatKernel function_kernel(Function function) { return HWY_DYNAMIC_DISPATCH(kernel)(function); }

namespace {

using Complex = std::complex<double>;

Complex complex_value(Function function, const Complex& x) {
  switch (function) {
    case Function::kExp:
      return std::exp(x);
    case Function::kLog:
      return std::log(x);
    case Function::kSqrt:
      return std::sqrt(x);
    case Function::kRsqrt:
      return 1.0 / std::sqrt(x);
    case Function::kReciprocal:
      return 1.0 / x;
    case Function::kSin:
      return std::sin(x);
    case Function::kCos:
      return std::cos(x);
    case Function::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    default:
      throw std::invalid_argument("not a function of complex numbers");
  }
}

}  // namespace

ComplexKernel complex_function_kernel(Function function) {
  return [function](const Complex* const* in, Complex* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      out[0][i] = function == Function::kSigmoidBackward ? in[0][i] * in[1][i] * (1.0 - in[1][i])
                                                         : complex_value(function, in[0][i]);
    }
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
