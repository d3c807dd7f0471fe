// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceFillScalar, aclnnInplaceFillTensor.
#include "aclnnop/aclnn_fill_scalar.h"

#include "aclnnop/aclnn_fill_tensor.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/cast.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::fill_scalar {
namespace {

enum : size_t { kSelf, kValue };

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_INT32, ACL_INT64, ACL_FLOAT16, ACL_INT16, ACL_INT8,
                            ACL_UINT8, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128},
                           {ACL_BF16, ACL_UINT16, ACL_UINT32, ACL_UINT64}};

std::optional<aclDataType> promoted(const Arguments& arguments) {
  return promote_types(arguments.dtype(kSelf), arguments.scalar(kValue).dtype);
}

const OperatorSpec kInplaceFillScalar{"aclnnInplaceFillScalar",
                                      {output("selfRef"), attribute("value")},
                                      {not_null({kSelf, kValue}), dtype_in(kSelf, kDtypes),
                                       promotion_exists(promoted, kSelf, kValue), max_rank(kSelf)}};

const OperatorSpec kInplaceFillTensor{
    "aclnnInplaceFillTensor",
    {output("selfRef"), input("value")},
    Rules{not_null({kSelf, kValue}), dtype_in({kSelf, kValue}, kDtypes), max_rank({kSelf, kValue}),
          has_one_element(kValue)}};

// The one element stands for all, whatever the value's rank is.
Plan plan_element(const Arguments& arguments) {
  Operand value = whole(arguments, kValue);
  value.strides = Dims::filled(arguments.shape(kSelf).size(), 0);
  return plan_copies({{arguments.shape(kSelf), whole(arguments, kSelf), value}});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnInplaceFillScalar, kInplaceFillScalar, [](const Arguments& arguments) {
  const aclDataType dtype = arguments.dtype(kSelf);
  const KernelScalar number = KernelScalar::of(arguments.scalar(kValue), dtype);
  return plan_arithmetic(arguments, kSelf, {}, dtype, constant(dtype, number));
})
ACLGRAD_OPERATOR(aclnnInplaceFillTensor, kInplaceFillTensor, plan_element)

}  // namespace aclgrad::ops::fill_scalar
