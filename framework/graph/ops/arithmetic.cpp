// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/ops/functions.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "graph/ops/families.h"

namespace aclgrad {
namespace {

template <class OpType>
Value record_binary(const Value& a, const Value& b, typename OpType::Attributes attributes,
                    std::source_location where) {
  Recorder record(OpType::declaration().name, {a, b}, where);
  const DType dtype = Recorder::promote(a.dtype(), b.dtype());
  if constexpr (requires { attributes.alpha; }) {
    if (attributes.alpha != 1) record.require_holds(dtype, attributes.alpha, "alpha");
  }
  return record.add<OpType>(attributes, {record.broadcast(a.shape(), b.shape()), dtype});
}

// Quotients of whole numbers are no whole numbers.
DType quotient_dtype(DType dtype) { return is_floating(dtype) ? dtype : DType::float32; }

template <class OpType>
Value record_with_number(const Value& a, double number, std::source_location where) {
  Recorder record(OpType::declaration().name, {a}, where);
  if (a.dtype() == DType::boolean) record.value_error("no arithmetic of bool with a number");
  // x - 1 is x + -1, in uint8 as well, where it wraps.
  const bool wraps = a.dtype() == DType::uint8 && number < 0;
  record.require_holds(a.dtype(), wraps ? -number : number, "the number");
  return record.add<OpType>({number}, record.like(0));
}

}  // namespace

Value add(const Value& a, const Value& b, double alpha, std::source_location where) {
  return record_binary<AddOp>(a, b, {alpha}, where);
}
Value sub(const Value& a, const Value& b, double alpha, std::source_location where) {
  return record_binary<SubOp>(a, b, {alpha}, where);
}
Value mul(const Value& a, const Value& b, std::source_location where) {
  return record_binary<MulOp>(a, b, {}, where);
}
Value div(const Value& a, const Value& b, std::source_location where) {
  Recorder record("div", {a, b}, where);
  return record.add<DivOp>({}, {record.broadcast(a.shape(), b.shape()),
                                quotient_dtype(Recorder::promote(a.dtype(), b.dtype()))});
}
Value div(const Value& a, double number, std::source_location where) {
  Recorder record("divs", {a}, where);
  record.require_holds(quotient_dtype(a.dtype()), number, "the number");
  return record.add<DivNumberOp>({number}, {a.shape(), quotient_dtype(a.dtype())});
}
Value operator/(double a, Operand b) { return mul(reciprocal(b.value, b.where), a, b.where); }
Value maximum(const Value& a, const Value& b, std::source_location where) {
  return record_binary<MaximumOp>(a, b, {}, where);
}
Value minimum(const Value& a, const Value& b, std::source_location where) {
  return record_binary<MinimumOp>(a, b, {}, where);
}
Value add(const Value& a, double number, std::source_location where) {
  return record_with_number<AddNumberOp>(a, number, where);
}
Value mul(const Value& a, double number, std::source_location where) {
  return record_with_number<MulNumberOp>(a, number, where);
}

std::string AddAttributes::text() const {
  return alpha == 1 ? std::string{} : fmt::format("alpha={}", alpha);
}
std::string NumberAttributes::text() const { return fmt::format("{}", number); }

namespace calls {

ACLGRAD_CALL(add, aclnnAdd, elementwise, AddAttributes)
ACLGRAD_CALL(sub, aclnnSub, elementwise, AddAttributes)
ACLGRAD_CALL(mul, aclnnMul, elementwise)

ACLGRAD_CALL(div, aclnnDiv, elementwise)

ACLGRAD_CALL(maximum, aclnnMaximum, elementwise)

ACLGRAD_CALL(minimum, aclnnMinimum, elementwise)

ACLGRAD_CALL(divs, aclnnDivs, elementwise, NumberAttributes)

constexpr Declaration<NumberAttributes> adds("adds", "aclnnAdds", aclnnAdds, elementwise,
                                             [](const NumberAttributes& values, Call& call,
                                                auto... end) {
                                               return aclnnAddsGetWorkspaceSize(
                                                   call.input(0), call.scalar(values.number),
                                                   call.scalar(1), call.output(0), end...);
                                             });

constexpr Declaration<NumberAttributes> muls("muls", "aclnnMuls", aclnnMuls, elementwise,
                                             [](const NumberAttributes& values, Call& call,
                                                auto... end) {
                                               return aclnnMulsGetWorkspaceSize(
                                                   call.input(0), call.scalar(values.number),
                                                   call.output(0), end...);
                                             });

}  // namespace calls
}  // namespace aclgrad
