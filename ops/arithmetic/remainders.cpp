// SPDX-License-Identifier: Apache-2.0
// Quotients rounded to integers and what they leave: aclnnFloorDivide, aclnnRemainder, aclnnFmod of
// tensors and numbers, aclnnGcd, and their forms in place.
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_fmod_scalar.h"
#include "aclnnop/aclnn_fmod_tensor.h"
#include "aclnnop/aclnn_gcd.h"
#include "aclnnop/aclnn_remainder.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/rounding_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::remainders {
namespace {

using namespace operands;

// BOOL is divided in FLOAT.
aclDataType division_dtype(aclDataType promoted) {
  return promoted == ACL_BOOL ? ACL_FLOAT : promoted;
}

OperatorSpec quotient_of_tensors(const char* name, Form form) {
  return of_two(name, form, kRealNumbersAndBool, promote_tensors(kSelf, kOther));
}
OperatorSpec quotient_by_number(const char* name, Form form) {
  return with_number(name, form, kRealNumbersAndBool);
}
OperatorSpec rest_of_tensors(const char* name, Form form) {
  return of_two(name, form, kRealNumbers, promote_tensors(kSelf, kOther));
}
OperatorSpec rest_by_number(const char* name, Form form) {
  return with_number(name, form, kRealNumbers);
}
OperatorSpec divisor_of_tensors(const char* name, Form form) {
  return of_two(name, form, {ACL_INT32, ACL_INT64}, nullptr);
}

// The number is self, and the tensor other.
OperatorSpec rest_of_number(const char* name, Form) {
  const size_t out = kOther + 1;
  return {name,
          {attribute("self"), input("other"), output("out")},
          Rules{not_null({kSelf, kOther, out}), dtype_in({kSelf, kOther, out}, kRealNumbers),
                result_converts(promote_number(kOther, kSelf), out), max_rank({kOther, out}),
                same_shape(out, kOther)}};
}

template <Division kind>
Plan plan_of_tensors(const Arguments& arguments, size_t out) {
  const aclDataType dtype = division_dtype(*promote_tensors(kSelf, kOther)(arguments));
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype, division(kind, dtype), true);
}

template <Division kind>
Plan plan_by_number(const Arguments& arguments, size_t out) {
  const aclDataType dtype = division_dtype(*promote_number(kSelf, kOther)(arguments));
  const Operands operands{.divisor = KernelScalar::of(arguments.scalar(kOther), dtype)};
  return plan_arithmetic(arguments, out, {kSelf}, dtype, division(kind, dtype, operands), true);
}

Plan plan_of_number(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_number(kOther, kSelf)(arguments);
  const Operands operands{.dividend = KernelScalar::of(arguments.scalar(kSelf), dtype)};
  return plan_arithmetic(arguments, out, {kOther}, dtype,
                         division(Division::kFlooredRest, dtype, operands), true);
}

}  // namespace

ACLGRAD_BOTH_FORMS(FloorDivide, quotient_of_tensors, plan_of_tensors<Division::kFloored>)
ACLGRAD_BOTH_FORMS(FloorDivides, quotient_by_number, plan_by_number<Division::kFloored>)
ACLGRAD_BOTH_FORMS(RemainderTensorTensor, rest_of_tensors, plan_of_tensors<Division::kFlooredRest>)
ACLGRAD_BOTH_FORMS(RemainderTensorScalar, rest_by_number, plan_by_number<Division::kFlooredRest>)
ACLGRAD_OUT_OF_PLACE(RemainderScalarTensor, rest_of_number, plan_of_number)
ACLGRAD_BOTH_FORMS(FmodTensor, rest_of_tensors, plan_of_tensors<Division::kTruncatedRest>)
ACLGRAD_BOTH_FORMS(FmodScalar, rest_by_number, plan_by_number<Division::kTruncatedRest>)
ACLGRAD_OUT_OF_PLACE(Gcd, divisor_of_tensors, plan_of_tensors<Division::kGreatestDivisor>)

}  // namespace aclgrad::ops::remainders
