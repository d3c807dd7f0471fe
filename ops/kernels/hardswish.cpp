// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/hardswish.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/hardswish.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/block-inl.h"
#include "ops/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// In all three, NaN fails every comparison and so passes through the middle branch.

void hardswish_block(const double* const* in, double* const* out, size_t count) {
  map_block<1>(in, out, count, [](auto d, auto x) HWY_ATTR {
    const auto three = hn::Set(d, 3.0);
    const auto sum = two_sum(x, three);
    const auto middle = hn::Div(hn::Mul(x, round_to_odd(d, sum.high, sum.low)), hn::Set(d, 6.0));
    const auto above = hn::IfThenElse(hn::Ge(x, three), x, middle);
    return hn::IfThenElse(hn::Le(x, hn::Neg(three)), hn::Zero(d), above);
  });
}

// g (x/3 + 1/2) as g (x + 3/2) / 3, rounded to odd: with short inputs the quotient can be a tie.
template <class D, class V>
HWY_INLINE V middle(D d, V g, V x) {
  const V three = hn::Set(d, 3.0);
  const Twofold<V> sum = two_sum(x, hn::Set(d, 1.5));
  const Twofold<V> product = two_product(d, g, sum.high);
  const V quotient = hn::Div(product.high, three);
  const Twofold<V> back = two_product(d, quotient, three);
  const V left_over = hn::Sub(hn::Sub(product.high, back.high), back.low);
  const V beyond = hn::Add(product.low, hn::Mul(g, sum.low));
  return round_to_odd(d, quotient, hn::Add(left_over, beyond));
}

void hardswish_backward_closed_block(const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count, [](auto d, auto g, auto x) HWY_ATTR {
    const auto three = hn::Set(d, 3.0);
    const auto above = hn::IfThenElse(hn::Gt(x, three), g, middle(d, g, x));
    const auto nothing = hn::Mul(g, hn::Zero(d));
    return hn::IfThenElse(hn::Lt(x, hn::Neg(three)), nothing, above);
  });
}

void hardswish_backward_open_block(const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count, [](auto d, auto g, auto x) HWY_ATTR {
    const auto three = hn::Set(d, 3.0);
    const auto above = hn::IfThenElse(hn::Ge(x, three), g, middle(d, g, x));
    const auto nothing = hn::Mul(g, hn::Zero(d));
    return hn::IfThenElse(hn::Le(x, hn::Neg(three)), nothing, above);
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(hardswish_block);
HWY_EXPORT(hardswish_backward_closed_block);
HWY_EXPORT(hardswish_backward_open_block);

RealKernel hardswish_kernel() {
  return [](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(hardswish_block)(in, out, count);
  };
}

RealKernel hardswish_backward_kernel(Interval middle) {
  if (middle == Interval::kClosed) {
    return [](const double* const* in, double* const* out, size_t count) {
      HWY_DYNAMIC_DISPATCH(hardswish_backward_closed_block)(in, out, count);
    };
  }
  return [](const double* const* in, double* const* out, size_t count) {
    HWY_DYNAMIC_DISPATCH(hardswish_backward_open_block)(in, out, count);
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
