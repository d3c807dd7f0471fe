// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/hardswish_kernel.h"

#include <cmath>
#include <type_traits>

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

// Which of three counts for x: the middle one from -3 to 3, and for NaN.
template <class D, class V>
HWY_INLINE V select(D d, Interval interval, V x, V below, V middle, V above) {
  using T = hn::TFromD<D>;
  const V end = hn::Set(d, interval == Interval::kClosed ? std::nextafter(T{3}, T{4}) : T{3});
  const V upper_branch = hn::IfThenElse(hn::Ge(x, end), above, middle);
  return hn::IfThenElse(hn::Le(x, hn::Neg(end)), below, upper_branch);
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
    return select(d, interval, x, hn::Mul(g, hn::Zero(d)), round_to_odd(d, quotient, rest), g);
  });
  const auto in_float = [=](auto d, const auto& x, auto& y) HWY_ATTR {
    // For -3 <= x <= 3 the sum is exact. Subnormal numbers do not count beside it.
    const auto sum = sum_with_larger(d, without_tiny(d, x[1], 0x1.8p-60f), 1.5f);
    const auto slope = multiply_nonzero(d, sum, double_float(d, DoubleFloatConstant(1.0 / 3)));
    y[0] = hn::Mul(x[0], select(d, interval, x[1], hn::Zero(d), slope, set(d, 1)));
  };
  // g times 3/8 of the slope times 8/3, powers of two against overflow. The error of the sum is
  // ignored: it occurs for tiny x only, and the result, near half of g, is no tie then. In BF16 all
  // results of that are the nearest, unless they are tiny, as a test finds; FLOAT16 needs to know
  // which are exact.
  const auto in_16_bits = [=](auto is_float16) HWY_ATTR {
    return [=](auto d, const auto& x, auto& y) HWY_ATTR {
      const auto sum = hn::Mul(hn::Add(x[1], set(d, 1.5)), set(d, 0.125));
      const auto slope = select(d, interval, x[1], hn::Zero(d), sum, set(d, 0.375));
      const auto product = hn::Mul(x[0], slope);
      y[0] = hn::Mul(product, set(d, 8.0 / 3));
      if constexpr (is_float16) {
        const auto of_product = mul_sub(d, x[0], slope, product);
        const auto of_result = mul_sub(d, y[0], set(d, 0.375), product);
        y[0] = inexact_if(d, any_rest(d, of_product, of_result), y[0]);
      }
    };
  };
  return {exact, [=](const NativeBlock& block) HWY_ATTR {
            if (block.dtype == ACL_FLOAT) return map_floats<2, 1>(block, in_float, exact);
            if (block.dtype == ACL_FLOAT16) {
              const auto formula = in_16_bits(std::true_type());
              return map_float16<2, 1, Outputs::kWithin5UlpOrExact>(block, formula, exact);
            }
            const auto formula = in_16_bits(std::false_type());
            map_bfloat16<2, 1, Outputs::kRoundedUnlessTiny>(block, formula, exact);
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
