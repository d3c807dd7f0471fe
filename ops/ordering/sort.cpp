// SPDX-License-Identifier: Apache-2.0
// aclnnSort, aclnnArgsort.
#include "aclnnop/aclnn_sort.h"

#include "aclnnop/aclnn_argsort.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/ordering/order_kernel.h"

namespace aclgrad::ops::sort {
namespace {

size_t axis(const Arguments& arguments, size_t dim) {
  return normalize_axis(arguments.integer(dim), arguments.shape(0).size());
}

namespace elements {

enum : size_t { kSelf, kStable, kDim, kDescending, kValues, kIndices };

const OperatorSpec kSpec{
    "aclnnSort",
    {input("self"), attribute("stable"), attribute("dim"), attribute("descending"),
     output("values"), output("indices")},
    Rules{not_null({kSelf, kValues, kIndices}), dtype_in(kSelf, kRealNumbersAndBool),
          same_dtype(kValues, kSelf), dtype_in(kIndices, {ACL_INT64}), max_rank(kSelf),
          same_shape({kValues, kIndices}, kSelf), axis_of(kDim, kSelf)}};

Plan plan(const Arguments& arguments) {
  return plan_sort(arguments,
                   {kSelf, axis(arguments, kDim), arguments.flag(kDescending), kValues, kIndices});
}

}  // namespace elements

namespace places {

enum : size_t { kSelf, kDim, kDescending, kIndices };

const OperatorSpec kSpec{
    "aclnnArgsort",
    {input("self"), attribute("dim"), attribute("descending"), output("indices")},
    Rules{not_null({kSelf, kIndices}), dtype_in(kSelf, kRealNumbersAndBool),
          dtype_in(kIndices, {ACL_INT64}), max_rank(kSelf), same_shape(kIndices, kSelf),
          axis_of(kDim, kSelf)}};

Plan plan(const Arguments& arguments) {
  return plan_sort(arguments, {kSelf, axis(arguments, kDim), arguments.flag(kDescending),
                               std::nullopt, kIndices});
}

}  // namespace places
}  // namespace

ACLGRAD_OPERATOR(aclnnSort, elements::kSpec, elements::plan)
ACLGRAD_OPERATOR(aclnnArgsort, places::kSpec, places::plan)

}  // namespace aclgrad::ops::sort
