// SPDX-License-Identifier: Apache-2.0
// aclnnAvgPool2d, aclnnAvgPool2dBackward.
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "ops/pooling/pooling_rules.h"

namespace aclgrad::ops::avg_pool2d {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t {
  kSelf,
  kKernelSize,
  kStride,
  kPadding,
  kCeilMode,
  kCountIncludePad,
  kDivisorOverride,
  kCubeMathType,
  kOut
};
constexpr PoolParameters kWindows{kSelf, kKernelSize, kStride, kPadding, std::nullopt, kCeilMode};

const OperatorSpec kSpec{
    "aclnnAvgPool2d",
    {input("self"), attribute("kernelSize"), attribute("strides"), attribute("paddings"),
     attribute("ceilMode"), attribute("countIncludePad"), attribute("divisorOverride"),
     attribute("cubeMathType"), output("out")},
    Rules{not_null({kSelf, kKernelSize, kStride, kPadding, kOut}), dtype_in({kSelf, kOut}, kFloats),
          same_dtype(kOut, kSelf), has_image_format(kSelf), has_image_format(kOut),
          pool_arrays(kWindows), image_rank(kSelf), image_not_empty(kSelf),
          pool_window_fits(kWindows), pool_result_shape(kOut, kWindows),
          integer_between(kCubeMathType, 0, 4)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  return plan_average_pool(Planes(arguments, kSelf), Planes(arguments, kOut),
                           pool_windows(arguments, kWindows, arguments.flag(kCountIncludePad)),
                           divisor_of(arguments, kDivisorOverride));
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradOutput,
  kSelf,
  kKernelSize,
  kStride,
  kPadding,
  kCeilMode,
  kCountIncludePad,
  kDivisorOverride,
  kCubeMathType,
  kGradInput
};
constexpr PoolParameters kWindows{kSelf, kKernelSize, kStride, kPadding, std::nullopt, kCeilMode};

// Without elements there is nothing more to check.
Rule checked(Rule rule) {
  return when([](const Arguments& arguments) { return !arguments.empty(kSelf); }, std::move(rule));
}

const OperatorSpec kSpec{
    "aclnnAvgPool2dBackward",
    {input("gradOutput"), input("self"), attribute("kernelSize"), attribute("stride"),
     attribute("padding"), attribute("ceilMode"), attribute("countIncludePad"),
     attribute("divisorOverride"), attribute("cubeMathType"), output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kKernelSize, kStride, kPadding, kGradInput}),
          dtype_in({kGradOutput, kSelf, kGradInput}, kFloats), same_dtype(kGradInput, kGradOutput),
          has_image_format(kGradOutput), has_image_format(kSelf), has_image_format(kGradInput),
          image_rank(kSelf), pool_arrays(kWindows), integer_between(kCubeMathType, 0, 3),
          same_shape(kGradInput, kSelf), checked(pool_window_fits(kWindows)),
          checked(pool_result_shape(kGradOutput, kWindows))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradInput)) return {};
  return plan_average_pool_backward(
      Planes(arguments, kGradOutput), Planes(arguments, kGradInput),
      pool_windows(arguments, kWindows, arguments.flag(kCountIncludePad)),
      divisor_of(arguments, kDivisorOverride));
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnAvgPool2d, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnAvgPool2dBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::avg_pool2d
