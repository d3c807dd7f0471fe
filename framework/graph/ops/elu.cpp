// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/elu.h"

#include <fmt/format.h>

#include "aclgrad/record.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"

namespace aclgrad {

Value elu(const Value& x, double alpha, double scale, double input_scale,
          BackwardFrom backward_from, std::source_location where) {
  Recorder record("elu", {x}, where);
  record.require_floating(0);
  const bool invertible = alpha >= 0 && scale > 0 && input_scale > 0;
  if (backward_from == BackwardFrom::result && !invertible) {
    record.value_error(
        fmt::format("the gradient from the result needs alpha >= 0, scale > 0 and input_scale > 0, "
                    "got alpha={}, scale={}, input_scale={}",
                    alpha, scale, input_scale));
  }
  return record.add(std::make_shared<EluOp>(alpha, scale, input_scale, backward_from),
                    {x.shape(), x.dtype()});
}

Value elu_backward(const Value& grad, const Value& input_or_result, double alpha, double scale,
                   double input_scale, BackwardFrom backward_from, std::source_location where) {
  Recorder record("elu_backward", {grad, input_or_result}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  return record.add(std::make_shared<EluBackwardOp>(alpha, scale, input_scale, backward_from),
                    {grad.shape(), grad.dtype()});
}

std::string EluOp::attributes() const {
  return fmt::format("alpha={}, scale={}, input_scale={}", alpha, scale, input_scale);
}
aclnnStatus EluOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  const DType dtype = call.input_spec(0).dtype;
  return aclnnEluGetWorkspaceSize(call.input(0), call.scalar(alpha, dtype),
                                  call.scalar(scale, dtype), call.scalar(input_scale, dtype),
                                  call.output(0), size, executor);
}
PhaseTwo EluOp::phase_two() const { return aclnnElu; }

std::string EluBackwardOp::attributes() const {
  return fmt::format("alpha={}, scale={}, input_scale={}, is_result={}", alpha, scale, input_scale,
                     backward_from == BackwardFrom::result);
}
aclnnStatus EluBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                     aclOpExecutor** executor) const {
  const DType dtype = call.input_spec(0).dtype;
  return aclnnEluBackwardGetWorkspaceSize(
      call.input(0), call.scalar(alpha, dtype), call.scalar(scale, dtype),
      call.scalar(input_scale, dtype), backward_from == BackwardFrom::result, call.input(1),
      call.output(0), size, executor);
}
PhaseTwo EluBackwardOp::phase_two() const { return aclnnEluBackward; }

}  // namespace aclgrad
