// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceZero, aclnnInplaceOne.
#include "aclnnop/aclnn_zero.h"

#include "aclnnop/aclnn_ones.h"
#include "ops/arithmetic/arithmetic_rules.h"

namespace aclgrad::ops::zero {
namespace {

enum : size_t { kSelf };

constexpr DtypeSet kDtypes{ACL_INT8,  ACL_INT32,     ACL_INT64,     ACL_UINT8, ACL_FLOAT16,
                           ACL_FLOAT, ACL_BOOL,      ACL_DOUBLE,    ACL_INT16, ACL_UINT16,
                           ACL_BF16,  ACL_COMPLEX64, ACL_COMPLEX128};

const OperatorSpec kInplaceZero{
    "aclnnInplaceZero", {output("selfRef")}, {not_null({kSelf}), dtype_in(kSelf, kDtypes)}};

const OperatorSpec kInplaceOne{
    "aclnnInplaceOne",
    {output("selfRef")},
    {not_null({kSelf}), dtype_in(kSelf, kAllDtypesAndBf16), max_rank(kSelf)}};

Plan plan_number(const Arguments& arguments, int64_t number) {
  const aclDataType dtype = arguments.dtype(kSelf);
  const auto real = static_cast<double>(number);
  return plan_arithmetic(arguments, kSelf, {}, dtype, constant(dtype, {real, number, real}));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceZero, kInplaceZero,
                 [](const Arguments& arguments) { return plan_number(arguments, 0); })
ACLGRAD_OPERATOR(aclnnInplaceOne, kInplaceOne,
                 [](const Arguments& arguments) { return plan_number(arguments, 1); })

}  // namespace aclgrad::ops::zero
