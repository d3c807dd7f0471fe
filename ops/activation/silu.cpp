// SPDX-License-Identifier: Apache-2.0
// aclnnSilu, aclnnSiluBackward.
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/arithmetic/arithmetic_rules.h"

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

constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

const OperatorSpec kSilu{
    "aclnnSilu",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kFloats), dtype_in(1, kFloats), same_shape(1, 0)}};

constexpr DtypeSet kFloatsAndBf16{{ACL_FLOAT, ACL_FLOAT16, ACL_BF16}};

aclDataType common_or_float(const Arguments& arguments) {
  return arguments.dtype(0) == arguments.dtype(1) ? arguments.dtype(0) : ACL_FLOAT;
}

const OperatorSpec kSiluBackward{
    "aclnnSiluBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    {not_null({0, 1, 2}), dtype_in(0, kFloatsAndBf16), dtype_in(1, kFloatsAndBf16),
     dtype_in(2, kFloatsAndBf16), when(before_950, same_dtype(1, 0)),
     when(before_950, same_dtype(2, 0)), when(on_950, has_dtype(2, common_or_float)), max_rank(0),
     max_rank(1), max_rank(2), when(before_950, same_shape(1, 0)),
     when(before_950, same_shape(2, 0)), when(on_950, broadcastable(0, 1)),
     when(on_950, shape_is_broadcast(2, 0, 1))}};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnSilu, 2, kSilu, [](const Arguments& arguments) {
  return elementwise(arguments, {1}, {0}, HWY_DYNAMIC_DISPATCH(silu_kernel)());
})
ACLGRAD_OPERATOR(aclnnSiluBackward, 3, kSiluBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {2}, {0, 1}, HWY_DYNAMIC_DISPATCH(silu_backward_kernel)());
})
#endif  // HWY_ONCE
