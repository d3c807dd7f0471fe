// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceZero.
#include "aclnnop/aclnn_zero.h"

#include "ops/arithmetic/arithmetic_rules.h"

namespace aclgrad::ops::zero {
namespace {

enum : size_t { kSelf };

constexpr DtypeSet kDtypes{ACL_INT8,  ACL_INT32,     ACL_INT64,     ACL_UINT8, ACL_FLOAT16,
                           ACL_FLOAT, ACL_BOOL,      ACL_DOUBLE,    ACL_INT16, ACL_UINT16,
                           ACL_BF16,  ACL_COMPLEX64, ACL_COMPLEX128};

const OperatorSpec kInplaceZero{
    "aclnnInplaceZero", {output("selfRef")}, {not_null({kSelf}), dtype_in(kSelf, kDtypes)}};

}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceZero, kInplaceZero, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, kSelf, {}, dtype, constant(dtype, {}));
})

}  // namespace aclgrad::ops::zero
