// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/functions_kernel.h"
#include "ops/engine/math/gamma.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/arithmetic/functions_in_double_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/block-inl.h"
#include "ops/engine/math/atan-inl.h"
#include "ops/engine/math/erf-inl.h"
#include "ops/engine/math/hyperbolic-inl.h"
#include "ops/engine/math/trig-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// From x to y by the share w, so that 1 gives y exactly.
template <class D, class V>
HWY_INLINE V lerp(D d, V x, V y, V w) {
  const V way = hn::Sub(y, x);
  const V from_x = hn::Add(x, hn::Mul(w, way));
  const V from_y = hn::Sub(y, hn::Mul(way, hn::Sub(hn::Set(d, 1.0), w)));
  return hn::IfThenElse(hn::Lt(hn::Abs(w), hn::Set(d, 0.5)), from_x, from_y);
}

RealKernel kernel_in_double(Function function, double a) {
  switch (function) {
#define ACLGRAD_CASE(Name, formula) \
  case Function::k##Name:           \
    return blockwise<1>([](auto d, auto x) HWY_ATTR { return formula(d, x); });
    ACLGRAD_FUNCTIONS_IN_DOUBLE(ACLGRAD_CASE)
#undef ACLGRAD_CASE
    case Function::kAtan2:
      return blockwise<2>([](auto d, auto y, auto x) HWY_ATTR { return atan2(d, y, x); });
    case Function::kLogAddExp:
      return blockwise<2>([](auto d, auto x, auto y) HWY_ATTR { return log_add_exp(d, x, y); });
    case Function::kLogAddExp2:
      return blockwise<2>([](auto d, auto x, auto y) HWY_ATTR { return log_add_exp2(d, x, y); });
    case Function::kLerp:
      return blockwise<3>([](auto d, auto x, auto y, auto w) HWY_ATTR { return lerp(d, x, y, w); });
    case Function::kLerpBy:  // with the share a
      return blockwise<2>([a](auto d, auto x, auto y)
                              HWY_ATTR { return lerp(d, x, y, hn::Set(d, a)); });
    case Function::kPowerTo:  // a^x
      return blockwise<1>([a](auto d, auto x) HWY_ATTR { return pow(d, hn::Set(d, a), x); });
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(kernel_in_double);

RealKernel function_in_double_kernel(Function function, double a) {
  const auto of_each = [](double (*formula)(double)) -> RealKernel {
    return [formula](const double* const* in, double* const* out, size_t count) {
      for (size_t i = 0; i < count; ++i) out[0][i] = formula(in[0][i]);
    };
  };
  if (function == Function::kLgamma) return of_each(log_gamma);
  if (function == Function::kDigamma) return of_each(digamma);
  return HWY_DYNAMIC_DISPATCH(kernel_in_double)(function, a);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
