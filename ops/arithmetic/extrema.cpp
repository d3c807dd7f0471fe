// SPDX-License-Identifier: Apache-2.0
// aclnnMaximum, aclnnMinimum.
#include <algorithm>

#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/functions_kernel.h"
#include "ops/meta/dtypes.h"

using namespace aclgrad::ops;

namespace {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_INT32, ACL_FLOAT16, ACL_INT8, ACL_INT64, ACL_INT16,
                            ACL_UINT8, ACL_DOUBLE, ACL_BOOL},
                           {ACL_BF16}};

OperatorSpec spec(const char* name) {
  return {name,
          {input("self"), input("other"), output("out")},
          {not_null({0, 1, 2}), dtype_in(0, kDtypes), dtype_in(1, kDtypes), dtype_in(2, kDtypes),
           result_converts(promote_tensors(0, 1), 2), max_rank(0), max_rank(1), max_rank(2),
           broadcastable(0, 1), shape_is_broadcast(2, 0, 1)}};
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
  const aclDataType dtype = *promote_tensors(0, 1)(arguments);
  const Function function = largest ? Function::kMaximum : Function::kMinimum;
  return plan_arithmetic(
      arguments, 2, {0, 1}, dtype,
      is_floating(dtype) ? Kernel(function_kernel(function)) : Kernel(integer_kernel(largest)));
}

const OperatorSpec kMaximum = spec("aclnnMaximum");
const OperatorSpec kMinimum = spec("aclnnMinimum");

}  // namespace

ACLGRAD_OPERATOR(aclnnMaximum, 3, kMaximum,
                 [](const Arguments& arguments) { return plan_extremum(arguments, true); })
ACLGRAD_OPERATOR(aclnnMinimum, 3, kMinimum,
                 [](const Arguments& arguments) { return plan_extremum(arguments, false); })
