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
#include "ops/engine/dtype/dtype_sets.h"

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

// ---- ReLU ---------------------------------------------------------------------------------------

namespace relu {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32, ACL_INT64},
                           {ACL_BF16}};

enum : size_t { kSelf, kOut };

const OperatorSpec kSpec{"aclnnRelu",
                         {input("self"), output("out")},
                         {not_null({kSelf, kOut}), dtype_in(kSelf, kDtypes),
                          same_dtype(kOut, kSelf), same_shape(kOut, kSelf), max_rank(kSelf)}};
const OperatorSpec kInPlaceSpec{"aclnnInplaceRelu",
                                {in_out("selfRef")},
                                {not_null({kSelf}), dtype_in(kSelf, kDtypes), max_rank(kSelf)}};

Kernel kernel(aclDataType dtype) {
  if (!is_integer(dtype)) return HWY_DYNAMIC_DISPATCH(relu_formula)();
  return IntegerKernel([](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) out[0][i] = std::max<int64_t>(in[0][i], 0);
  });
}

Plan plan(const Arguments& arguments, size_t out) {
  return elementwise(arguments, {out}, {kSelf}, kernel(arguments.dtype(kSelf)));
}

}  // namespace relu

namespace threshold_backward {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8, ACL_INT32}, {ACL_BF16}};

enum : size_t { kGradOutput, kSelf, kThreshold, kOut };

// A threshold below the precision of FLOAT counts as 0.
float threshold_of(const Arguments& arguments) {
  const float threshold = arguments.scalar(kThreshold).to_float();
  return std::abs(threshold) <= std::numeric_limits<float>::epsilon() ? 0 : threshold;
}

// Ascend950 accepts INT64 for a threshold of 0, the gradient of ReLU.
bool takes_listed_dtypes(const Arguments& arguments) {
  return arguments.dtype(kGradOutput) != ACL_INT64 || current_soc() != Soc::kAscend950 ||
         threshold_of(arguments) != 0;
}

const OperatorSpec kSpec{
    "aclnnThresholdBackward",
    {input("gradOutput"), input("self"), attribute("threshold"), output("out")},
    Rules{not_null({kThreshold, kOut, kGradOutput, kSelf}),
          when(takes_listed_dtypes, dtype_in(kGradOutput, kDtypes)),
          same_dtype({kSelf, kOut}, kGradOutput), max_rank({kGradOutput, kSelf, kOut}),
          broadcastable(kGradOutput, kSelf), shape_is_broadcast(kOut, kGradOutput, kSelf)}};

Kernel kernel(aclDataType dtype, float threshold) {
  if (!is_integer(dtype)) return HWY_DYNAMIC_DISPATCH(threshold_backward_formula)(threshold);
  return IntegerKernel([threshold](const int64_t* const* in, int64_t* const* out, size_t count) {
    const auto limit = static_cast<double>(threshold);
    for (size_t i = 0; i < count; ++i) {
      out[0][i] = static_cast<double>(in[1][i]) > limit ? in[0][i] : 0;
    }
  });
}

Plan plan(const Arguments& arguments) {
  return elementwise(arguments, {kOut}, {kGradOutput, kSelf},
                     kernel(arguments.dtype(kGradOutput), threshold_of(arguments)));
}

}  // namespace threshold_backward

// ---- Leaky ReLU ---------------------------------------------------------------------------------

namespace leaky_relu {

enum : size_t { kSelf, kNegativeSlope, kOut };

// Each dtype of the list converts to each other, here and below.
const OperatorSpec kSpec{
    "aclnnLeakyRelu",
    {input("self"), attribute("negativeSlope"), output("out")},
    Rules{not_null({kSelf, kNegativeSlope, kOut}), dtype_in({kSelf, kOut}, kRealFloats),
          max_rank({kSelf, kOut}), same_shape(kOut, kSelf)}};
const OperatorSpec kInPlaceSpec{
    "aclnnInplaceLeakyRelu",
    {in_out("selfRef"), attribute("negativeSlope")},
    {not_null({kSelf, kNegativeSlope}), dtype_in(kSelf, kRealFloats), max_rank(kSelf)}};

Plan plan(const Arguments& arguments, size_t out) {
  const float slope = arguments.scalar(kNegativeSlope).to_float();
  return plan_arithmetic(arguments, out, {kSelf}, arguments.dtype(kSelf),
                         HWY_DYNAMIC_DISPATCH(leaky_relu_kernel)(slope));
}

}  // namespace leaky_relu

namespace leaky_relu_backward {

enum : size_t { kGradOutput, kSelf, kNegativeSlope, kSelfIsResult, kOut };

Rule slope_dtype() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType dtype = arguments.scalar(kNegativeSlope).dtype;
    if (kRealNumbersAndBool.contains(dtype)) return std::nullopt;
    return fmt::format("scalar negativeSlope has dtype {}, expected one of {}.", dtype_name(dtype),
                       kRealNumbersAndBool.to_string());
  });
}

// With a negative slope a result above 0 may come from either branch.
std::optional<std::string> slope_complaint(const Arguments& arguments) {
  const float slope = arguments.scalar(kNegativeSlope).to_float();
  if (!arguments.flag(kSelfIsResult) || !(slope < 0)) return std::nullopt;
  return fmt::format("negativeSlope must not be negative when selfIsResult is true, but is {}.",
                     slope);
}

const OperatorSpec kSpec{
    "aclnnLeakyReluBackward",
    {input("gradOutput"), input("self"), attribute("negativeSlope"), attribute("selfIsResult"),
     output("out")},
    Rules{not_null({kGradOutput, kSelf, kNegativeSlope, kOut}),
          dtype_in({kGradOutput, kSelf, kOut}, kRealFloats), slope_dtype(),
          max_rank({kGradOutput, kSelf, kOut}), broadcastable(kGradOutput, kSelf),
          shape_is_broadcast(kOut, kGradOutput, kSelf), require(slope_complaint)}};

Plan plan(const Arguments& arguments) {
  const float slope = arguments.scalar(kNegativeSlope).to_float();
  return plan_arithmetic(arguments, kOut, {kGradOutput, kSelf},
                         *promote_tensors(kGradOutput, kSelf)(arguments),
                         HWY_DYNAMIC_DISPATCH(leaky_relu_backward_kernel)(slope));
}

}  // namespace leaky_relu_backward
}  // namespace

ACLGRAD_OPERATOR(aclnnRelu, relu::kSpec,
                 [](const Arguments& arguments) { return relu::plan(arguments, relu::kOut); })
ACLGRAD_OPERATOR(aclnnInplaceRelu, relu::kInPlaceSpec,
                 [](const Arguments& arguments) { return relu::plan(arguments, relu::kSelf); })
ACLGRAD_OPERATOR(aclnnThresholdBackward, threshold_backward::kSpec, threshold_backward::plan)
ACLGRAD_OPERATOR(aclnnLeakyRelu, leaky_relu::kSpec, [](const Arguments& arguments) {
  return leaky_relu::plan(arguments, leaky_relu::kOut);
})
ACLGRAD_OPERATOR(aclnnInplaceLeakyRelu, leaky_relu::kInPlaceSpec, [](const Arguments& arguments) {
  return leaky_relu::plan(arguments, leaky_relu::kSelf);
})
ACLGRAD_OPERATOR(aclnnLeakyReluBackward, leaky_relu_backward::kSpec, leaky_relu_backward::plan)

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
