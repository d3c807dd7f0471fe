// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/functions_kernel.h"

#include <cmath>
#include <stdexcept>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/arithmetic/functions_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/erf-inl.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/math/trig-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// x where it is chosen, otherwise y; a NaN in either.
template <class D, class M, class V>
HWY_INLINE V chosen_or_nan(D d, M chosen, V x, V y) {
  static_cast<void>(d);
  const V number = hn::IfThenElse(chosen, x, y);
  return hn::IfThenElse(hn::IsNaN(x), x, number);
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
    case Function::kErf:
      return unary([](auto d, auto x) HWY_ATTR { return erf(d, x); });
    case Function::kAbs:
      return unary([](auto, auto x) HWY_ATTR { return hn::Abs(x); });
    case Function::kSign:  // 1, -1, or x where it is 0 or NaN
      return unary([](auto d, auto x) HWY_ATTR {
        const auto differs = hn::Gt(hn::Abs(x), hn::Zero(d));  // from 0, and is no NaN
        return hn::IfThenElse(differs, hn::CopySign(one(d), x), x);
      });
    case Function::kPower:  // x, y: x^y, as C's pow
      return binary([](auto d, auto x, auto y) HWY_ATTR { return pow(d, x, y); });
    case Function::kDivide:  // x, y: x / y
      return binary([](auto, auto x, auto y) HWY_ATTR { return hn::Div(x, y); });
    case Function::kMaximum:  // x, y: the larger, or NaN
      return binary([](auto d, auto x, auto y)
                        HWY_ATTR { return chosen_or_nan(d, hn::Ge(x, y), x, y); });
    case Function::kMinimum:  // x, y: the smaller, or NaN
      return binary([](auto d, auto x, auto y)
                        HWY_ATTR { return chosen_or_nan(d, hn::Le(x, y), x, y); });
    case Function::kDivideBy:  // x / a
      return unary([a](auto d, auto x) HWY_ATTR { return hn::Div(x, set(d, a)); });
    case Function::kScale:  // a x
      return unary([a](auto d, auto x) HWY_ATTR { return hn::Mul(x, set(d, a)); });
    case Function::kPowerOf:  // x^a
      if (a == 2) return unary([](auto, auto x) HWY_ATTR { return hn::Mul(x, x); });
      return unary([a](auto d, auto x) HWY_ATTR { return pow(d, x, set(d, a)); });
    case Function::kClamp:  // min(max(x, a), b); a NaN in any gives NaN
      if (std::isnan(a) || std::isnan(b)) {
        return unary([nan = a + b](auto d, auto x) HWY_ATTR { return hn::Add(x, set(d, nan)); });
      }
      return unary([=](auto d, auto x) HWY_ATTR {
        const auto raised = hn::IfThenElse(hn::Lt(x, set(d, a)), set(d, a), x);
        return hn::IfThenElse(hn::Gt(raised, set(d, b)), set(d, b), raised);
      });
    case Function::kAddProduct:  // x, y, z: x + a y z
      return ternary([a](auto d, auto x, auto y, auto z)
                         HWY_ATTR { return add_product(d, x, y, z, a); });
    case Function::kAddQuotient:  // x, y, z: x + a y / z
      return ternary([a](auto d, auto x, auto y, auto z)
                         HWY_ATTR { return add_quotient(d, x, y, z, a); });
    default:
      return {};
  }
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(kernel);

FloatKernel function_kernel(Function function, double a, double b) {
  if (function >= Function::kAcos) return {function_in_double_kernel(function, a), nullptr};
  return HWY_DYNAMIC_DISPATCH(kernel)(function, a, b);
}

namespace {

using Complex = std::complex<double>;

template <class Formula>
ComplexKernel of_each(Formula formula) {
  return [formula](const Complex* const* in, Complex* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = formula(in[0][i]);
  };
}

}  // namespace

ComplexKernel complex_function_kernel(Function function) {
  switch (function) {
    case Function::kExp:
      return of_each([](const Complex& x) { return std::exp(x); });
    case Function::kLog:
      return of_each([](const Complex& x) { return std::log(x); });
    case Function::kSqrt:
      return of_each([](const Complex& x) { return std::sqrt(x); });
    case Function::kRsqrt:
      return of_each([](const Complex& x) { return 1.0 / std::sqrt(x); });
    case Function::kReciprocal:
      return of_each([](const Complex& x) { return 1.0 / x; });
    case Function::kSin:
      return of_each([](const Complex& x) { return std::sin(x); });
    case Function::kCos:
      return of_each([](const Complex& x) { return std::cos(x); });
    default:
      throw std::invalid_argument("not a function of complex numbers");
  }
}

ComplexKernel complex_quotient_kernel() {
  return [](const Complex* const* in, Complex* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = in[0][i] / in[1][i];
  };
}

ComplexKernel complex_quotient_kernel(Complex divisor) {
  return of_each([divisor](const Complex& x) { return x / divisor; });
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
