// SPDX-License-Identifier: Apache-2.0
// aclnnAvgPool3d, aclnnAdaptiveAvgPool3d, and their gradients.
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_avg_pool3d.h"
#include "aclnnop/aclnn_avg_pool3d_backward.h"
#include "ops/pooling/pooling_rules.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::avg_pool3d {
namespace {

constexpr size_t kAxes = 3;

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
  kOut
};
constexpr PoolParameters kWindows{kSelf,        kKernelSize, kStride, kPadding,
                                  std::nullopt, kCeilMode,   kAxes};

const OperatorSpec kSpec{
    "aclnnAvgPool3d",
    {input("self"), attribute("kernelSize"), attribute("stride"), attribute("padding"),
     attribute("ceilMode"), attribute("countIncludePad"), attribute("divisorOverride"),
     output("out")},
    {not_null({kSelf, kKernelSize, kStride, kPadding, kOut}), dtype_in(kSelf, kRealFloats),
     same_dtype(kOut, kSelf), is_spatial(kSelf, kAxes), is_spatial(kOut, kAxes),
     pool_arrays(kWindows), pool_window_fits(kWindows), pool_result_shape(kOut, kWindows)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  return plan_average_pool(Planes(arguments, kSelf, kAxes), Planes(arguments, kOut, kAxes),
                           pool_windows(arguments, kWindows, arguments.flag(kCountIncludePad)),
                           divisor_of(arguments, kDivisorOverride));
}

}  // namespace forward

namespace adaptive {

enum : size_t { kSelf, kOutputSize, kOut };

const OperatorSpec kSpec{
    "aclnnAdaptiveAvgPool3d",
    {input("self"), attribute("outputSize"), output("out")},
    {not_null({kSelf, kOutputSize, kOut}), dtype_in(kSelf, kRealFloats), same_dtype(kOut, kSelf),
     is_spatial(kSelf, kAxes), is_spatial(kOut, kAxes), same_planes(kOut, kSelf, kAxes),
     sizes_are_outs(kOutputSize, kOut, kAxes)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const Planes self(arguments, kSelf, kAxes), out(arguments, kOut, kAxes);
  return plan_average_pool(self, out, adaptive_windows(self, out));
}

}  // namespace adaptive

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
  kGradInput
};
constexpr PoolParameters kWindows{kSelf,        kKernelSize, kStride, kPadding,
                                  std::nullopt, kCeilMode,   kAxes};

const OperatorSpec kSpec{
    "aclnnAvgPool3dBackward",
    {input("gradOutput"), input("self"), attribute("kernelSize"), attribute("stride"),
     attribute("padding"), attribute("ceilMode"), attribute("countIncludePad"),
     attribute("divisorOverride"), output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kKernelSize, kStride, kPadding, kGradInput}),
          dtype_in(kGradOutput, kRealFloats), same_dtype({kSelf, kGradInput}, kGradOutput),
          is_spatial(kSelf, kAxes), is_spatial(kGradOutput, kAxes), is_spatial(kGradInput, kAxes),
          pool_arrays(kWindows), pool_window_fits(kWindows),
          pool_result_shape(kGradOutput, kWindows), same_shape(kGradInput, kSelf)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradInput)) return {};
  return plan_average_pool_backward(
      Planes(arguments, kGradOutput, kAxes), Planes(arguments, kGradInput, kAxes),
      pool_windows(arguments, kWindows, arguments.flag(kCountIncludePad)),
      divisor_of(arguments, kDivisorOverride));
}

}  // namespace backward

namespace adaptive_backward {

enum : size_t { kGradOutput, kSelf, kGradInput };

const OperatorSpec kSpec{
    "aclnnAdaptiveAvgPool3dBackward",
    {input("gradOutput"), input("self"), output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kGradInput}), dtype_in(kGradOutput, kRealFloats),
          same_dtype({kSelf, kGradInput}, kGradOutput), is_spatial(kSelf, kAxes),
          is_spatial(kGradOutput, kAxes), is_spatial(kGradInput, kAxes),
          same_planes(kGradOutput, kSelf, kAxes), same_shape(kGradInput, kSelf)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradInput)) return {};
  const Planes from(arguments, kGradOutput, kAxes), to(arguments, kGradInput, kAxes);
  return plan_average_pool_backward(from, to, adaptive_windows(to, from));
}

}  // namespace adaptive_backward
}  // namespace

ACLGRAD_OPERATOR(aclnnAvgPool3d, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnAvgPool3dBackward, backward::kSpec, backward::plan)
ACLGRAD_OPERATOR(aclnnAdaptiveAvgPool3d, adaptive::kSpec, adaptive::plan)
ACLGRAD_OPERATOR(aclnnAdaptiveAvgPool3dBackward, adaptive_backward::kSpec, adaptive_backward::plan)

}  // namespace aclgrad::ops::avg_pool3d
