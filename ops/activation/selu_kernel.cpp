// SPDX-License-Identifier: Apache-2.0
#include "ops/activation/selu_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/selu_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/block-inl.h"
#include "ops/engine/math/math-inl.h"
#include "ops/engine/tables-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

constexpr double kLambda = 1.0507009873554804934;
// lambda * alpha, and what the double leaves out of it: y + lambda alpha is small where y is near
// the forward's limit.
constexpr double kLambdaAlpha = 1.7580993408473768600;
constexpr double kLambdaAlphaRest = 0x1.05161b045a1f7p-56;

constexpr DoubleFloatConstant kFloatLambda(kLambda);
constexpr DoubleFloatConstant kLambdaBelow = DoubleFloatConstant::from_below(kLambda);
constexpr DoubleFloatConstant kFloatLambdaAlpha(kLambdaAlpha);
constexpr DoubleFloatConstant kLambdaAlphaBelow = DoubleFloatConstant::from_below(kLambdaAlpha);

// ---- Exact --------------------------------------------------------------------------------------

void selu(const double* const* in, double* const* out, size_t count) {
  map_block<1>(in, out, count, [](auto d, auto x) HWY_ATTR {
    const auto linear_branch = hn::Mul(x, hn::Set(d, kLambda));
    const auto growth = hn::CopySign(expm1_double(d, x), x);  // also where it is 0
    const auto exp_branch = hn::Mul(growth, hn::Set(d, kLambdaAlpha));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), linear_branch, exp_branch);
  });
}

void selu_backward(const double* const* in, double* const* out, size_t count) {
  map_block<2>(in, out, count, [](auto d, auto g, auto y) HWY_ATTR {
    const auto sum = two_sum(y, hn::Set(d, kLambdaAlpha));
    // Summed again, because the rest is all there is where the first sum is 0. An infinite y has a
    // NaN for its low part, which must not spread.
    const auto rest = hn::Set(d, kLambdaAlphaRest);
    const auto low = hn::IfThenElse(hn::IsNaN(sum.low), rest, hn::Add(sum.low, rest));
    const auto exp_branch = two_sum(sum.high, low);
    const auto of_positive = hn::Mul(g, hn::Set(d, kLambda));
    // Chosen so that NaN takes the branch that passes it on.
    return hn::IfThenElse(hn::Ge(y, hn::Zero(d)), of_positive, multiply_to_odd(d, g, exp_branch));
  });
}

// ---- In float -----------------------------------------------------------------------------------

void selu_native(const NativeBlock& block) {
  constinit static Lut16s tables;
  if (block.dtype != ACL_FLOAT) return map_lut16(block, &tables, selu);
  map_floats<1, 1, Outputs::kNear>(
      block,
      [](auto d, const auto& x, auto& y) HWY_ATTR {
        const auto growth = expm1_double_float(d, clamped_for_expm1(d, x[0]));
        const auto exp_branch = unsigned_product(d, double_float(d, kFloatLambdaAlpha), growth);
        const auto negative = hn::Lt(x[0], hn::Zero(d));
        const auto slope = if_then_else(negative, double_float(d, kLambdaAlphaBelow),
                                        double_float(d, kLambdaBelow));
        const auto linear = mul_add(d, x[0], slope.high, hn::Mul(x[0], slope.low));
        y[0] = hn::IfThenElse(hn::Lt(x[0], hn::Set(d, kLinearGrowth)), exp_branch, linear);
      },
      selu);
}

void selu_backward_native(const NativeBlock& block) {
  if (block.dtype != ACL_FLOAT) {
    return map_16bit<2, 1, Outputs::kNear>(
        block,
        [](auto d, const auto& x, auto& y) HWY_ATTR {
          const auto limit = double_float(d, kFloatLambdaAlpha);
          const auto exp_branch = hn::Add(hn::Add(x[1], limit.high), limit.low);
          const auto positive = hn::Ge(x[1], hn::Zero(d));  // false for NaN, kept by exp_branch
          const auto slope = hn::IfThenElse(positive, hn::Set(d, kFloatLambda.high), exp_branch);
          y[0] = hn::Mul(x[0], slope);
        },
        selu_backward);
  }
  const auto slope_of = [](auto d, auto y, auto sum) HWY_ATTR {
    sum.low = hn::Add(sum.low, hn::Set(d, kFloatLambdaAlpha.low));
    return if_then_else(hn::Ge(y, hn::Zero(d)), double_float(d, kFloatLambda), sum);
  };
  map_floats<2, 1, Outputs::kNear>(
      block,
      [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const auto sum = sum_with_larger(d, x[1], kFloatLambdaAlpha.high);
        y[0] = product_by_positive(d, x[0], slope_of(d, x[1], sum));
        // SELU has no results below -lambda alpha.
        valid = hn::Ge(x[1], hn::Set(d, -kFloatLambdaAlpha.high));
      },
      [=](auto d, const auto& x, auto& y) HWY_ATTR {
        const auto sum = two_sum(x[1], hn::Set(d, kFloatLambdaAlpha.high));
        y[0] = product_of_any(d, x[0], slope_of(d, x[1], sum));
      },
      selu_backward);
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <limits>

#include "ops/engine/dispatch.h"

namespace aclgrad::ops {

HWY_EXPORT(selu);
HWY_EXPORT(selu_backward);
HWY_EXPORT(selu_native);
HWY_EXPORT(selu_backward_native);

FloatKernel selu_kernel() { return {ACLGRAD_DISPATCHED(selu), ACLGRAD_DISPATCHED(selu_native)}; }

FloatKernel selu_backward_kernel() {
  return {ACLGRAD_DISPATCHED(selu_backward), ACLGRAD_DISPATCHED(selu_backward_native)};
}

namespace {

// Products of integers with lambda and lambda alpha as multiples of 2^-64. Their error is below
// 2^-34 for factors of 32 bits, while no such product comes that near to an integer (by the
// continued fractions of the two constants), so cutting off gives the digits of the exact value.
using Int128 = __int128;
constexpr Int128 kOne = Int128{1} << 64;
constexpr Int128 kLambdaWide = kOne + 0x0cfabd6a911322e0;
constexpr Int128 kLambdaAlphaWide = kOne + 0xc212cc640f031105;

int64_t truncate_and_clamp(Int128 multiple, int64_t low, int64_t high) {
  return std::clamp(static_cast<int64_t>(multiple / kOne), low, high);  // division truncates
}

struct Range {
  int64_t low;
  int64_t high;
};

Range range_of(aclDataType dtype) {
  if (dtype == ACL_INT8)
    return {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
  return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
}

}  // namespace

IntegerKernel selu_integer_kernel(aclDataType dtype) {
  return [range = range_of(dtype)](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t x = in[0][i];
      // Below 0 the value lies between -1.76 and -1.11.
      out[0][i] =
          x > 0 ? truncate_and_clamp(x * kLambdaWide, range.low, range.high) : (x < 0 ? -1 : 0);
    }
  };
}

IntegerKernel selu_backward_integer_kernel(aclDataType dtype) {
  return [range = range_of(dtype)](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t g = in[0][i];
      const int64_t y = in[1][i];
      const Int128 slope = y < 0 ? y * kOne + kLambdaAlphaWide : kLambdaWide;
      out[0][i] = truncate_and_clamp(g * slope, range.low, range.high);
    }
  };
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
