// SPDX-License-Identifier: Apache-2.0
// aclnnSilu, aclnnSiluBackward.
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/silu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"
#include "ops/engine/math/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

// x / (1 + e^-x)
FloatKernel silu_kernel() {
  return unary([](auto d, auto x) HWY_ATTR { return silu(d, x); });
}

// g times the derivative at x.
FloatKernel silu_backward_kernel() {
  return binary([](auto d, auto g, auto x) HWY_ATTR { return silu_backward(d, g, x); });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(silu_kernel);
HWY_EXPORT(silu_backward_kernel);

enum : size_t { kSelf, kOut };

const OperatorSpec kSilu{
    "aclnnSilu",
    {input("self"), output("out")},
    Rules{not_null({kSelf, kOut}), dtype_in({kSelf, kOut}, kFloats), same_shape(kOut, kSelf)}};

enum : size_t { kGradOutput, kX, kGradInput };

constexpr DtypeSet kFloatsAndBf16{{ACL_FLOAT, ACL_FLOAT16, ACL_BF16}};

aclDataType common_or_float(const Arguments& arguments) {
  return arguments.dtype(kGradOutput) == arguments.dtype(kX) ? arguments.dtype(kGradOutput)
                                                             : ACL_FLOAT;
}

const OperatorSpec kSiluBackward{
    "aclnnSiluBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    Rules{not_null({kGradOutput, kX, kGradInput}),
          dtype_in({kGradOutput, kX, kGradInput}, kFloatsAndBf16),
          when(before_950, same_dtype(kX, kGradOutput)),
          when(before_950, same_dtype(kGradInput, kGradOutput)),
          when(on_950, has_dtype(kGradInput, common_or_float)),
          max_rank({kGradOutput, kX, kGradInput}), when(before_950, same_shape(kX, kGradOutput)),
          when(before_950, same_shape(kGradInput, kGradOutput)),
          when(on_950, broadcastable(kGradOutput, kX)),
          when(on_950, shape_is_broadcast(kGradInput, kGradOutput, kX))}};

}  // namespace

ACLGRAD_OPERATOR(aclnnSilu, kSilu, [](const Arguments& arguments) {
  return elementwise(arguments, {kOut}, {kSelf}, HWY_DYNAMIC_DISPATCH(silu_kernel)());
})
ACLGRAD_OPERATOR(aclnnSiluBackward, kSiluBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {kGradInput}, {kGradOutput, kX},
                     HWY_DYNAMIC_DISPATCH(silu_backward_kernel)());
})

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
