// SPDX-License-Identifier: Apache-2.0
// aclnnSWhere, aclnnInplaceMaskedFillScalar.
#include "ops/arithmetic/selection_kernel.h"

#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_s_where.h"
#include "ops/arithmetic/arithmetic_rules.h"

namespace aclgrad::ops {
namespace {

enum Where { kCondition, kSelf, kOther, kOut };

constexpr DtypeSet kChosen{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8,
     ACL_UINT16, ACL_UINT32, ACL_UINT64, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128},
    {ACL_BF16}};
constexpr DtypeSet kConditions{ACL_BOOL, ACL_UINT8};

const OperatorSpec kSWhere{
    "aclnnSWhere",
    {input("condition"), input("self"), input("other"), output("out")},
    {not_null({kSelf, kOther, kCondition, kOut}), dtype_in(kSelf, kChosen),
     dtype_in(kOther, kChosen), dtype_in(kOut, kChosen), dtype_in(kCondition, kConditions),
     promotable(kSelf, kOther), max_rank(kSelf), max_rank(kOther), max_rank(kCondition),
     max_rank(kOut), broadcastable({kCondition, kSelf, kOther}),
     shape_is_broadcast(kOut, {kCondition, kSelf, kOther})}};

// DOUBLE is not on the vendor's list.
constexpr DtypeSet kFilled{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT32, ACL_INT64, ACL_BOOL}, {ACL_BF16}};

const OperatorSpec kMaskedFill{"aclnnInplaceMaskedFillScalar",
                               {in_out("selfRef"), input("mask"), attribute("value")},
                               {not_null({0, 1, 2}), dtype_in(0, kFilled), dtype_in(1, {ACL_BOOL}),
                                max_rank(0), max_rank(1), broadcasts_to(1, 0)}};

Plan plan_where(const Arguments& arguments) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(arguments, kOut, {kCondition, kSelf, kOther}, dtype, choice(dtype));
}

Plan plan_masked_fill(const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(0);
  return plan_arithmetic(arguments, 0, {0, 1}, dtype,
                         masked_constant(dtype, Number::of(arguments.scalar(2), dtype)));
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnSWhere, 4, kSWhere, plan_where)
ACLGRAD_OPERATOR(aclnnInplaceMaskedFillScalar, 3, kMaskedFill, plan_masked_fill)
