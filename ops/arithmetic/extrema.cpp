// SPDX-License-Identifier: Apache-2.0
// aclnnMaximum, aclnnMinimum.
#include <algorithm>

#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/dtypes.h"

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

// Of integers, and of BOOL, where they are a logical or and an and.
IntegerKernel integer_kernel(bool largest) {
  return [largest](const int64_t* const* in, int64_t* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      out[0][i] = largest ? std::max(in[0][i], in[1][i]) : std::min(in[0][i], in[1][i]);
    }
  };
}

Plan plan_extremum(const Arguments& arguments, bool largest) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  const Function function = largest ? Function::kMaximum : Function::kMinimum;
  return plan_arithmetic(
      arguments, kOut, {kSelf, kOther}, dtype,
      is_floating(dtype) ? Kernel(function_kernel(function)) : Kernel(integer_kernel(largest)));
}

const OperatorSpec kMaximum = spec("aclnnMaximum");
const OperatorSpec kMinimum = spec("aclnnMinimum");

}  // namespace

ACLGRAD_OPERATOR(aclnnMaximum, kMaximum,
                 [](const Arguments& arguments) { return plan_extremum(arguments, true); })
ACLGRAD_OPERATOR(aclnnMinimum, kMinimum,
                 [](const Arguments& arguments) { return plan_extremum(arguments, false); })

}  // namespace aclgrad::ops::extrema
