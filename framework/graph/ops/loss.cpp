// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/loss.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/ops/normalization.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "graph/ops/record_helpers.h"

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

namespace {

// A loss compares element by element. Broadcast, [n, 1] beside [n] would be n^2 differences, whose
// mean a model minimizes by the mean of all targets.
void require_equal_shapes(const Recorder& record, std::size_t prediction, std::size_t target) {
  const Value& a = record.input(prediction);
  const Value& b = record.input(target);
  if (a.shape() == b.shape()) return;
  record.shape_error(
      fmt::format("the prediction {} has shape {} and the target {} has shape {}, they must be the "
                  "same: reshape() one of them, or expand() it where it is to be repeated",
                  a.description(), a.shape(), b.description(), b.shape()));
}

// Losses of a prediction and a target, and their gradients.
template <class OpType>
Value record_error(Operand prediction, const Value& target,
                   typename OpType::Attributes attributes) {
  Recorder record(OpType::declaration().name, {prediction, target}, prediction.where);
  record.require_floating(0);
  record.require_same_dtype(0, 1);
  require_equal_shapes(record, 0, 1);
  Shape shape = prediction.shape();
  if (attributes.reduction != Reduction::none) shape = Shape{};
  return record.add<OpType>(attributes, {std::move(shape), prediction.dtype()});
}

template <class OpType>
Value record_error_gradient(Operand grad, const Value& prediction, const Value& target,
                            typename OpType::Attributes attributes) {
  Recorder record(OpType::declaration().name, {grad, prediction, target}, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  require_equal_shapes(record, 1, 2);
  Shape shape = record.broadcast(grad.shape(), prediction.shape());
  return record.add<OpType>(attributes, {std::move(shape), prediction.dtype()});
}

// The tensors of bce_with_logits, and what is wrong with them.
std::vector<Value> bce_inputs(std::vector<Value> inputs, const BceOptions& options) {
  for (const Value& weight : {options.weight, options.pos_weight}) {
    if (weight.id() >= 0) inputs.push_back(weight);
  }
  return inputs;
}

void check_bce(const Recorder& record, std::size_t logits, std::size_t count) {
  record.require_floating(logits);
  record.require_same_dtype(logits + 1, logits);
  require_equal_shapes(record, logits, logits + 1);
  const Shape& shape = record.input(logits).shape();
  for (std::size_t i = logits + 2; i < count; ++i) {
    record.require_same_dtype(i, logits);
    if (record.broadcast(record.input(i).shape(), shape) == shape) continue;
    record.shape_error(fmt::format("weights of shape {} do not broadcast to the targets' {}",
                                   record.input(i).shape(), shape));
  }
}

BceAttributes bce_attributes(const BceOptions& options) {
  return {options.weight.id() >= 0, options.pos_weight.id() >= 0, options.reduction};
}

}  // namespace

Value mse_loss(Operand prediction, const Value& target, Reduction reduction) {
  return record_error<MseLossOp>(prediction, target, {reduction});
}
Value mse_loss_backward(Operand grad, const Value& prediction, const Value& target,
                        Reduction reduction) {
  return record_error_gradient<MseLossBackwardOp>(grad, prediction, target, {reduction});
}

Value l1_loss(Operand prediction, const Value& target, Reduction reduction) {
  return record_error<L1LossOp>(prediction, target, {reduction});
}
Value l1_loss_backward(Operand grad, const Value& prediction, const Value& target,
                       Reduction reduction) {
  return record_error_gradient<L1LossBackwardOp>(grad, prediction, target, {reduction});
}

Value smooth_l1_loss(Operand prediction, const Value& target, Reduction reduction, double beta) {
  const Recorder record("smooth_l1_loss", {prediction, target}, prediction.where);
  if (!(beta >= 0)) record.value_error(fmt::format("beta must not be negative, got {}", beta));
  record.require_holds_as_float(prediction.dtype(), beta, "beta");
  return record_error<SmoothL1LossOp>(prediction, target, {reduction, beta});
}
Value smooth_l1_loss_backward(Operand grad, const Value& prediction, const Value& target,
                              Reduction reduction, double beta) {
  return record_error_gradient<SmoothL1LossBackwardOp>(grad, prediction, target, {reduction, beta});
}

Value bce_with_logits(Operand logits, const Value& target, const BceOptions& options) {
  const std::vector<Value> inputs = bce_inputs({logits, target}, options);
  Recorder record("bce_with_logits", inputs, logits.where);
  check_bce(record, 0, inputs.size());
  const Shape shape = options.reduction == Reduction::none ? target.shape() : Shape{};
  return record.add<BceWithLogitsOp>(bce_attributes(options), {shape, target.dtype()});
}
Value bce_with_logits_backward(Operand grad, const Value& logits, const Value& target,
                               const BceOptions& options) {
  const std::vector<Value> inputs = bce_inputs({grad, logits, target}, options);
  Recorder record("bce_with_logits_backward", inputs, grad.where);
  record.require_same_dtype(0, 1);
  check_bce(record, 1, inputs.size());
  return record.add<BceWithLogitsBackwardOp>(bce_attributes(options), record.like(1));
}

std::string BceAttributes::text() const {
  return fmt::format("reduction={}{}{}", to_string(reduction), has_weight ? ", weight" : "",
                     has_pos_weight ? ", pos_weight" : "");
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
    record.shape_error(fmt::format(
        "{} {} need targets of shape {}, got {}{}", called, shape, wanted, target.shape(),
        target.shape().numel() == wanted.numel() ? ": reshape() them" : ""));
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

Value nll_loss(Operand log_probabilities, const Value& target, const Value& weight,
               Reduction reduction, std::int64_t ignore_index) {
  Value weights = weight;
  {
    Recorder record("nll_loss", {log_probabilities, target}, log_probabilities.where);
    record.require_floating(0);
    check(record, log_probabilities, target);
    if (weight.id() < 0) {
      // The operator insists on weights.
      Graph graph = log_probabilities.graph();
      weights = graph.constant(
          Tensor::full({log_probabilities.shape()[-1]}, 1, log_probabilities.dtype()),
          log_probabilities.where);
    }
  }
  Recorder record("nll_loss", {log_probabilities, target, weights}, log_probabilities.where);
  check_weight(record, log_probabilities, weights);
  const DType dtype = log_probabilities.dtype();
  Shape shape = reduction == Reduction::none ? target.shape() : Shape{};
  return record
      .add<NllLossOp>({reduction, ignore_index},
                      {TensorSpec{std::move(shape), dtype}, TensorSpec{Shape{}, dtype}})
      .front();
}

// All checks come before the first node, so that a refused call leaves none behind.
Value cross_entropy(Operand logits, const Value& target, Reduction reduction,
                    std::int64_t ignore_index) {
  const RecordScope scope(logits);
  const Recorder record("cross_entropy", {logits, target}, logits.where);
  record.require_floating(0);
  const Shape shape = logits.shape();
  if (shape.rank() < 1) {
    record.shape_error(fmt::format("logits must be [..., C], got {}", shape));
  }
  check_target(record, "logits", logits, target);
  if (shape.rank() <= 2) {
    return nll_loss(log_softmax(logits, -1), target, {}, reduction, ignore_index);
  }
  // The operator takes one row of scores for each target.
  const std::int64_t rows = target.shape().numel();
  const Value scores = log_softmax(reshape(logits, {rows, shape[-1]}), -1);
  const Value targets = reshape(target, {rows});
  const Value losses = nll_loss(scores, targets, {}, reduction, ignore_index);
  return reduction == Reduction::none ? reshape(losses, target.shape().dims()) : losses;
}

Value nll_loss_backward(Operand grad, const Value& log_probabilities, const Value& target,
                        const Value& weight, const Value& total_weight, Reduction reduction,
                        std::int64_t ignore_index) {
  Recorder record("nll_loss_backward", {grad, log_probabilities, target, weight, total_weight},
                  grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(4, 1);
  check(record, log_probabilities, target);
  check_weight(record, log_probabilities, weight);
  return record.add<NllLossBackwardOp>({reduction, ignore_index}, record.like(1));
}

namespace calls {

namespace {

// A loss of each element may have the memory of an input.
template <class Attributes>
OutputMemory shared_unless_reduced(const Attributes& values, std::size_t, std::size_t) {
  return values.reduction == Reduction::none ? OutputMemory::may_be_shared : OutputMemory::separate;
}

// The weights that there are, from this input on; null for others.
std::pair<aclTensor*, aclTensor*> weights(const BceAttributes& values, const AclnnCall& call,
                                          std::size_t first) {
  return {values.has_weight ? call.input(first) : nullptr,
          values.has_pos_weight ? call.input(first + (values.has_weight ? 1 : 0)) : nullptr};
}

}  // namespace

const Declaration<MseLossAttributes> mse_loss = {"mse_loss", ACLGRAD_C(aclnnMseLoss),
                                                 shared_unless_reduced};
const Declaration<MseLossAttributes> mse_loss_backward = {
    "mse_loss_backward", ACLGRAD_C(aclnnMseLossBackward), elementwise};
const Declaration<MseLossAttributes> l1_loss = {"l1_loss", ACLGRAD_C(aclnnL1Loss),
                                                shared_unless_reduced};
const Declaration<MseLossAttributes> l1_loss_backward = {
    "l1_loss_backward", ACLGRAD_C(aclnnL1LossBackward), elementwise};
const Declaration<SmoothL1LossAttributes> smooth_l1_loss = {
    "smooth_l1_loss", ACLGRAD_C(aclnnSmoothL1Loss), shared_unless_reduced};
const Declaration<SmoothL1LossAttributes> smooth_l1_loss_backward = {
    "smooth_l1_loss_backward", ACLGRAD_C(aclnnSmoothL1LossBackward), elementwise};
const Declaration<BceAttributes> bce_with_logits = {
    "bce_with_logits", ACLGRAD_C(aclnnBinaryCrossEntropyWithLogits), shared_unless_reduced,
    [](const auto& values, AclnnCall& call, auto... end) {
      const auto [weight, pos_weight] = weights(values, call, 2);
      return aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
          call.input(0), call.input(1), weight, pos_weight,
          static_cast<std::int64_t>(values.reduction), call.output(0), end...);
    }};
const Declaration<BceAttributes> bce_with_logits_backward = {
    "bce_with_logits_backward", ACLGRAD_C(aclnnBinaryCrossEntropyWithLogitsBackward), elementwise,
    [](const auto& values, AclnnCall& call, auto... end) {
      const auto [weight, pos_weight] = weights(values, call, 3);
      return aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), weight, pos_weight,
          static_cast<std::int64_t>(values.reduction), call.output(0), end...);
    }};
const Declaration<NllLossAttributes> nll_loss = {"nll_loss", ACLGRAD_C(aclnnNLLLoss), separate};
const Declaration<NllLossAttributes> nll_loss_backward = {
    "nll_loss_backward", ACLGRAD_C(aclnnNLLLossBackward), separate};

}  // namespace calls
}  // namespace aclgrad
