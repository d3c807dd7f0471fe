// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"

namespace aclgrad {
namespace {

Value record_binary(std::string_view name, const Value& a, const Value& b,
                    std::shared_ptr<const Op> op, std::source_location where) {
  Recorder record(name, {a, b}, where);
  Shape shape = record.broadcast(a.shape(), b.shape());
  return record.add(std::move(op), {std::move(shape), Recorder::promote(a.dtype(), b.dtype())});
}

Value record_with_number(std::string_view name, const Value& a, double number,
                         std::shared_ptr<const Op> op, std::source_location where) {
  Recorder record(name, {a}, where);
  if (a.dtype() == DType::boolean) record.value_error("no arithmetic of bool with a number");
  if (!is_floating(a.dtype()) && std::trunc(number) != number) {
    record.dtype_error(
        fmt::format("{} is {}, the number {} is not whole", a.description(), a.dtype(), number));
  }
  return record.add(std::move(op), {a.shape(), a.dtype()});
}

}  // namespace

Value add(const Value& a, const Value& b, double alpha, std::source_location where) {
  return record_binary("add", a, b, std::make_shared<AddOp>(alpha), where);
}
Value sub(const Value& a, const Value& b, double alpha, std::source_location where) {
  return record_binary("sub", a, b, std::make_shared<SubOp>(alpha), where);
}
Value mul(const Value& a, const Value& b, std::source_location where) {
  return record_binary("mul", a, b, std::make_shared<MulOp>(), where);
}
Value add(const Value& a, double number, std::source_location where) {
  return record_with_number("adds", a, number, std::make_shared<AddNumberOp>(number), where);
}
Value mul(const Value& a, double number, std::source_location where) {
  return record_with_number("muls", a, number, std::make_shared<MulNumberOp>(number), where);
}

std::string AddOp::attributes() const {
  return alpha == 1 ? std::string{} : fmt::format("alpha={}", alpha);
}
aclnnStatus AddOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnAddGetWorkspaceSize(call.input(0), call.input(1),
                                  call.scalar(alpha, call.output_spec(0).dtype), call.output(0),
                                  size, executor);
}
PhaseTwo AddOp::phase_two() const { return aclnnAdd; }

std::string SubOp::attributes() const {
  return alpha == 1 ? std::string{} : fmt::format("alpha={}", alpha);
}
aclnnStatus SubOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnSubGetWorkspaceSize(call.input(0), call.input(1),
                                  call.scalar(alpha, call.output_spec(0).dtype), call.output(0),
                                  size, executor);
}
PhaseTwo SubOp::phase_two() const { return aclnnSub; }

aclnnStatus MulOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnMulGetWorkspaceSize(call.input(0), call.input(1), call.output(0), size, executor);
}
PhaseTwo MulOp::phase_two() const { return aclnnMul; }

std::string AddNumberOp::attributes() const { return fmt::format("{}", number); }
aclnnStatus AddNumberOp::phase_one(Call& call, std::uint64_t* size,
                                   aclOpExecutor** executor) const {
  const DType dtype = call.input_spec(0).dtype;
  return aclnnAddsGetWorkspaceSize(call.input(0), call.scalar(number, dtype), call.scalar(1, dtype),
                                   call.output(0), size, executor);
}
PhaseTwo AddNumberOp::phase_two() const { return aclnnAdds; }

std::string MulNumberOp::attributes() const { return fmt::format("{}", number); }
aclnnStatus MulNumberOp::phase_one(Call& call, std::uint64_t* size,
                                   aclOpExecutor** executor) const {
  return aclnnMulsGetWorkspaceSize(call.input(0), call.scalar(number, call.input_spec(0).dtype),
                                   call.output(0), size, executor);
}
PhaseTwo MulNumberOp::phase_two() const { return aclnnMuls; }

}  // namespace aclgrad
