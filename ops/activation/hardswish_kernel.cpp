// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/hardswish_kernel.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/hardswish_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/native-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// NaN fails every comparison and so passes through the middle branch.

// x on one side of the middle, 0 on the other.
template <class D, class V>
HWY_INLINE V with_ends(D d, V x, V middle) {
  const V above = hn::IfThenElse(hn::Ge(x, set(d, 3)), x, middle);
  return hn::IfThenZeroElse(hn::Le(x, set(d, -3)), above);
}

FloatKernel hardswish() {
  const auto exact = blockwise<1>([](auto d, auto x) HWY_ATTR {
    const auto sum = two_sum(x, set(d, 3));
    const auto product = hn::Mul(x, round_to_odd(d, sum.high, sum.low));
    return with_ends(d, x, hn::Div(product, set(d, 6)));
  });
  const auto in_float = [](auto d, const auto& x, auto& y) HWY_ATTR {
    // x / 2 is near enough where x is tiny, and the products below lose bits among the subnormals.
    const auto tiny = hn::Lt(hn::Abs(x[0]), set(d, 0x1p-26));
    const auto other = hn::IfThenElse(tiny, set(d, 3), x[0]);
    constexpr DoubleFloatConstant kSixth(1.0 / 6);
    auto sixth = two_product(d, other, hn::Set(d, kSixth.high));
    sixth.low = mul_add(d, other, hn::Set(d, kSixth.low), sixth.low);
    const auto middle = multiply_nonzero(d, sixth, sum_with_larger(d, other, 3));
    y[0] = with_ends(d, x[0], hn::IfThenElse(tiny, hn::Mul(x[0], set(d, 0.5)), middle));
  };
  return {exact, [=](const NativeBlock& block) HWY_ATTR {
            if (block.dtype == ACL_FLOAT) return map_floats<1, 1>(block, in_float, exact);
            // Rounded three times, and then to the nearest element. Near 0 that is x / 2, which may
            // lie between two subnormal elements: a tiny lift gives it the side of the exact value,
            // which is larger. All 65,536 results of either format are nearest, as a test finds.
            const float lift = block.dtype == ACL_FLOAT16 ? 0x1p-47f : 0x1p-140f;
            const auto in_16_bits = [lift](auto d, const auto& x, auto& y) HWY_ATTR {
              const auto product = hn::Mul(x[0], hn::Add(x[0], set(d, 3)));
              const auto size = hn::Add(hn::Mul(product, set(d, 1.0 / 6)), hn::Set(d, lift));
              y[0] = with_ends(d, x[0], hn::CopySign(size, x[0]));
            };
            map_16bit<1, 1, Outputs::kRoundedToOdd>(block, in_16_bits, exact);
          }};
}

// g times the derivative, where g times the middle one is known.
template <class D, class V>
HWY_INLINE V select(D d, Interval interval, V g, V x, V middle) {
  using T = hn::TFromD<D>;
  const V end = hn::Set(d, interval == Interval::kClosed ? std::nextafter(T{3}, T{4}) : T{3});
  const V upper_branch = hn::IfThenElse(hn::Ge(x, end), g, middle);
  return hn::IfThenElse(hn::Le(x, hn::Neg(end)), hn::Mul(g, hn::Zero(d)), upper_branch);
}

FloatKernel hardswish_backward(Interval interval) {
  const auto exact = blockwise<2>([=](auto d, auto g, auto x) HWY_ATTR {
    // g (x + 3/2) / 3, rounded to odd: of 16-bit inputs the quotient can be a tie.
    const auto three = set(d, 3);
    const auto sum = two_sum(x, set(d, 1.5));
    const auto product = two_product(d, g, sum.high);
    const auto quotient = hn::Div(product.high, three);
    const auto back = two_product(d, quotient, three);
    const auto left_over = hn::Sub(hn::Sub(product.high, back.high), back.low);
    const auto rest = hn::Add(left_over, hn::Add(product.low, hn::Mul(g, sum.low)));
    return select(d, interval, g, x, round_to_odd(d, quotient, rest));
  });
  const auto in_float = [=](auto d, const auto& x, auto& y) HWY_ATTR {
    const auto sum = two_sum(without_tiny(d, x[1], 0x1.8p-60f), set(d, 1.5));
    const auto slope = multiply_nonzero(d, sum, double_float(d, DoubleFloatConstant(1.0 / 3)));
    y[0] = select(d, interval, x[0], x[1], hn::Mul(x[0], slope));
  };
  // With powers of two against overflow. The error of the sum is ignored: it occurs for tiny x
  // only, and the result, near half of g, is no tie then.
  const auto in_16_bits = [=](auto d, const auto& x, auto& y) HWY_ATTR {
    const auto g = hn::Mul(x[0], set(d, 0.125));
    const auto sum = hn::Add(x[1], set(d, 1.5));
    const auto product = hn::Mul(g, sum);
    const auto result = hn::Mul(product, set(d, 8.0 / 3));
    const auto of_product = mul_sub(d, g, sum, product);
    const auto of_result = mul_sub(d, result, set(d, 0.375), product);
    const auto lost = hn::IfThenElse(hn::Eq(of_product, hn::Zero(d)), of_result, of_product);
    y[0] = select(d, interval, x[0], x[1], inexact_if(d, lost, result));
  };
  return {exact, [=](const NativeBlock& block) HWY_ATTR {
            if (block.dtype == ACL_FLOAT) return map_floats<2, 1>(block, in_float, exact);
            map_16bit<2, 1, Outputs::kWithin5UlpOrExact>(block, in_16_bits, exact);
          }};
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(hardswish);
HWY_EXPORT(hardswish_backward);

}  // namespace

FloatKernel hardswish_kernel() { return HWY_DYNAMIC_DISPATCH(hardswish)(); }

FloatKernel hardswish_backward_kernel(Interval middle) {
  return HWY_DYNAMIC_DISPATCH(hardswish_backward)(middle);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
