// SPDX-License-Identifier: Apache-2.0
// aclnnMean, aclnnMeanV2.
#include "aclnnop/aclnn_mean.h"

#include <fmt/format.h>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::mean {
namespace {

using P = ReductionParameters;

aclDataType dtype_of(const Arguments& arguments) {
  return static_cast<aclDataType>(arguments.integer(P::kDtype));
}

Rule self_converts() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (can_cast(arguments.dtype(P::kSelf), dtype_of(arguments))) return std::nullopt;
    return fmt::format(
        "{} of dtype {} cannot be cast to {}, the argument dtype; expected one that it "
        "can be cast to.",
        arguments.name(P::kSelf), dtype_name(arguments.dtype(P::kSelf)),
        dtype_name(dtype_of(arguments)));
  });
}

Rule mean_converts() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (can_cast(dtype_of(arguments), arguments.dtype(P::kOut))) return std::nullopt;
    return fmt::format(
        "a result of dtype {} cannot be cast to {}, the dtype of {}; expected one that "
        "it can be cast to.",
        dtype_name(dtype_of(arguments)), dtype_name(arguments.dtype(P::kOut)),
        arguments.name(P::kOut));
  });
}

const OperatorSpec kMean{
    "aclnnMean",
    {input("self"), attribute("dim"), attribute("keepDim"), attribute("dtype"), output("out")},
    {not_null({P::kSelf, P::kDims, P::kOut}), dtype_in(P::kSelf, kNumbers),
     attribute_dtype_in(P::kDtype, kNumbers), dtype_in(P::kOut, kNumbers), self_converts(),
     mean_converts(), dims_in_range(), dims_are_distinct(), max_rank(P::kSelf), max_rank(P::kOut),
     out_is_reduced()}};

// aclnnMeanV2 has its own attribute in the place of `dtype`.
constexpr size_t kNoopWithEmptyAxes = P::kDtype;

bool is_noop(const Arguments& arguments) {
  return arguments.flag(kNoopWithEmptyAxes) && arguments.int_array(P::kDims).empty();
}

bool is_reduction(const Arguments& arguments) { return !is_noop(arguments); }

const OperatorSpec kMeanV2{
    "aclnnMeanV2",
    {input("self"), attribute("dim"), attribute("keepDim"), attribute("noopWithEmptyAxes"),
     output("out")},
    {not_null({P::kSelf, P::kDims, P::kOut}), dtype_in(P::kSelf, kNumbers),
     dtype_in(P::kOut, kNumbers), can_cast_tensor(P::kSelf, P::kOut), dims_in_range(),
     dims_are_distinct(), max_rank(P::kSelf), max_rank(P::kOut),
     when(is_noop, same_shape(P::kOut, P::kSelf)), when(is_reduction, out_is_reduced())}};

Plan plan_v2(const Arguments& arguments) {
  if (is_noop(arguments)) return plan_cast(arguments, P::kSelf, P::kOut);
  return plan_reduction(arguments, arguments.dtype(P::kSelf), Reduction::kMean);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnMean, kMean, [](const Arguments& arguments) {
  return plan_reduction(arguments, dtype_of(arguments), Reduction::kMean);
})
ACLGRAD_OPERATOR(aclnnMeanV2, kMeanV2, plan_v2)

}  // namespace aclgrad::ops::mean
