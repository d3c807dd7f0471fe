// SPDX-License-Identifier: Apache-2.0
// aclnnSWhere, aclnnInplaceMaskedFillScalar, aclnnInplaceMaskedFillTensor.
#include "ops/arithmetic/selection_kernel.h"

#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_masked_fill_tensor.h"
#include "aclnnop/aclnn_s_where.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::selection {
namespace {

// Of aclnnSWhere, and of the fills.
enum : size_t { kCondition, kSelf, kOther, kOut };
enum : size_t { kSelfRef, kMask, kValue };

constexpr DtypeSet kConditions{ACL_BOOL, ACL_UINT8};

const OperatorSpec kSWhere{
    "aclnnSWhere",
    {input("condition"), input("self"), input("other"), output("out")},
    Rules{not_null({kSelf, kOther, kCondition, kOut}), dtype_in({kSelf, kOther, kOut}, kAllDtypes),
          dtype_in(kCondition, kConditions), promotable(kSelf, kOther),
          max_rank({kSelf, kOther, kCondition, kOut}), broadcastable({kCondition, kSelf, kOther}),
          shape_is_broadcast(kOut, {kCondition, kSelf, kOther})}};

// DOUBLE is not on the vendor's list.
constexpr DtypeSet kFilled{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT32, ACL_INT64, ACL_BOOL}, {ACL_BF16}};

const OperatorSpec kMaskedFill{"aclnnInplaceMaskedFillScalar",
                               {in_out("selfRef"), input("mask"), attribute("value")},
                               Rules{not_null({kSelfRef, kMask, kValue}),
                                     dtype_in(kSelfRef, kFilled), dtype_in(kMask, {ACL_BOOL}),
                                     max_rank({kSelfRef, kMask}), broadcasts_to(kMask, kSelfRef)}};

const OperatorSpec kMaskedFillTensor{
    "aclnnInplaceMaskedFillTensor",
    {in_out("selfRef"), input("mask"), input("value")},
    Rules{not_null({kSelfRef, kMask, kValue}), dtype_in(kSelfRef, kFilled),
          dtype_in(kMask, {ACL_BOOL}), dtype_in(kValue, kFilled), max_rank({kSelfRef, kMask}),
          has_shape(kValue, {}), broadcasts_to(kMask, kSelfRef)}};

Plan plan_where(const Arguments& arguments) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(arguments, kOut, {kCondition, kSelf, kOther}, dtype, choice(dtype));
}

Plan plan_masked_fill(const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kSelfRef);
  return plan_arithmetic(arguments, kSelfRef, {kSelfRef, kMask}, dtype,
                         masked_constant(dtype, KernelScalar::of(arguments.scalar(kValue), dtype)));
}

Plan plan_masked_fill_tensor(const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kSelfRef);
  return plan_arithmetic(arguments, kSelfRef, {kMask, kValue, kSelfRef}, dtype, choice(dtype));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnSWhere, kSWhere, plan_where)
ACLGRAD_OPERATOR(aclnnInplaceMaskedFillScalar, kMaskedFill, plan_masked_fill)
ACLGRAD_OPERATOR(aclnnInplaceMaskedFillTensor, kMaskedFillTensor, plan_masked_fill_tensor)

}  // namespace aclgrad::ops::selection
