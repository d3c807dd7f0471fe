// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceFillScalar.
#include "aclnnop/aclnn_fill_scalar.h"

#include "ops/arithmetic/arithmetic_rules.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_INT32, ACL_INT64, ACL_FLOAT16, ACL_INT16, ACL_INT8,
                            ACL_UINT8, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128},
                           {ACL_BF16, ACL_UINT16, ACL_UINT32, ACL_UINT64}};

std::optional<aclDataType> promoted(const Arguments& arguments) {
  return promote_types(arguments.dtype(0), arguments.scalar(1).dtype);
}

const OperatorSpec kInplaceFillScalar{
    "aclnnInplaceFillScalar",
    {output("selfRef"), attribute("value")},
    {not_null({0, 1}), dtype_in(0, kDtypes), promotion_exists(promoted, 0, 1), max_rank(0)}};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnInplaceFillScalar, 2, kInplaceFillScalar, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(0);
  const Number number = Number::of(arguments.scalar(1), dtype);
  return plan_arithmetic(arguments, 0, {}, dtype, constant(dtype, number));
})
