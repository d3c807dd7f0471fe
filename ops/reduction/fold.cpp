// SPDX-License-Identifier: Apache-2.0
// aclnnAll, aclnnAny, aclnnProd, aclnnProdDim.
#include "ops/reduction/fold_kernel.h"

#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_prod.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/reduction/reduction_rules.h"

namespace aclgrad::ops::fold {
namespace {

// ---- Whether elements are true ------------------------------------------------------------------

namespace logical {

enum : size_t { kSelf, kDims, kKeepDim, kOut };

OperatorSpec spec(const char* name) {
  return {name,
          {input("self"), attribute("dim"), attribute("keepdim"), output("out")},
          {not_null({kSelf, kDims, kOut}), dtype_in(kSelf, kNumbersAndBool),
           dtype_in(kOut, {ACL_BOOL, ACL_UINT8}), max_rank(kSelf), max_rank(kOut), dims_in_range(),
           dims_are_distinct(), out_is_reduced(kOut)}};
}

const OperatorSpec kAll = spec("aclnnAll");
const OperatorSpec kAny = spec("aclnnAny");

Plan plan(const Arguments& arguments, Fold fold) {
  return plan_fold(arguments, {kSelf, kOut, reduced_dims(arguments), ACL_BOOL, fold});
}

}  // namespace logical

// ---- Products -----------------------------------------------------------------------------------

namespace whole {

enum : size_t { kSelf, kDtype, kOut };

const OperatorSpec kProd{
    "aclnnProd",
    {input("self"), attribute("dtype"), output("out")},
    {not_null({kSelf, kOut}), dtype_in(kSelf, kNumbersAndBool), dtype_in(kOut, kNumbersAndBool),
     attribute_dtype_in(kDtype, kNumbersAndBool), out_has_dtype(kOut, kDtype), max_rank(kSelf),
     max_rank(kOut), has_one_element(kOut)}};

Plan plan(const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kOut);
  return plan_fold(arguments, {kSelf, kOut, dimensions(0, kMaxRank), dtype, Fold::kProduct});
}

}  // namespace whole

namespace along {

using P = ReductionParameters;

const OperatorSpec kProdDim{
    "aclnnProdDim",
    {input("self"), attribute("dim"), attribute("keepDim"), attribute("dtype"), output("out")},
    {not_null({P::kSelf, P::kOut}), dtype_in(P::kSelf, kNumbersAndBool),
     dtype_in(P::kOut, kNumbersAndBool), attribute_dtype_in(P::kDtype, kNumbersAndBool),
     out_has_dtype(P::kOut, P::kDtype), max_rank(P::kSelf), max_rank(P::kOut),
     axis_of(P::kDims, P::kSelf), out_is_reduced()}};

Plan plan(const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(P::kOut);
  return plan_fold(arguments, {P::kSelf, P::kOut, reduced_dims(arguments), dtype, Fold::kProduct});
}

}  // namespace along
}  // namespace

ACLGRAD_OPERATOR(aclnnAll, logical::kAll,
                 [](const Arguments& arguments) { return logical::plan(arguments, Fold::kAll); })
ACLGRAD_OPERATOR(aclnnAny, logical::kAny,
                 [](const Arguments& arguments) { return logical::plan(arguments, Fold::kAny); })
ACLGRAD_OPERATOR(aclnnProd, whole::kProd, whole::plan)
ACLGRAD_OPERATOR(aclnnProdDim, along::kProdDim, along::plan)

}  // namespace aclgrad::ops::fold
