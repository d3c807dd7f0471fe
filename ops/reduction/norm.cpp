// SPDX-License-Identifier: Apache-2.0
// aclnnNorm.
#include "aclnnop/aclnn_norm.h"

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/norm_kernel.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::norm {
namespace {

enum : size_t { kSelf, kP, kDims, kKeepDim, kOut };
constexpr ReductionAttributes kAttributes{.dims = kDims, .keep_dims = kKeepDim};

const OperatorSpec kNorm{
    "aclnnNorm",
    {input("self"), attribute("pScalar"), attribute("dim"), attribute("keepdim"), output("out")},
    Rules{not_null({kSelf, kP, kDims, kOut}), dtype_in({kSelf, kOut}, kRealFloats),
          scalar_castable_to_float(kP), dims_in_range(kAttributes), dims_are_distinct(kAttributes),
          max_rank({kSelf, kOut}), has_reduced_shape(kOut, kAttributes)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnNorm, kNorm, [](const Arguments& arguments) {
  const double p = static_cast<double>(arguments.scalar(kP).to_float());
  return plan_norm(arguments, kSelf, reduced_dims(arguments, kAttributes), p, kOut);
})

}  // namespace aclgrad::ops::norm
