// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/losses.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/ops/normalization.h"
#include "aclgrad/ops/views.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"

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
  return record.add<MseLossOp>({reduction}, {std::move(shape), prediction.dtype()});
}

Value mse_loss_backward(const Value& grad, const Value& prediction, const Value& target,
                        Reduction reduction, std::source_location where) {
  Recorder record("mse_loss_backward", {grad, prediction, target}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  Shape shape =
      record.broadcast(record.broadcast(grad.shape(), prediction.shape()), target.shape());
  return record.add<MseLossBackwardOp>({reduction}, {std::move(shape), prediction.dtype()});
}

namespace {

Shape without_last_axis(const Shape& shape) {
  return Shape(std::vector<std::int64_t>(shape.dims().begin(), shape.dims().end() - 1));
}

// `scores` are called so in messages; the last axis is that of the classes.
void check_target(const Recorder& record, std::string_view called, const Value& scores,
                  const Value& target) {
  const Shape& shape = scores.shape();
  const Shape wanted = without_last_axis(shape);
  if (target.shape() != wanted) {
    record.shape_error(fmt::format("{} {} need targets of shape {}, got {}", called, shape, wanted,
                                   target.shape()));
  }
  const DType dtype = target.dtype();
  if (dtype != DType::int64 && dtype != DType::int32 && dtype != DType::uint8) {
    record.dtype_error(fmt::format("targets must be int64, int32 or uint8, got {}", dtype));
  }
}

void check(const Recorder& record, const Value& scores, const Value& target) {
  const Shape& shape = scores.shape();
  if (shape.rank() < 1 || shape.rank() > 2) {
    record.shape_error(fmt::format("log-probabilities must be [N, C] or [C], got {}", shape));
  }
  check_target(record, "log-probabilities", scores, target);
}

void check_weight(const Recorder& record, const Value& scores, const Value& weight) {
  if (weight.shape() != Shape{scores.shape()[-1]}) {
    record.shape_error(fmt::format("the class weights must have shape [{}], got {}",
                                   scores.shape()[-1], weight.shape()));
  }
  if (weight.dtype() != scores.dtype()) {
    record.dtype_error(
        fmt::format("the class weights must be {}, got {}", scores.dtype(), weight.dtype()));
  }
}

}  // namespace

Value nll_loss(const Value& log_probabilities, const Value& target, const Value& weight,
               Reduction reduction, std::int64_t ignore_index, std::source_location where) {
  Value weights = weight;
  {
    Recorder record("nll_loss", {log_probabilities, target}, where);
    record.require_floating(0);
    check(record, log_probabilities, target);
    if (weight.id() < 0) {
      // The operator insists on weights.
      Graph graph = log_probabilities.graph();
      weights = graph.constant(
          Tensor::full({log_probabilities.shape()[-1]}, 1, log_probabilities.dtype()), where);
    }
  }
  Recorder record("nll_loss", {log_probabilities, target, weights}, where);
  check_weight(record, log_probabilities, weights);
  const DType dtype = log_probabilities.dtype();
  Shape shape = reduction == Reduction::none ? target.shape() : Shape{};
  return record
      .add<NllLossOp>({reduction, ignore_index},
                      {TensorSpec{std::move(shape), dtype}, TensorSpec{Shape{}, dtype}})
      .front();
}

// All checks come before the first node, so that a refused call leaves none behind.
Value cross_entropy(const Value& logits, const Value& target, Reduction reduction,
                    std::int64_t ignore_index, std::source_location where) {
  const Recorder record("cross_entropy", {logits, target}, where);
  record.require_floating(0);
  const Shape shape = logits.shape();
  if (shape.rank() < 1) {
    record.shape_error(fmt::format("logits must be [..., C], got {}", shape));
  }
  check_target(record, "logits", logits, target);
  if (shape.rank() <= 2) {
    return nll_loss(log_softmax(logits, -1, where), target, {}, reduction, ignore_index, where);
  }
  // The operator takes one row of scores for each target.
  const std::int64_t rows = target.shape().numel();
  const Value scores = log_softmax(reshape(logits, {rows, shape[-1]}, where), -1, where);
  const Value targets = reshape(target, {rows}, where);
  const Value losses = nll_loss(scores, targets, {}, reduction, ignore_index, where);
  return reduction == Reduction::none ? reshape(losses, target.shape().dims(), where) : losses;
}

Value nll_loss_backward(const Value& grad, const Value& log_probabilities, const Value& target,
                        const Value& weight, const Value& total_weight, Reduction reduction,
                        std::int64_t ignore_index, std::source_location where) {
  Recorder record("nll_loss_backward", {grad, log_probabilities, target, weight, total_weight},
                  where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(4, 1);
  check(record, log_probabilities, target);
  check_weight(record, log_probabilities, weight);
  return record.add<NllLossBackwardOp>({reduction, ignore_index}, record.like(1));
}

namespace calls {

constexpr Declaration<MseLossAttributes> mse_loss(
    "mse_loss", "aclnnMseLoss", aclnnMseLoss,
    [](const MseLossAttributes& values, std::size_t, std::size_t) {
      return values.reduction == Reduction::none ? OutputMemory::may_be_shared
                                                 : OutputMemory::separate;
    },
    in_order<aclnnMseLossGetWorkspaceSize>);

constexpr Declaration<MseLossAttributes> mse_loss_backward(
    "mse_loss_backward", "aclnnMseLossBackward", aclnnMseLossBackward, elementwise,
    in_order<aclnnMseLossBackwardGetWorkspaceSize>);
constexpr Declaration<NllLossAttributes> nll_loss("nll_loss", "aclnnNLLLoss", aclnnNLLLoss,
                                                  separate, in_order<aclnnNLLLossGetWorkspaceSize>);
constexpr Declaration<NllLossAttributes> nll_loss_backward(
    "nll_loss_backward", "aclnnNLLLossBackward", aclnnNLLLossBackward, separate,
    in_order<aclnnNLLLossBackwardGetWorkspaceSize>);

}  // namespace calls
}  // namespace aclgrad
