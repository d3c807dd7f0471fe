// SPDX-License-Identifier: Apache-2.0
// aclnnAdaptiveMaxPool2d, aclnnAdaptiveMaxPool3d, and their gradients.
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "ops/pooling/pooling_rules.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::adaptive_max_pool {
namespace {

namespace forward {

enum : size_t { kSelf, kOutputSize, kOut, kIndices };

OperatorSpec spec(const char* name, size_t axes) {
  return {name,
          {input("self"), attribute("outputSize"), output("out"), output("indices")},
          {not_null({kSelf, kOutputSize, kOut, kIndices}), dtype_in(kSelf, kRealFloats),
           same_dtype(kOut, kSelf), dtype_in(kIndices, kPlaceDtypes), is_spatial(kSelf, axes),
           is_spatial(kOut, axes), is_spatial(kIndices, axes), same_planes(kOut, kSelf, axes),
           sizes_are_outs(kOutputSize, kOut, axes), same_shape(kIndices, kOut)}};
}

Plan plan(const Arguments& arguments, size_t axes) {
  if (arguments.empty(kOut)) return {};
  const Planes self(arguments, kSelf, axes), out(arguments, kOut, axes);
  return plan_max_pool(self, out, {.indices = Planes(arguments, kIndices, axes)},
                       adaptive_windows(self, out, true));
}

}  // namespace forward

namespace backward {

enum : size_t { kGradOutput, kSelf, kIndices, kGradInput };

OperatorSpec spec(const char* name, size_t axes) {
  return {name,
          {input("gradOutput"), input("self"), input("indices"), output("gradInput")},
          {not_null({kGradOutput, kSelf, kIndices, kGradInput}), dtype_in(kGradOutput, kRealFloats),
           same_dtype(kSelf, kGradOutput), dtype_in(kIndices, kPlaceDtypes),
           same_dtype(kGradInput, kGradOutput), is_spatial(kSelf, axes),
           is_spatial(kGradOutput, axes), is_spatial(kIndices, axes), is_spatial(kGradInput, axes),
           same_planes(kGradOutput, kSelf, axes), same_shape(kIndices, kGradOutput),
           same_shape(kGradInput, kSelf)}};
}

Plan plan(const Arguments& arguments, size_t axes) {
  if (arguments.empty(kGradInput)) return {};
  return plan_max_pool_backward(Planes(arguments, kGradOutput, axes),
                                Planes(arguments, kIndices, axes),
                                Planes(arguments, kGradInput, axes));
}

}  // namespace backward
}  // namespace

// A number of axes, and the gradient.
#define ACLGRAD_ADAPTIVE_MAX(name, axes)                                                      \
  static const OperatorSpec name##Spec = forward::spec(#name, axes);                          \
  static const OperatorSpec name##BackwardSpec = backward::spec(#name "Backward", axes);      \
  ACLGRAD_OPERATOR(name, name##Spec,                                                          \
                   [](const Arguments& arguments) { return forward::plan(arguments, axes); }) \
  ACLGRAD_OPERATOR(name##Backward, name##BackwardSpec,                                        \
                   [](const Arguments& arguments) { return backward::plan(arguments, axes); })

ACLGRAD_ADAPTIVE_MAX(aclnnAdaptiveMaxPool2d, 2)
ACLGRAD_ADAPTIVE_MAX(aclnnAdaptiveMaxPool3d, 3)

}  // namespace aclgrad::ops::adaptive_max_pool
