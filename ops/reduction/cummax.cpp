// SPDX-License-Identifier: Apache-2.0
// aclnnCummax, aclnnCummin.
#include "aclnnop/aclnn_cummax.h"

#include "aclnnop/aclnn_cummin.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/reduction/cummax_kernel.h"

namespace aclgrad::ops::cummax {
namespace {

enum : size_t { kSelf, kDim, kValues, kIndices };

OperatorSpec spec(const char* name) {
  return {name,
          {input("self"), attribute("dim"), output("values"), output("indices")},
          Rules{not_null({kSelf, kValues, kIndices}), dtype_in(kSelf, kRealNumbersAndBool),
                same_dtype(kValues, kSelf), dtype_in(kIndices, {ACL_INT64, ACL_INT32}),
                max_rank(kSelf), same_shape({kValues, kIndices}, kSelf), axis_of(kDim, kSelf)}};
}

const OperatorSpec kCummax = spec("aclnnCummax");
const OperatorSpec kCummin = spec("aclnnCummin");

template <bool kLargest>
Plan plan(const Arguments& arguments) {
  const size_t axis = normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
  return plan_running_extremum(arguments, {kSelf, axis, kLargest, kValues, kIndices});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnCummax, kCummax, plan<true>)
ACLGRAD_OPERATOR(aclnnCummin, kCummin, plan<false>)

}  // namespace aclgrad::ops::cummax
