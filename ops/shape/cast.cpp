// SPDX-License-Identifier: Apache-2.0
// aclnnCast.
#include "aclnnop/aclnn_cast.h"

#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/dtypes.h"
#include "ops/meta/entry_points.h"
#include "ops/meta/operator.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::cast {
namespace {

enum : size_t { kSelf, kDtype, kOut };

const OperatorSpec kCast{
    "aclnnCast",
    {input("self"), attribute("dtype"), output("out")},
    {not_null({kSelf, kOut}), dtype_in(kSelf, kAllDtypes), attribute_dtype_in(kDtype, kAllDtypes),
     max_rank(kSelf), same_shape(kOut, kSelf)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const auto dtype = static_cast<aclDataType>(arguments.integer(kDtype));
  if (arguments.dtype(kOut) != dtype) {
    throw PlanError{kInnerNullPointer, "tensor out expected dtype " + dtype_name(dtype) +
                                           ", but found " + dtype_name(arguments.dtype(kOut)) +
                                           "."};
  }
  return plan_cast(arguments, kSelf, kOut);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnCast, kCast, plan)

}  // namespace aclgrad::ops::cast
