// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/hardswish_kernel.h"

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

void hardswish_backward_closed(const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count, [](auto d, auto g, auto x) HWY_ATTR {
    const auto three = hn::Set(d, 3.0);
    const auto above = hn::IfThenElse(hn::Gt(x, three), g, middle(d, g, x));
    const auto nothing = hn::Mul(g, hn::Zero(d));
    return hn::IfThenElse(hn::Lt(x, hn::Neg(three)), nothing, above);
  });
}

void hardswish_backward_open(const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count, [](auto d, auto g, auto x) HWY_ATTR {
    const auto three = hn::Set(d, 3.0);
    const auto above = hn::IfThenElse(hn::Ge(x, three), g, middle(d, g, x));
    const auto nothing = hn::Mul(g, hn::Zero(d));
    return hn::IfThenElse(hn::Le(x, hn::Neg(three)), nothing, above);
  });
}

// ---- In float -----------------------------------------------------------------------------------

// a b / divisor for Outputs::kNearOrExact. The rounding error of the sum b is ignored: it occurs
// for tiny x only, and the result, near half of a, is no tie of normal elements then.
template <class D, class V>
HWY_INLINE V of_product16(D d, V a, V b, float divisor) {
  const V product = hn::Mul(a, b);
  const V result = hn::Mul(product, hn::Set(d, 1 / divisor));
  const V of_product = mul_sub(d, a, b, product);
  const V of_result = mul_sub(d, result, hn::Set(d, divisor), product);
  return inexact_if(d, hn::Or(of_product, of_result), result);
}

// x on one side of the middle, 0 on the other.
template <class D, class V>
HWY_INLINE V with_ends(D d, V x, V middle) {
  const V three = hn::Set(d, 3.0f);
  const V above = hn::IfThenElse(hn::Ge(x, three), x, middle);
  return hn::IfThenZeroElse(hn::Le(x, hn::Neg(three)), above);
}

// x (x + 3) / 6, rounded three times, and then to the nearest element. Near 0 that is x / 2, which
// may lie between two subnormal elements: a tiny lift gives it the side of the exact value, which
// is larger. All 65,536 results of either format are the nearest ones, as a test finds.
struct Hardswish16 {
  float lift;

  template <class D, class X, class Y>
  HWY_INLINE void operator()(D d, const X& x, Y& y) const {
    const auto product = hn::Mul(x[0], hn::Add(x[0], hn::Set(d, 3.0f)));
    const auto sixth = hn::Mul(product, hn::Set(d, 1.0f / 6));
    y[0] = with_ends(d, x[0], hn::CopySign(hn::Add(sixth, hn::Set(d, lift)), x[0]));
  }
};

void hardswish_native(const NativeBlock& block) {
  if (block.dtype != ACL_FLOAT) {
    const Hardswish16 formula{block.dtype == ACL_FLOAT16 ? 0x1p-47f : 0x1p-140f};
    return map_16bit<1, 1, Outputs::kRounded>(block, formula, hardswish);
  }
  map_floats<1, 1, Outputs::kNear>(
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

template <class Below, class Above>
HWY_INLINE void backward_native(const NativeBlock& block, const Below& below, const Above& above,
                                BlockFunction exact) {
  const auto select = [&](auto d, auto g, auto x, auto middle) HWY_ATTR {
    const auto three = hn::Set(d, 3.0f);
    const auto upper_branch = hn::IfThenElse(above(x, three), g, middle);
    return hn::IfThenElse(below(x, hn::Neg(three)), hn::Mul(g, hn::Zero(d)), upper_branch);
  };
  if (block.dtype == ACL_FLOAT) {
    return map_floats<2, 1, Outputs::kNear>(
        block,
        [&](auto d, const auto& x, auto& y) HWY_ATTR {
          const auto sum = two_sum(without_tiny(d, x[1], 0x1.8p-60f), hn::Set(d, 1.5f));
          const auto slope =
              unsigned_product(d, sum, double_float(d, DoubleFloatConstant(1.0 / 3)));
          y[0] = select(d, x[0], x[1], hn::Mul(x[0], slope));
        },
        exact);
  }
  const auto fast = [&](auto d, const auto& x, auto& y) HWY_ATTR {
    const auto product = of_product16(d, x[0], hn::Add(x[1], hn::Set(d, 1.5f)), 3);
    y[0] = select(d, x[0], x[1], product);
  };
  map_16bit<2, 1, Outputs::kNearOrExact>(
      block, fast,
      [&](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        fast(d, x, y);
        valid = hn::Not(hn::And(hn::IsInf(y[0]), hn::IsFinite(x[0])));  // before the division
      },
      exact);
}

void hardswish_backward_closed_native(const NativeBlock& block) {
  backward_native(
      block, [](auto a, auto b) HWY_ATTR { return hn::Lt(a, b); },
      [](auto a, auto b) HWY_ATTR { return hn::Gt(a, b); }, hardswish_backward_closed);
}

void hardswish_backward_open_native(const NativeBlock& block) {
  backward_native(
      block, [](auto a, auto b) HWY_ATTR { return hn::Le(a, b); },
      [](auto a, auto b) HWY_ATTR { return hn::Ge(a, b); }, hardswish_backward_open);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "ops/engine/dispatch.h"

namespace aclgrad::ops {

HWY_EXPORT(hardswish);
HWY_EXPORT(hardswish_backward_closed);
HWY_EXPORT(hardswish_backward_open);
HWY_EXPORT(hardswish_native);
HWY_EXPORT(hardswish_backward_closed_native);
HWY_EXPORT(hardswish_backward_open_native);

FloatKernel hardswish_kernel() {
  return {ACLGRAD_DISPATCHED(hardswish), ACLGRAD_DISPATCHED(hardswish_native)};
}

FloatKernel hardswish_backward_kernel(Interval middle) {
  if (middle == Interval::kClosed) {
    return {ACLGRAD_DISPATCHED(hardswish_backward_closed),
            ACLGRAD_DISPATCHED(hardswish_backward_closed_native)};
  }
  return {ACLGRAD_DISPATCHED(hardswish_backward_open),
          ACLGRAD_DISPATCHED(hardswish_backward_open_native)};
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
