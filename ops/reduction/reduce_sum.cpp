// SPDX-License-Identifier: Apache-2.0
// aclnnReduceSum.
#include "aclnnop/aclnn_reduce_sum.h"

#include <fmt/format.h>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::reduce_sum {
namespace {

using P = ReductionParameters;

Rule out_has_dtype() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const auto dtype = static_cast<aclDataType>(arguments.integer(P::kDtype));
    if (arguments.dtype(P::kOut) == dtype) return std::nullopt;
    return fmt::format("tensor {} expected dtype {}, but found {}.", arguments.name(P::kOut),
                       dtype_name(dtype), dtype_name(arguments.dtype(P::kOut)));
  });
}

const OperatorSpec kReduceSum{
    "aclnnReduceSum",
    {input("self"), attribute("dims"), attribute("keepDims"), attribute("dtype"), output("out")},
    {not_null({P::kSelf, P::kDims, P::kOut}), dtype_in(P::kSelf, kNumbersAndBool),
     dtype_in(P::kOut, kNumbersAndBool), attribute_dtype_in(P::kDtype, kNumbersAndBool),
     out_has_dtype(), max_rank(P::kSelf), max_rank(P::kOut), dims_in_range(), dims_are_distinct(),
     out_is_reduced()}};

}  // namespace

ACLGRAD_OPERATOR(aclnnReduceSum, kReduceSum, [](const Arguments& arguments) {
  const auto type = static_cast<aclDataType>(arguments.integer(P::kDtype));
  return plan_reduction(arguments, type, Reduction::kSum);
})

}  // namespace aclgrad::ops::reduce_sum
