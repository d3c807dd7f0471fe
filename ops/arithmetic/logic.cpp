// SPDX-License-Identifier: Apache-2.0
// Truth values: aclnnLogicalNot, And, Or and Xor. Bits: aclnnBitwiseNot, And, Or and Xor of a
// tensor with a tensor or a number; aclnnLeftShift, aclnnLeftShifts, aclnnRightShift. Their forms
// in place.
#include "aclnnop/aclnn_bitwise_and_scalar.h"
#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_not.h"
#include "aclnnop/aclnn_bitwise_or_scalar.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_scalar.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"
#include "aclnnop/aclnn_left_shift.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_logical_xor.h"
#include "aclnnop/aclnn_right_shift.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/logic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::logic_operators {
namespace {

using namespace operands;

constexpr DtypeSet kWhole{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
constexpr DtypeSet kWholeAndBool{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL};

// ---- Truth values -------------------------------------------------------------------------------

OperatorSpec truth_of_one(const char* name, Form form) {
  return of_one(name, form, kNumbersAndBool, Result::kTruth);
}
OperatorSpec truth_of_two(const char* name, Form form) {
  return of_two(name, form, kNumbersAndBool, nullptr);
}

// Each operand counts as it is: what a dtype of the computation holds as 0 was 0 before.
aclDataType dtype_of_truth(const Arguments& arguments, const std::vector<size_t>& inputs) {
  bool is_whole = true;
  for (const size_t each : inputs) {
    const aclDataType dtype = arguments.dtype(each);
    if (is_complex(dtype)) return ACL_COMPLEX128;
    is_whole = is_whole && computes_in_integers(dtype);
  }
  return is_whole ? ACL_INT64 : ACL_DOUBLE;
}

template <Logic operation>
Plan plan_truth(const Arguments& arguments, size_t out) {
  std::vector<size_t> inputs = {kSelf};
  if (operation != Logic::kNot) inputs.push_back(kOther);
  const aclDataType dtype = dtype_of_truth(arguments, inputs);
  return plan_arithmetic(arguments, out, inputs, dtype, logic(operation, dtype));
}

// ---- Bits ---------------------------------------------------------------------------------------

OperatorSpec bits_of_one(const char* name, Form form) {
  return of_one(name, form, kWholeAndBool, Result::kConverted);
}
OperatorSpec bits_with_tensor(const char* name, Form form) {
  return of_two(name, form, kWholeAndBool, promote_tensors(kSelf, kOther));
}
OperatorSpec bits_with_number(const char* name, Form form) {
  return with_number(name, form, kWholeAndBool);
}

Plan plan_bitwise_not(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, bitwise(Logic::kNot, dtype));
}

template <Logic operation>
Plan plan_bits(const Arguments& arguments, size_t out) {
  if (arguments[kOther].tensor() != nullptr) {
    const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
    return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype, bitwise(operation, dtype));
  }
  const aclDataType dtype = *promote_number(kSelf, kOther)(arguments);
  const KernelScalar number = KernelScalar::of(arguments.scalar(kOther), dtype);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, bitwise(operation, number.integer));
}

// ---- Shifts -------------------------------------------------------------------------------------

OperatorSpec shift_by_tensor(const char* name, Form form) {
  return of_two(name, form, kWhole, nullptr);  // integers convert to each other
}
OperatorSpec shift_by_number(const char* name, Form) {
  const size_t out = kOther + 1;
  return {name,
          {input("self"), attribute("other"), output("out")},
          Rules{not_null({kSelf, kOther, out}), dtype_in({kSelf, kOther, out}, kWhole),
                max_rank({kSelf, out}), same_shape(out, kSelf)}};
}

template <Kernel (*shift)(aclDataType)>
Plan plan_shift(const Arguments& arguments, size_t out) {
  const aclDataType dtype = *promote_tensors(kSelf, kOther)(arguments);
  return plan_arithmetic(arguments, out, {kSelf, kOther}, dtype, shift(dtype));
}

Plan plan_shift_by_number(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  const KernelScalar number = KernelScalar::of(arguments.scalar(kOther), dtype);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, left_shift(dtype, number.integer));
}

}  // namespace

ACLGRAD_BOTH_FORMS(LogicalNot, truth_of_one, plan_truth<Logic::kNot>)
ACLGRAD_BOTH_FORMS(LogicalAnd, truth_of_two, plan_truth<Logic::kAnd>)
ACLGRAD_BOTH_FORMS(LogicalOr, truth_of_two, plan_truth<Logic::kOr>)
ACLGRAD_OUT_OF_PLACE(LogicalXor, truth_of_two, plan_truth<Logic::kXor>)

ACLGRAD_OUT_OF_PLACE(BitwiseNot, bits_of_one, plan_bitwise_not)
ACLGRAD_BOTH_FORMS(BitwiseAndTensor, bits_with_tensor, plan_bits<Logic::kAnd>)
ACLGRAD_BOTH_FORMS(BitwiseAndScalar, bits_with_number, plan_bits<Logic::kAnd>)
ACLGRAD_BOTH_FORMS(BitwiseOrTensor, bits_with_tensor, plan_bits<Logic::kOr>)
ACLGRAD_BOTH_FORMS(BitwiseOrScalar, bits_with_number, plan_bits<Logic::kOr>)
ACLGRAD_BOTH_FORMS(BitwiseXorTensor, bits_with_tensor, plan_bits<Logic::kXor>)
ACLGRAD_BOTH_FORMS(BitwiseXorScalar, bits_with_number, plan_bits<Logic::kXor>)

ACLGRAD_OUT_OF_PLACE(LeftShift, shift_by_tensor, plan_shift<left_shift>)
ACLGRAD_OUT_OF_PLACE(LeftShifts, shift_by_number, plan_shift_by_number)
ACLGRAD_OUT_OF_PLACE(RightShift, shift_by_tensor, plan_shift<right_shift>)

}  // namespace aclgrad::ops::logic_operators
