// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/rounding.h"

#include <cmath>
#include <limits>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/logic.h"
#include "aclgrad/tensor.h"
#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_floor.h"
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_fmod_tensor.h"
#include "aclnnop/aclnn_frac.h"
#include "aclnnop/aclnn_gcd.h"
#include "aclnnop/aclnn_nan_to_num.h"
#include "aclnnop/aclnn_remainder.h"
#include "aclnnop/aclnn_round.h"
#include "aclnnop/aclnn_trunc.h"
#include "graph/ops/record_helpers.h"
#include "tensor/number.h"

namespace aclgrad {
namespace {

// Floating numbers and the integers that an operator knows.
DType counting_numbers(const Recorder& record, std::span<const Value> /*inputs*/, DType promoted) {
  record.require_dtype(
      is_floating(promoted) || promoted == DType::int32 || promoted == DType::int64,
      "takes floating tensors, int32 and int64, got {}", promoted);
  return promoted;
}

}  // namespace

Value floor(Operand x) { return broadcasting<FloorOp>(x, {}, detail::all_numbers); }
Value ceil(Operand x) { return broadcasting<CeilOp>(x, {}, detail::all_numbers); }
Value trunc(Operand x) { return broadcasting<TruncOp>(x, {}, detail::all_numbers); }
Value frac(Operand x) { return broadcasting<FracOp>(x, {}, detail::all_numbers); }
Value round(Operand x, std::int64_t decimals) {
  if (decimals == 0) return broadcasting<RoundOp>(x, {}, counting_numbers);
  return broadcasting<RoundDecimalsOp>(x, {}, counting_numbers, {decimals});
}

Value floor_divide(Operand a, const Value& b) {
  return broadcasting<FloorDivideOp>(a, {b}, detail::all_numbers);
}
Value floor_divide(Operand a, double number) {
  const RecordScope scope(a);
  return floor_divide(a, detail::number_beside("floor_divide", a, number));
}
Value div(Operand a, const Value& b, Rounding rounding) {
  if (rounding == Rounding::floor) return floor_divide(a, b);
  return broadcasting<TruncDivideOp>(a, {b}, detail::all_numbers);
}
Value div(Operand a, double number, Rounding rounding) {
  const RecordScope scope(a);
  return div(a, detail::number_beside("div", a, number), rounding);
}
Value remainder(Operand a, const Value& b) {
  return broadcasting<RemainderOp>(a, {b}, detail::all_numbers);
}
Value remainder(Operand a, double number) {
  const RecordScope scope(a);
  return remainder(a, detail::number_beside("remainder", a, number));
}
Value remainder(double number, Operand b) {
  const RecordScope scope(b);
  return remainder({detail::number_beside("remainder", b, number), b.where}, b);
}
Value fmod(Operand a, const Value& b) { return broadcasting<FmodOp>(a, {b}, detail::all_numbers); }
Value fmod(Operand a, double number) {
  const RecordScope scope(a);
  return fmod(a, detail::number_beside("fmod", a, number));
}
Value gcd(Operand a, const Value& b) {
  const auto result = [](const Recorder& record, std::span<const Value> inputs, DType promoted) {
    for (const Value& each : inputs) {
      record.require_dtype(each.dtype() == DType::int32 || each.dtype() == DType::int64,
                           "{} is {}, expected int32 or int64", each, each.dtype());
    }
    return promoted;
  };
  return broadcasting<GcdOp>(a, {b}, result);
}

Value nan_to_num(Operand x, NanToNumOptions options) {
  const RecordScope scope(x);
  Recorder record("nan_to_num", {x}, x.where);
  const DType dtype = x.dtype();
  if (!is_floating(dtype)) return x;
  const double largest = detail::largest_of(dtype);
  const NanToNumAttributes numbers{options.nan, options.posinf.value_or(largest),
                                   options.neginf.value_or(-largest)};
  record.require_holds(dtype, numbers.nan, "nan");
  record.require_holds(dtype, numbers.posinf, "posinf");
  record.require_holds(dtype, numbers.neginf, "neginf");
  const auto is_float = [](double number) {
    return std::isnan(number) || static_cast<double>(to_float(number)) == number;
  };
  if (dtype != DType::float64 ||
      (is_float(numbers.nan) && is_float(numbers.posinf) && is_float(numbers.neginf))) {
    return record.add<NanToNumOp>(numbers, record.like(0));
  }
  // The operator takes floats.
  const Value number = masked_fill(x, isnan(x), numbers.nan);
  const Value bounded = masked_fill(number, isposinf(x), numbers.posinf);
  return masked_fill(bounded, isneginf(x), numbers.neginf);
}

namespace calls {

const Declaration<> floor = {"floor", ACLGRAD_C(aclnnFloor), elementwise};
const Declaration<> ceil = {"ceil", ACLGRAD_C(aclnnCeil), elementwise};
const Declaration<> trunc = {"trunc", ACLGRAD_C(aclnnTrunc), elementwise};
const Declaration<> round = {"round", ACLGRAD_C(aclnnRound), elementwise};
const Declaration<RoundAttributes> round_decimals = {"round", ACLGRAD_C(aclnnRoundDecimals),
                                                     elementwise};
const Declaration<> frac = {"frac", ACLGRAD_C(aclnnFrac), elementwise};
const Declaration<> floor_divide = {"floor_divide", ACLGRAD_C(aclnnFloorDivide), elementwise};
const Declaration<> trunc_divide = {"trunc_divide", ACLGRAD_C(aclnnDivMod), elementwise,
                                    [](const auto&, AclnnCall& call, auto... end) {
                                      return aclnnDivModGetWorkspaceSize(call.input(0),
                                                                         call.input(1), /*mode=*/1,
                                                                         call.output(0), end...);
                                    }};
const Declaration<> remainder = {"remainder", ACLGRAD_C(aclnnRemainderTensorTensor), elementwise};
const Declaration<> fmod = {"fmod", ACLGRAD_C(aclnnFmodTensor), elementwise};
const Declaration<> gcd = {"gcd", ACLGRAD_C(aclnnGcd), elementwise};
const Declaration<NanToNumAttributes> nan_to_num = {"nan_to_num", ACLGRAD_C(aclnnNanToNum),
                                                    elementwise};

}  // namespace calls
}  // namespace aclgrad
