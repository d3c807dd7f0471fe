// SPDX-License-Identifier: Apache-2.0
// aclnnCast.
#include "aclnnop/aclnn_cast.h"

#include "ops/engine/dtype/cast.h"
#include "ops/meta/dtypes.h"
#include "ops/meta/entry_points.h"
#include "ops/meta/operator.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kDtypes{
    {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64,
     ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128},
    {ACL_BF16}};

const OperatorSpec kCast{"aclnnCast",
                         {input("self"), attribute("dtype"), output("out")},
                         {not_null({0, 2}), dtype_in(0, kDtypes), attribute_dtype_in(1, kDtypes),
                          max_rank(0), same_shape(2, 0)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(0)) return {};
  const auto dtype = static_cast<aclDataType>(arguments.integer(1));
  if (arguments.dtype(2) != dtype) {
    throw Refusal{kInnerNullPointer, "tensor out expected dtype " + dtype_name(dtype) +
                                         ", but found " + dtype_name(arguments.dtype(2)) + "."};
  }
  return plan_cast(arguments, 0, 2);
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnCast, 3, kCast, plan)
