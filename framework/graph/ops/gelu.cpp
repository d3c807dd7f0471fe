// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/gelu.h"

#include <fmt/format.h>

#include "aclgrad/record.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"

namespace aclgrad {
namespace {

Value record_unary(Recorder& record, std::shared_ptr<const Op> op) {
  record.require_floating(0);
  return record.add(std::move(op), {record.input(0).shape(), record.input(0).dtype()});
}

Value record_gradient(Recorder& record, std::shared_ptr<const Op> op) {
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  return record.add(std::move(op), {record.input(1).shape(), record.input(1).dtype()});
}

}  // namespace

const char* to_string(Approximate approximate) {
  return approximate == Approximate::none ? "none" : "tanh";
}

Value gelu(const Value& x, Approximate approximate, std::source_location where) {
  if (approximate == Approximate::none) return gelu_v2(x, approximate, where);
  Recorder record("gelu", {x}, where);
  return record_unary(record, std::make_shared<GeluOp>());
}

Value gelu_backward(const Value& grad, const Value& x, Approximate approximate,
                    std::source_location where) {
  if (approximate == Approximate::none) return gelu_v2_backward(grad, x, approximate, where);
  Recorder record("gelu_backward", {grad, x}, where);
  return record_gradient(record, std::make_shared<GeluBackwardOp>());
}

Value gelu_v2(const Value& x, Approximate approximate, std::source_location where) {
  Recorder record("gelu_v2", {x}, where);
  return record_unary(record, std::make_shared<GeluV2Op>(approximate));
}

Value gelu_v2_backward(const Value& grad, const Value& x, Approximate approximate,
                       std::source_location where) {
  Recorder record("gelu_v2_backward", {grad, x}, where);
  return record_gradient(record, std::make_shared<GeluV2BackwardOp>(approximate));
}

aclnnStatus GeluOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnGeluGetWorkspaceSize(call.input(0), call.output(0), size, executor);
}
PhaseTwo GeluOp::phase_two() const { return aclnnGelu; }

aclnnStatus GeluBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                      aclOpExecutor** executor) const {
  return aclnnGeluBackwardGetWorkspaceSize(call.input(0), call.input(1), call.output(0), size,
                                           executor);
}
PhaseTwo GeluBackwardOp::phase_two() const { return aclnnGeluBackward; }

std::string GeluV2Op::attributes() const {
  return fmt::format("approximate={}", to_string(approximate));
}
aclnnStatus GeluV2Op::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnGeluV2GetWorkspaceSize(call.input(0), static_cast<std::int64_t>(approximate),
                                     call.output(0), size, executor);
}
PhaseTwo GeluV2Op::phase_two() const { return aclnnGeluV2; }

std::string GeluV2BackwardOp::attributes() const {
  return fmt::format("approximate={}", to_string(approximate));
}
aclnnStatus GeluV2BackwardOp::phase_one(Call& call, std::uint64_t* size,
                                        aclOpExecutor** executor) const {
  // The C function takes a mutable string, which it does not change.
  std::string mode = to_string(approximate);
  return aclnnGeluBackwardV2GetWorkspaceSize(call.input(0), call.input(1), mode.data(),
                                             call.output(0), size, executor);
}
PhaseTwo GeluV2BackwardOp::phase_two() const { return aclnnGeluBackwardV2; }

}  // namespace aclgrad
