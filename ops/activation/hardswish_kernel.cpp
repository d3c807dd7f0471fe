// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/hardswish_kernel.h"

#include <cmath>
#include <functional>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/hardswish_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/block-inl.h"
#include "ops/engine/math/math-inl.h"
#include "ops/engine/native-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// In all three, NaN fails every comparison and so passes through the middle branch.

void hardswish(const double* const* in, double* const* out, size_t count) {
  map_block<1>(in, out, count, [](auto d, auto x) HWY_ATTR {
    const auto three = hn::Set(d, 3.0);
    const auto sum = two_sum(x, three);
    const auto middle = hn::Div(hn::Mul(x, round_to_odd(d, sum.high, sum.low)), hn::Set(d, 6.0));
    const auto above = hn::IfThenElse(hn::Ge(x, three), x, middle);
    return hn::IfThenElse(hn::Le(x, hn::Neg(three)), hn::Zero(d), above);
  });
}

// From here on the derivative is 1, and from its negative on 0.
template <class T>
T end_of(Interval middle) {
  return middle == Interval::kClosed ? std::nextafter(T{3}, T{4}) : T{3};
}

// g times the derivative, where the middle one is known.
template <class D, class V>
HWY_INLINE V select(D d, hn::TFromD<D> end, V g, V x, V middle) {
  const V upper_branch = hn::IfThenElse(hn::Ge(x, hn::Set(d, end)), g, middle);
  return hn::IfThenElse(hn::Le(x, hn::Set(d, -end)), hn::Mul(g, hn::Zero(d)), upper_branch);
}

// g (x/3 + 1/2) as g (x + 3/2) / 3, rounded to odd: with 16-bit inputs the quotient can be a tie.
template <class D, class V>
HWY_INLINE V middle(D d, V g, V x) {
  const V three = hn::Set(d, 3.0);
  const Expansion<V> sum = two_sum(x, hn::Set(d, 1.5));
  const Expansion<V> product = two_product(d, g, sum.high);
  const V quotient = hn::Div(product.high, three);
  const Expansion<V> back = two_product(d, quotient, three);
  const V left_over = hn::Sub(hn::Sub(product.high, back.high), back.low);
  const V beyond = hn::Add(product.low, hn::Mul(g, sum.low));
  return round_to_odd(d, quotient, hn::Add(left_over, beyond));
}

void hardswish_backward(Interval interval, const double* const* in, double* const* out,
                        size_t count) {
  const auto end = end_of<double>(interval);
  map_block<2>(in, out, count, [end](auto d, auto g, auto x) HWY_ATTR {
    return select(d, end, g, x, middle(d, g, x));
  });
}

// ---- In float -----------------------------------------------------------------------------------

// x on one side of the middle, 0 on the other.
template <class D, class V>
HWY_INLINE V with_ends(D d, V x, V middle) {
  const V three = hn::Set(d, 3.0f);
  const V above = hn::IfThenElse(hn::Ge(x, three), x, middle);
  return hn::IfThenZeroElse(hn::Le(x, hn::Neg(three)), above);
}

void hardswish_native(const NativeBlock& block) {
  if (block.dtype != ACL_FLOAT) {
    // x (x + 3) / 6, rounded three times, and then to the nearest element. Near 0 that is x / 2,
    // which may lie between two subnormal elements: a tiny lift gives it the side of the exact
    // value, which is larger. All 65,536 results of either format are the nearest, as a test finds.
    const float lift = block.dtype == ACL_FLOAT16 ? 0x1p-47f : 0x1p-140f;
    return map_16bit<1, 1, Outputs::kOdd>(
        block,
        [lift](auto d, const auto& x, auto& y) HWY_ATTR {
          const auto product = hn::Mul(x[0], hn::Add(x[0], hn::Set(d, 3.0f)));
          const auto sixth = hn::Mul(product, hn::Set(d, 1.0f / 6));
          y[0] = with_ends(d, x[0], hn::CopySign(hn::Add(sixth, hn::Set(d, lift)), x[0]));
        },
        hardswish);
  }
  map_floats<1, 1>(
      block,
      [](auto d, const auto& x, auto& y) HWY_ATTR {
        const auto three = hn::Set(d, 3.0f);
        // x / 2 is near enough here, and the products below lose bits among the subnormals.
        const auto tiny = hn::Lt(hn::Abs(x[0]), hn::Set(d, 0x1p-26f));
        const auto clamped = hn::IfThenElse(tiny, three, x[0]);
        const auto sum = sum_with_larger(d, clamped, 3);
        constexpr DoubleFloatConstant kSixth(1.0 / 6);
        const auto sixth = double_float_product(d, clamped, hn::Set(d, kSixth.high));
        const auto sixth_low = mul_add(d, clamped, hn::Set(d, kSixth.low), sixth.low);
        const auto low = mul_add(d, sixth.high, sum.low, hn::Mul(sixth_low, sum.high));
        const auto middle = mul_add(d, sixth.high, sum.high, low);
        const auto half = hn::Mul(x[0], hn::Set(d, 0.5f));
        y[0] = with_ends(d, x[0], hn::IfThenElse(tiny, half, middle));
      },
      hardswish);
}

void hardswish_backward_native(Interval interval, const NativeBlock& block) {
  const auto end = end_of<float>(interval);
  const auto exact = [=](const double* const* in, double* const* out, size_t count) {
    hardswish_backward(interval, in, out, count);
  };
  if (block.dtype == ACL_FLOAT) {
    return map_floats<2, 1>(
        block,
        [end](auto d, const auto& x, auto& y) HWY_ATTR {
          const auto sum = two_sum(without_tiny(d, x[1], 0x1.8p-60f), hn::Set(d, 1.5f));
          const auto slope =
              unsigned_product(d, sum, double_float(d, DoubleFloatConstant(1.0 / 3)));
          y[0] = select(d, end, x[0], x[1], hn::Mul(x[0], slope));
        },
        exact);
  }
  map_16bit<2, 1, Outputs::kNearOrExact>(
      block,
      [end](auto d, const auto& x, auto& y) HWY_ATTR {
        // g (x + 3/2) / 3, with powers of two against overflow. The error of the sum is ignored: it
        // occurs for tiny x only, and the result, near half of g, is no tie then.
        const auto g = hn::Mul(x[0], hn::Set(d, 0.125f));
        const auto sum = hn::Add(x[1], hn::Set(d, 1.5f));
        const auto product = hn::Mul(g, sum);
        const auto result = hn::Mul(product, hn::Set(d, 8.0f / 3));
        const auto of_product = mul_sub(d, g, sum, product);
        const auto of_result = mul_sub(d, result, hn::Set(d, 3.0f / 8), product);
        const auto marked = inexact_if(d, hn::Or(of_product, of_result), result);
        y[0] = select(d, end, x[0], x[1], marked);
      },
      exact);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "ops/engine/dispatch.h"

namespace aclgrad::ops {

HWY_EXPORT(hardswish);
HWY_EXPORT(hardswish_native);
HWY_EXPORT(hardswish_backward);
HWY_EXPORT(hardswish_backward_native);

FloatKernel hardswish_kernel() {
  return {ACLGRAD_DISPATCHED(hardswish), ACLGRAD_DISPATCHED(hardswish_native)};
}

FloatKernel hardswish_backward_kernel(Interval middle) {
  return {std::bind_front(ACLGRAD_DISPATCHED(hardswish_backward), middle),
          std::bind_front(ACLGRAD_DISPATCHED(hardswish_backward_native), middle)};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
