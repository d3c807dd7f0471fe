// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/hardswish.h"

#include "aclgrad/record.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"

namespace aclgrad {

Value hardswish(const Value& x, HardswishGradient gradient, std::source_location where) {
  Recorder record("hardswish", {x}, where);
  record.require_floating(0);
  return record.add(std::make_shared<HardswishOp>(gradient), {x.shape(), x.dtype()});
}

Value hardswish_backward(const Value& grad, const Value& x, HardswishGradient gradient,
                         std::source_location where) {
  Recorder record("hardswish_backward", {grad, x}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  return record.add(std::make_shared<HardswishBackwardOp>(gradient), {x.shape(), x.dtype()});
}

aclnnStatus HardswishOp::phase_one(Call& call, std::uint64_t* size,
                                   aclOpExecutor** executor) const {
  return aclnnHardswishGetWorkspaceSize(call.input(0), call.output(0), size, executor);
}
PhaseTwo HardswishOp::phase_two() const { return aclnnHardswish; }

std::string_view HardswishBackwardOp::call_name() const {
  return gradient == HardswishGradient::v1 ? "aclnnHardswishBackward" : "aclnnHardswishBackwardV2";
}
aclnnStatus HardswishBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                           aclOpExecutor** executor) const {
  const auto plan = gradient == HardswishGradient::v1 ? aclnnHardswishBackwardGetWorkspaceSize
                                                      : aclnnHardswishBackwardV2GetWorkspaceSize;
  return plan(call.input(0), call.input(1), call.output(0), size, executor);
}
PhaseTwo HardswishBackwardOp::phase_two() const {
  return gradient == HardswishGradient::v1 ? aclnnHardswishBackward : aclnnHardswishBackwardV2;
}

}  // namespace aclgrad
