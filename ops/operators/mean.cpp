// SPDX-License-Identifier: Apache-2.0
// aclnnMean.
#include "aclnnop/aclnn_mean.h"

#include <fmt/format.h>

#include "ops/operators/reductions.h"

namespace aclgrad::ops {
namespace {

using P = ReductionParameters;

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64,
                            ACL_UINT8, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128},
                           {ACL_BF16}};

aclDataType dtype_of(const Arguments& arguments) {
  return static_cast<aclDataType>(arguments.integer(P::kDtype));
}

Rule self_converts() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (can_cast(arguments.dtype(P::kSelf), dtype_of(arguments))) return std::nullopt;
    return fmt::format("{} of dtype {} cannot be cast to dtype {}.", arguments.name(P::kSelf),
                       dtype_name(arguments.dtype(P::kSelf)), dtype_name(dtype_of(arguments)));
  });
}

Rule mean_converts() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (can_cast(dtype_of(arguments), arguments.dtype(P::kOut))) return std::nullopt;
    return fmt::format("a result of dtype {} cannot be cast to {}, the dtype of {}.",
                       dtype_name(dtype_of(arguments)), dtype_name(arguments.dtype(P::kOut)),
                       arguments.name(P::kOut));
  });
}

const OperatorSpec kMean{
    "aclnnMean",
    {input("self"), attribute("dim"), attribute("keepDim"), attribute("dtype"), output("out")},
    {not_null({P::kSelf, P::kDims, P::kOut}), dtype_in(P::kSelf, kDtypes),
     attribute_dtype_in(P::kDtype, kDtypes), dtype_in(P::kOut, kDtypes), self_converts(),
     mean_converts(), dims_in_range(), dims_are_distinct(), max_rank(P::kSelf), max_rank(P::kOut),
     out_is_reduced()}};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor* self, const aclIntArray* dim, bool keepDim,
                                      aclDataType dtype, aclTensor* out, uint64_t* workspaceSize,
                                      aclOpExecutor** executor) {
  return plan_operator(
      kMean, {self, dim, keepDim, dtype, out}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_reduction(arguments, Reduction::kMean); });
}

aclnnStatus aclnnMean(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                      aclrtStream stream) {
  return run_operator(__func__, workspace, workspaceSize, executor, stream);
}
