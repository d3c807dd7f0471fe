// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/functions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/functions.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

FloatKernel kernel(Function function) {
  switch (function) {
    case Function::kSilu:
      return unary([](auto d, auto x) HWY_ATTR { return silu(d, x); });
    case Function::kSiluBackward:
      return binary([](auto d, auto g, auto x) HWY_ATTR { return hn::Mul(g, silu_slope(d, x)); });
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

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
