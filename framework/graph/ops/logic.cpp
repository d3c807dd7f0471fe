// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/logic.h"

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/tensor.h"
#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_not.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"
#include "aclnnop/aclnn_is_inf.h"
#include "aclnnop/aclnn_isclose.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_isneginf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_left_shift.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_logical_xor.h"
#include "aclnnop/aclnn_right_shift.h"
#include "aclnnop/aclnn_signbit.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

DType truth(const Recorder& /*record*/, std::span<const Value> /*inputs*/, DType /*promoted*/) {
  return DType::boolean;
}
DType bits(const Recorder& record, std::span<const Value> /*inputs*/, DType promoted) {
  record.require_dtype(!is_floating(promoted), "takes integers and bool, got {}", promoted);
  return promoted;
}
DType shifted_bits(const Recorder& record, std::span<const Value> inputs, DType promoted) {
  for (const Value& each : inputs) {
    record.require_dtype(!is_floating(each.dtype()) && each.dtype() != DType::boolean,
                         "{} is {}, expected integers", each, each.dtype());
  }
  return promoted;
}

// A number with all its bits; doubles have 53 of them.
Value bits_beside(std::string_view op, Operand x, std::int64_t number) {
  const Recorder record(op, {x}, x.where);
  bits(record, {}, x.dtype());
  if (x.dtype() != DType::int64) {
    record.require_holds(x.dtype(), static_cast<double>(number), "the number");
  }
  const Tensor tensor = Tensor::from({}, std::span(&number, 1));
  return x.graph().constant(tensor.to(x.dtype()), x.where);
}

template <class OpType>
Value truth_of(Operand x) {
  return broadcasting<OpType>(x, {}, truth);
}
template <class OpType>
Value truth_of(Operand a, const Value& b) {
  return broadcasting<OpType>(a, {b}, truth);
}

}  // namespace

Value logical_not(Operand x) { return truth_of<LogicalNotOp>(x); }
Value logical_and(Operand a, const Value& b) { return truth_of<LogicalAndOp>(a, b); }
Value logical_or(Operand a, const Value& b) { return truth_of<LogicalOrOp>(a, b); }
Value logical_xor(Operand a, const Value& b) { return truth_of<LogicalXorOp>(a, b); }

Value bitwise_not(Operand x) { return broadcasting<BitwiseNotOp>(x, {}, bits); }
Value bitwise_and(Operand a, const Value& b) { return broadcasting<BitwiseAndOp>(a, {b}, bits); }
Value bitwise_or(Operand a, const Value& b) { return broadcasting<BitwiseOrOp>(a, {b}, bits); }
Value bitwise_xor(Operand a, const Value& b) { return broadcasting<BitwiseXorOp>(a, {b}, bits); }
Value bitwise_and(Operand a, std::int64_t number) {
  const RecordScope scope(a);
  return bitwise_and(a, bits_beside("bitwise_and", a, number));
}
Value bitwise_or(Operand a, std::int64_t number) {
  const RecordScope scope(a);
  return bitwise_or(a, bits_beside("bitwise_or", a, number));
}
Value bitwise_xor(Operand a, std::int64_t number) {
  const RecordScope scope(a);
  return bitwise_xor(a, bits_beside("bitwise_xor", a, number));
}

Value bitwise_left_shift(Operand a, const Value& b) {
  return broadcasting<LeftShiftOp>(a, {b}, shifted_bits);
}
Value bitwise_left_shift(Operand a, std::int64_t number) {
  const RecordScope scope(a);
  return bitwise_left_shift(a, bits_beside("bitwise_left_shift", a, number));
}
Value bitwise_right_shift(Operand a, const Value& b) {
  return broadcasting<RightShiftOp>(a, {b}, shifted_bits);
}
Value bitwise_right_shift(Operand a, std::int64_t number) {
  const RecordScope scope(a);
  return bitwise_right_shift(a, bits_beside("bitwise_right_shift", a, number));
}

Value isnan(Operand x) { return ne(x, x); }
Value isfinite(Operand x) { return truth_of<IsFiniteOp>(x); }
Value isinf(Operand x) { return truth_of<IsInfOp>(x); }
Value isposinf(Operand x) { return truth_of<IsPosInfOp>(x); }
Value isneginf(Operand x) { return truth_of<IsNegInfOp>(x); }
Value signbit(Operand x) { return truth_of<SignbitOp>(x); }
Value isclose(Operand a, const Value& b, IsCloseOptions options) {
  const auto result = [&](const Recorder& record, std::span<const Value>, DType) {
    record.require_value(options.rtol >= 0 && options.atol >= 0,
                         "rtol and atol must be at least 0, got {} and {}", options.rtol,
                         options.atol);
    return DType::boolean;
  };
  return broadcasting<IsCloseOp>(a, {b}, result, {options});
}

namespace calls {

const Declaration<> logical_not = {"logical_not", ACLGRAD_C(aclnnLogicalNot), elementwise};
const Declaration<> logical_and = {"logical_and", ACLGRAD_C(aclnnLogicalAnd), elementwise};
const Declaration<> logical_or = {"logical_or", ACLGRAD_C(aclnnLogicalOr), elementwise};
const Declaration<> logical_xor = {"logical_xor", ACLGRAD_C(aclnnLogicalXor), elementwise};
const Declaration<> bitwise_not = {"bitwise_not", ACLGRAD_C(aclnnBitwiseNot), elementwise};
const Declaration<> bitwise_and = {"bitwise_and", ACLGRAD_C(aclnnBitwiseAndTensor), elementwise};
const Declaration<> bitwise_or = {"bitwise_or", ACLGRAD_C(aclnnBitwiseOrTensor), elementwise};
const Declaration<> bitwise_xor = {"bitwise_xor", ACLGRAD_C(aclnnBitwiseXorTensor), elementwise};
const Declaration<> left_shift = {"left_shift", ACLGRAD_C(aclnnLeftShift), elementwise};
const Declaration<> right_shift = {"right_shift", ACLGRAD_C(aclnnRightShift), elementwise};
const Declaration<> isfinite = {"isfinite", ACLGRAD_C(aclnnIsFinite), elementwise};
const Declaration<> isinf = {"isinf", ACLGRAD_C(aclnnIsInf), elementwise};
const Declaration<> isposinf = {"isposinf", ACLGRAD_C(aclnnIsPosInf), elementwise};
const Declaration<> isneginf = {"isneginf", ACLGRAD_C(aclnnIsNegInf), elementwise};
const Declaration<> signbit = {"signbit", ACLGRAD_C(aclnnSignbit), elementwise};
const Declaration<IsCloseAttributes> isclose = {"isclose", ACLGRAD_C(aclnnIsClose), elementwise};

}  // namespace calls
}  // namespace aclgrad
