// SPDX-License-Identifier: Apache-2.0
// aclnnRelu, aclnnInplaceRelu, aclnnThresholdBackward, aclnnLeakyRelu, aclnnInplaceLeakyRelu,
// aclnnLeakyReluBackward.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "ops/arithmetic/arithmetic_rules.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/activation/relu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/formula-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

FloatKernel relu_formula() {
  return unary([](auto d, auto x)
                   HWY_ATTR { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x); });
}

// g for x > threshold, otherwise 0; a NaN in x stays.
FloatKernel threshold_backward_formula(double threshold) {
  return binary([threshold](auto d, auto g, auto x) HWY_ATTR {
    const auto chosen = hn::IfThenElse(hn::Gt(x, set(d, threshold)), g, x);
    return hn::IfThenZeroElse(hn::Le(x, set(d, threshold)), chosen);
  });
}

// x for x > 0, otherwise slope x.
FloatKernel leaky_relu_kernel(double slope) {
  return unary([slope](auto d, auto x) HWY_ATTR {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, set(d, slope)));
  });
}

// g for x > 0, otherwise slope g; a NaN in x stays.
FloatKernel leaky_relu_backward_kernel(double slope) {
  return binary([slope](auto d, auto g, auto x) HWY_ATTR {
    const auto by_slope = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, set(d, slope)));
    return hn::IfThenElse(hn::IsNaN(x), x, by_slope);
  });
}

}  // namespace
}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {
namespace {

HWY_EXPORT(relu_formula);
HWY_EXPORT(threshold_backward_formula);
HWY_EXPORT(leaky_relu_kernel);
HWY_EXPORT(leaky_relu_backward_kernel);

constexpr DtypeSet kRelu{{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64},
                         {ACL_BF16}};
constexpr DtypeSet kThreshold{{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32}, {ACL_BF16}};
constexpr DtypeSet kRealFloats{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, {ACL_BF16}};
constexpr DtypeSet kReal{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32,
                          ACL_INT64, ACL_UINT8, ACL_BOOL},
                         {ACL_BF16}};

// ---- Relu ---------------------------------------------------------------------------------------

const OperatorSpec kReluSpec{
    "aclnnRelu",
    {input("self"), output("out")},
    {not_null({0, 1}), dtype_in(0, kRelu), same_dtype(1, 0), same_shape(1, 0), max_rank(0)}};
const OperatorSpec kInplaceRelu{
    "aclnnInplaceRelu", {in_out("selfRef")}, {not_null({0}), dtype_in(0, kRelu), max_rank(0)}};

Kernel relu_kernel(aclDataType dtype) {
  if (!is_integer(dtype)) return HWY_DYNAMIC_DISPATCH(relu_formula)();
  return IntegerKernel([](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = std::max<int64_t>(in[0][i], 0);
  });
}

enum Threshold { kGrad, kSelf, kLimit, kOut };

// Small ones are meant to be 0.
float threshold_of(const Arguments& arguments) {
  const float threshold = arguments.scalar(kLimit).to_float();
  return std::abs(threshold) <= std::numeric_limits<float>::epsilon() ? 0 : threshold;
}

// INT64 is for ReLU alone, and for one product.
bool takes_listed_dtypes(const Arguments& arguments) {
  return arguments.dtype(kGrad) != ACL_INT64 || current_soc() != Soc::kAscend950 ||
         threshold_of(arguments) != 0;
}

const OperatorSpec kThresholdBackward{
    "aclnnThresholdBackward",
    {input("gradOutput"), input("self"), attribute("threshold"), output("out")},
    {not_null({kLimit, kOut, kGrad, kSelf}), when(takes_listed_dtypes, dtype_in(kGrad, kThreshold)),
     same_dtype(kSelf, kGrad), same_dtype(kOut, kGrad), max_rank(kGrad), max_rank(kSelf),
     max_rank(kOut), broadcastable(kGrad, kSelf), shape_is_broadcast(kOut, kGrad, kSelf)}};

Kernel threshold_backward_kernel(aclDataType dtype, float threshold) {
  if (!is_integer(dtype)) return HWY_DYNAMIC_DISPATCH(threshold_backward_formula)(threshold);
  return IntegerKernel([threshold](const int64_t* const* in, int64_t* const* out, size_t count) {
    const auto limit = static_cast<double>(threshold);
    for (size_t i = 0; i < count; ++i) {
      out[0][i] = static_cast<double>(in[1][i]) > limit ? in[0][i] : 0;
    }
  });
}

// ---- Leaky ReLU ---------------------------------------------------------------------------------

// Each dtype of the list converts to each other, here and below.
const OperatorSpec kLeakyRelu{
    "aclnnLeakyRelu",
    {input("self"), attribute("negativeSlope"), output("out")},
    {not_null({0, 1, 2}), dtype_in(0, kRealFloats), dtype_in(2, kRealFloats), max_rank(0),
     max_rank(2), same_shape(2, 0)}};
const OperatorSpec kInplaceLeakyRelu{"aclnnInplaceLeakyRelu",
                                     {in_out("selfRef"), attribute("negativeSlope")},
                                     {not_null({0, 1}), dtype_in(0, kRealFloats), max_rank(0)}};

Plan plan_leaky_relu(const Arguments& arguments, size_t out) {
  return plan_arithmetic(arguments, out, {0}, arguments.dtype(0),
                         HWY_DYNAMIC_DISPATCH(leaky_relu_kernel)(arguments.scalar(1).to_float()));
}

enum LeakyBackward { kSlope = 2, kSelfIsResult, kLeakyOut };

Rule slope_dtype() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType dtype = arguments.scalar(kSlope).dtype;
    if (kReal.contains(dtype)) return std::nullopt;
    return fmt::format("scalar negativeSlope has dtype {}, expected one of {}.", dtype_name(dtype),
                       kReal.to_string());
  });
}

// A result of the lower branch would be above 0, as those of the upper one are.
std::optional<std::string> slope_complaint(const Arguments& arguments) {
  const float slope = arguments.scalar(kSlope).to_float();
  if (!arguments.flag(kSelfIsResult) || !(slope < 0)) return std::nullopt;
  return fmt::format("negativeSlope must not be negative when selfIsResult is true, but is {}.",
                     slope);
}

const OperatorSpec kLeakyReluBackward{
    "aclnnLeakyReluBackward",
    {input("gradOutput"), input("self"), attribute("negativeSlope"), attribute("selfIsResult"),
     output("out")},
    {not_null({kGrad, kSelf, kSlope, kLeakyOut}), dtype_in(kGrad, kRealFloats),
     dtype_in(kSelf, kRealFloats), dtype_in(kLeakyOut, kRealFloats), slope_dtype(), max_rank(kGrad),
     max_rank(kSelf), max_rank(kLeakyOut), broadcastable(kGrad, kSelf),
     shape_is_broadcast(kLeakyOut, kGrad, kSelf), require(slope_complaint)}};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnRelu, 2, kReluSpec, [](const Arguments& arguments) {
  return elementwise(arguments, {1}, {0}, relu_kernel(arguments.dtype(0)));
})
ACLGRAD_OPERATOR(aclnnInplaceRelu, 1, kInplaceRelu, [](const Arguments& arguments) {
  return elementwise(arguments, {0}, {0}, relu_kernel(arguments.dtype(0)));
})
ACLGRAD_OPERATOR(aclnnThresholdBackward, 4, kThresholdBackward, [](const Arguments& arguments) {
  return elementwise(arguments, {kOut}, {kGrad, kSelf},
                     threshold_backward_kernel(arguments.dtype(kGrad), threshold_of(arguments)));
})
ACLGRAD_OPERATOR(aclnnLeakyRelu, 3, kLeakyRelu,
                 [](const Arguments& arguments) { return plan_leaky_relu(arguments, 2); })
ACLGRAD_OPERATOR(aclnnInplaceLeakyRelu, 2, kInplaceLeakyRelu,
                 [](const Arguments& arguments) { return plan_leaky_relu(arguments, 0); })
ACLGRAD_OPERATOR(aclnnLeakyReluBackward, 5, kLeakyReluBackward, [](const Arguments& arguments) {
  return plan_arithmetic(
      arguments, kLeakyOut, {kGrad, kSelf}, *promote_tensors(kGrad, kSelf)(arguments),
      HWY_DYNAMIC_DISPATCH(leaky_relu_backward_kernel)(arguments.scalar(kSlope).to_float()));
})
#endif  // HWY_ONCE
