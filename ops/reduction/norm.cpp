// SPDX-License-Identifier: Apache-2.0
// aclnnNorm, aclnnLinalgVectorNorm.
#include "aclnnop/aclnn_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "aclnnop/aclnn_linalg_vector_norm.h"
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

namespace vector_norm {

enum : size_t { kSelf, kOrd, kDims, kKeepDims, kDtype, kOut };
constexpr ReductionAttributes kAttributes{.dims = kDims, .keep_dims = kKeepDims};

Rule has_dtype_asked_for() {
  return has_dtype(kOut, [](const Arguments& arguments) {
    return static_cast<aclDataType>(arguments.integer(kDtype));
  });
}

// Where there is nothing to be the largest or the smallest.
Rule has_elements_for_an_extremum() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const double ord = arguments.scalar(kOrd).to_double();
    const DimSet reduced = reduced_dims(arguments, kAttributes);
    const Dims& shape = arguments.shape(kSelf);
    if ((ord >= 0 && !std::isinf(ord)) || std::isnan(ord) ||
        count_elements(selected(shape, reduced, true)) > 0) {
      return std::nullopt;
    }
    return fmt::format("tensor {} {} must have elements along the dimensions reduced for {} {}.",
                       arguments.name(kSelf), to_string(shape), arguments.name(kOrd), ord);
  });
}

const OperatorSpec kSpec{
    "aclnnLinalgVectorNorm",
    {input("self"), attribute("ord"), attribute("dims"), attribute("keepDims"), attribute("dtype"),
     output("out")},
    Rules{not_null({kSelf, kOrd, kDims, kOut}), dtype_in({kSelf, kOut}, kRealFloats),
          attribute_dtype_in(kDtype, kRealFloats), has_dtype_asked_for(),
          scalar_castable_to_float(kOrd), max_rank({kSelf, kOut}), dims_in_range(kAttributes),
          dims_are_distinct(kAttributes), has_reduced_shape(kOut, kAttributes),
          has_elements_for_an_extremum()}};

}  // namespace vector_norm
}  // namespace

ACLGRAD_OPERATOR(aclnnNorm, kNorm, [](const Arguments& arguments) {
  const double p = static_cast<double>(arguments.scalar(kP).to_float());
  return plan_norm(arguments, kSelf, reduced_dims(arguments, kAttributes), p, kOut);
})
ACLGRAD_OPERATOR(aclnnLinalgVectorNorm, vector_norm::kSpec, [](const Arguments& arguments) {
  using namespace vector_norm;
  return plan_norm(arguments, vector_norm::kSelf, reduced_dims(arguments, vector_norm::kAttributes),
                   arguments.scalar(kOrd).to_double(), vector_norm::kOut);
})

}  // namespace aclgrad::ops::norm
