// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/losses.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"

namespace aclgrad {

const char* to_string(Reduction reduction) {
  switch (reduction) {
    case Reduction::none:
      return "none";
    case Reduction::mean:
      return "mean";
    case Reduction::sum:
      return "sum";
  }
  return "unknown";
}

Value mse_loss(const Value& prediction, const Value& target, Reduction reduction,
               std::source_location where) {
  Recorder record("mse_loss", {prediction, target}, where);
  record.require_floating(0);
  record.require_same_dtype(0, 1);
  Shape shape = record.broadcast(prediction.shape(), target.shape());
  if (reduction != Reduction::none) shape = Shape{};
  return record.add(std::make_shared<MseLossOp>(reduction), {std::move(shape), prediction.dtype()});
}

Value mse_loss_backward(const Value& grad, const Value& prediction, const Value& target,
                        Reduction reduction, std::source_location where) {
  Recorder record("mse_loss_backward", {grad, prediction, target}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  Shape shape =
      record.broadcast(record.broadcast(grad.shape(), prediction.shape()), target.shape());
  return record.add(std::make_shared<MseLossBackwardOp>(reduction),
                    {std::move(shape), prediction.dtype()});
}

Value log_softmax(const Value& x, std::int64_t dim, std::source_location where) {
  Recorder record("log_softmax", {x}, where);
  record.require_floating(0);
  record.axis(dim, x.shape().rank());
  return record.add(std::make_shared<LogSoftmaxOp>(dim), {x.shape(), x.dtype()});
}

Value log_softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
                           std::source_location where) {
  Recorder record("log_softmax_backward", {grad, result}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  record.axis(dim, result.shape().rank());
  return record.add(std::make_shared<LogSoftmaxBackwardOp>(dim), {result.shape(), result.dtype()});
}

std::string MseLossOp::attributes() const {
  return fmt::format("reduction={}", to_string(reduction));
}
aclnnStatus MseLossOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnMseLossGetWorkspaceSize(call.input(0), call.input(1),
                                      static_cast<std::int64_t>(reduction), call.output(0), size,
                                      executor);
}
PhaseTwo MseLossOp::phase_two() const { return aclnnMseLoss; }

std::string MseLossBackwardOp::attributes() const {
  return fmt::format("reduction={}", to_string(reduction));
}
aclnnStatus MseLossBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                         aclOpExecutor** executor) const {
  return aclnnMseLossBackwardGetWorkspaceSize(call.input(0), call.input(1), call.input(2),
                                              static_cast<std::int64_t>(reduction), call.output(0),
                                              size, executor);
}
PhaseTwo MseLossBackwardOp::phase_two() const { return aclnnMseLossBackward; }

std::string LogSoftmaxOp::attributes() const { return fmt::format("dim={}", dim); }
aclnnStatus LogSoftmaxOp::phase_one(Call& call, std::uint64_t* size,
                                    aclOpExecutor** executor) const {
  return aclnnLogSoftmaxGetWorkspaceSize(call.input(0), dim, call.output(0), size, executor);
}
PhaseTwo LogSoftmaxOp::phase_two() const { return aclnnLogSoftmax; }

std::string LogSoftmaxBackwardOp::attributes() const { return fmt::format("dim={}", dim); }
aclnnStatus LogSoftmaxBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                            aclOpExecutor** executor) const {
  return aclnnLogSoftmaxBackwardGetWorkspaceSize(call.input(0), call.input(1), dim, call.output(0),
                                                 size, executor);
}
PhaseTwo LogSoftmaxBackwardOp::phase_two() const { return aclnnLogSoftmaxBackward; }

}  // namespace aclgrad
