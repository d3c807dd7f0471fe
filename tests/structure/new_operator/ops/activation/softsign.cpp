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
namespace {

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

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(softsign_kernel);
HWY_EXPORT(softsign_backward_kernel);

constexpr DtypeSet kFloats{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

const OperatorSpec kSoftsign{
    "aclnnSoftsign",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kFloats), same_dtype(1, 0), same_shape(1, 0), max_rank(0)}};

const OperatorSpec kSoftsignBackward{
    "aclnnSoftsignBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    {not_null({0, 1, 2}), dtype_in(0, kFloats), same_dtype(1, 0), same_dtype(2, 0),
     same_shape(1, 0), same_shape(2, 0), max_rank(0)}};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnSoftsign, 2, kSoftsign, [](const Arguments& arguments) {
  return elementwise(arguments, {1}, {0}, HWY_DYNAMIC_DISPATCH(softsign_kernel)());
})
ACLGRAD_OPERATOR(aclnnSoftsignBackward, 3, kSoftsignBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {2}, {0, 1}, HWY_DYNAMIC_DISPATCH(softsign_backward_kernel)());
})
#endif  // HWY_ONCE
