// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/selu.h"

#include "aclgrad/record.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"

namespace aclgrad {

Value selu(const Value& x, std::source_location where) {
  Recorder record("selu", {x}, where);
  record.require_floating(0);
  return record.add(std::make_shared<SeluOp>(), {x.shape(), x.dtype()});
}

Value selu_backward(const Value& grad, const Value& result, std::source_location where) {
  Recorder record("selu_backward", {grad, result}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  return record.add(std::make_shared<SeluBackwardOp>(), {result.shape(), result.dtype()});
}

aclnnStatus SeluOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnSeluGetWorkspaceSize(call.input(0), call.output(0), size, executor);
}
PhaseTwo SeluOp::phase_two() const { return aclnnSelu; }

aclnnStatus SeluBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                      aclOpExecutor** executor) const {
  return aclnnSeluBackwardGetWorkspaceSize(call.input(0), call.input(1), call.output(0), size,
                                           executor);
}
PhaseTwo SeluBackwardOp::phase_two() const { return aclnnSeluBackward; }

}  // namespace aclgrad
