// SPDX-License-Identifier: Apache-2.0
// aclnnSoftsign, aclnnSoftsignBackward.
#include "aclnnop/aclnn_softsign.h"
#include "aclnnop/aclnn_softsign_backward.h"
#include "ops/arithmetic/arithmetic_rules.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/softsign.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
// x / (1 + |x|)
FloatKernel softsign_kernel() {
  return unary([](auto d, auto x) HWY_ATTR { return hn::Div(x, hn::Add(one(d), hn::Abs(x))); });
}

// g / (1 + |x|)^2
FloatKernel softsign_backward_kernel() {
  return binary([](auto d, auto g, auto x) HWY_ATTR {
    const auto divisor = hn::Add(one(d), hn::Abs(x));
    return hn::Div(hn::Div(g, divisor), divisor);
  });
}
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {
HWY_EXPORT(softsign_kernel);
HWY_EXPORT(softsign_backward_kernel);

enum : size_t { kSelf, kOut };
const OperatorSpec kSoftsign{"aclnnSoftsign",
                             {input("self"), output("out")},
                             {not_null({kSelf, kOut}), dtype_in(kSelf, kFloats),
                              same_dtype(kOut, kSelf), same_shape(kOut, kSelf), max_rank(kSelf)}};

enum : size_t { kGrad, kX, kDx };
const OperatorSpec kSoftsignBackward{
    "aclnnSoftsignBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    {not_null({kGrad, kX, kDx}), dtype_in(kGrad, kFloats), same_dtype(kX, kGrad),
     same_dtype(kDx, kGrad), same_shape(kX, kGrad), same_shape(kDx, kGrad), max_rank(kGrad)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnSoftsign, kSoftsign, [](const Arguments& arguments) {
  return elementwise(arguments, {kOut}, {kSelf}, HWY_DYNAMIC_DISPATCH(softsign_kernel)());
})
ACLGRAD_OPERATOR(aclnnSoftsignBackward, kSoftsignBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {kDx}, {kGrad, kX},
                     HWY_DYNAMIC_DISPATCH(softsign_backward_kernel)());
})

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
