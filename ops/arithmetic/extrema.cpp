// SPDX-License-Identifier: Apache-2.0
// aclnnMaximum, aclnnMinimum.
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::extrema {
namespace {

enum : size_t { kSelf, kOther, kOut };

OperatorSpec spec(const char* name) {
  return {
      name,
      {input("self"), input("other"), output("out")},
      Rules{not_null({kSelf, kOther, kOut}), dtype_in({kSelf, kOther, kOut}, kRealNumbersAndBool),
            result_converts(promote_tensors(kSelf, kOther), kOut), max_rank({kSelf, kOther, kOut}),
            broadcastable(kSelf, kOther), shape_is_broadcast(kOut, kSelf, kOther)}};
}

Plan plan_extremum(const Arguments& arguments, bool largest) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(arguments, kOut, {kSelf, kOther}, dtype, extremum(dtype, largest));
}

const OperatorSpec kMaximum = spec("aclnnMaximum");
const OperatorSpec kMinimum = spec("aclnnMinimum");

}  // namespace

ACLGRAD_OPERATOR(aclnnMaximum, kMaximum,
                 [](const Arguments& arguments) { return plan_extremum(arguments, true); })
ACLGRAD_OPERATOR(aclnnMinimum, kMinimum,
                 [](const Arguments& arguments) { return plan_extremum(arguments, false); })

}  // namespace aclgrad::ops::extrema
