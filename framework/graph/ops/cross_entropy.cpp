// SPDX-License-Identifier: Apache-2.0
// Losses of probabilities of classes.
#include "aclgrad/ops/loss.h"

#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/normalization.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "graph/ops/loss_helpers.h"

namespace aclgrad {
namespace {

// `scores` are called so in messages; the last axis is that of the classes.
void check_target(const Recorder& record, std::string_view called, const Value& scores,
                  const Value& target) {
  const Shape& shape = scores.shape();
  record.require_shape(shape.rank() >= 1, "{} must be [..., C], got {}", called, shape);
  const Shape wanted = detail::without_last_axis(shape);
  record.require_shape(target.shape() == wanted, "{} {} need targets of shape {}, got {}{}", called,
                       shape, wanted, target.shape(),
                       target.shape().numel() == wanted.numel() ? ": reshape() them" : "");
  const DType dtype = target.dtype();
  record.require_dtype(dtype == DType::int64 || dtype == DType::int32 || dtype == DType::uint8,
                       "targets must be int64, int32 or uint8, got {}", dtype);
}

void check_weight(const Recorder& record, const Value& scores, const Value& weight) {
  record.require_shape(weight.shape() == Shape{scores.shape()[-1]},
                       "the class weights must have shape [{}], got {}", scores.shape()[-1],
                       weight.shape());
  record.require_dtype(weight.dtype() == scores.dtype(), "the class weights must be {}, got {}",
                       scores.dtype(), weight.dtype());
}

std::vector<Value> with_weight(std::vector<Value> inputs, const Value& weight) {
  if (weight.id() >= 0) inputs.push_back(weight);
  return inputs;
}

Value cross_entropy_of_probabilities(const Value& log_probabilities, const Value& target,
                                     const CrossEntropyOptions& options, DType dtype) {
  Value factor = target;
  if (options.label_smoothing != 0) {
    const auto classes = static_cast<double>(std::max<std::int64_t>(target.shape()[-1], 1));
    factor = target * (1 - options.label_smoothing) + options.label_smoothing / classes;
  }
  if (options.weight.id() >= 0) factor = mul(factor, options.weight);
  const bool may_be_zero = options.label_smoothing == 0 || options.weight.id() >= 0;
  const Value terms =
      mul(factor, may_be_zero ? detail::for_product(log_probabilities, factor) : log_probabilities);
  return detail::reduced(neg(reduce_sum(terms, {-1})), options.reduction, dtype);
}

// A smoothed target is, by its share, the class, and all classes: their mean stands at every class,
// so that nll_loss leaves out what is ignored.
Value smoothed_cross_entropy(const Value& log_probabilities, const Value& target,
                             const CrossEntropyOptions& options) {
  const Value weighted =
      options.weight.id() < 0
          ? log_probabilities
          : mul(detail::for_product(log_probabilities, options.weight), options.weight);
  const Value all = expand(mean(weighted, {-1}, /*keepdim=*/true), log_probabilities.shape());
  const std::int64_t ignored = options.ignore_index;
  const auto loss = [&](Reduction how) {
    const Value one = nll_loss(log_probabilities, target, {options.weight, ignored, how});
    const Value rest = nll_loss(all, target, {.ignore_index = ignored, .reduction = how});
    return one * (1 - options.label_smoothing) + rest * options.label_smoothing;
  };
  if (options.weight.id() < 0 || options.reduction != Reduction::mean) {
    return loss(options.reduction);
  }
  const Value minus_one = target.graph().constant(Tensor::full({}, -1, log_probabilities.dtype()));
  const Value weights = nll_loss(expand(minus_one, log_probabilities.shape()), target,
                                 {options.weight, ignored, Reduction::sum});
  return div(loss(Reduction::sum), weights);
}

}  // namespace

Value nll_loss(Operand log_probabilities, const Value& target, const NllOptions& options) {
  const RecordScope scope(log_probabilities);
  {
    const Recorder record("nll_loss", with_weight({log_probabilities, target}, options.weight),
                          log_probabilities.where);
    record.require_floating(0);
    check_target(record, "log-probabilities", log_probabilities, target);
    if (options.weight.id() >= 0) check_weight(record, log_probabilities, options.weight);
  }
  const Shape shape = log_probabilities.shape();
  // 16 bits hold neither the sum of many weights nor a gradient before it is divided by it.
  Value scores = detail::widened(log_probabilities), targets = target;
  const DType dtype = scores.dtype();
  if (shape.rank() > 2) {  // the operator takes one row of scores for each target
    const std::int64_t rows = target.shape().numel();
    scores = reshape(scores, {rows, shape[-1]});
    targets = reshape(targets, {rows});
  }
  // The operator insists on weights.
  const Value weight = options.weight.id() >= 0
                           ? detail::widened(options.weight)
                           : scores.graph().constant(Tensor::full({shape[-1]}, 1, dtype));
  Recorder record("nll_loss", {scores, targets, weight}, log_probabilities.where);
  const bool each = options.reduction == Reduction::none;
  Value losses = record
                     .add<NllLossOp>({options.reduction, options.ignore_index},
                                     {TensorSpec{each ? targets.shape() : Shape{}, dtype},
                                      TensorSpec{Shape{}, dtype}})
                     .front();
  if (each && shape.rank() > 2) losses = reshape(losses, target.shape().dims());
  return cast(losses, log_probabilities.dtype());
}

// All checks come before the first node, so that a refused call leaves none behind.
Value cross_entropy(Operand logits, const Value& target, const CrossEntropyOptions& options) {
  const RecordScope scope(logits);
  const Recorder record("cross_entropy", with_weight({logits, target}, options.weight),
                        logits.where);
  record.require_floating(0);
  record.require_value(options.label_smoothing >= 0 && options.label_smoothing <= 1,
                       "label_smoothing must be in [0, 1], got {}", options.label_smoothing);
  const bool of_probabilities =
      is_floating(target.dtype()) && target.shape() == logits.shape() && logits.shape().rank() > 0;
  if (of_probabilities) {
    record.require_same_dtype(0, 1);
    record.require_value(
        options.ignore_index == kIgnoreIndex,
        "ignore_index is a class, and the targets {} are probabilities: leave it out", target);
  } else {
    check_target(record, "logits", logits, target);
  }
  if (options.weight.id() >= 0) check_weight(record, logits, options.weight);
  CrossEntropyOptions wide = options;
  if (wide.weight.id() >= 0) wide.weight = detail::widened(wide.weight);
  const Value log_probabilities = log_softmax(detail::widened(logits), -1);
  if (of_probabilities) {
    return cross_entropy_of_probabilities(log_probabilities, detail::widened(target), wide,
                                          logits.dtype());
  }
  if (options.label_smoothing == 0) {
    return cast(
        nll_loss(log_probabilities, target, {wide.weight, options.ignore_index, options.reduction}),
        logits.dtype());
  }
  return cast(smoothed_cross_entropy(log_probabilities, target, wide), logits.dtype());
}

Value kl_div(Operand log_probabilities, const Value& target, const KlDivOptions& options) {
  const RecordScope scope(log_probabilities);
  const Recorder record("kl_div", {log_probabilities, target}, log_probabilities.where);
  record.require_floating(0);
  record.require_like(0, 1);
  const Value wide = detail::widened(target);
  const Value weights = options.log_target ? exp(wide) : wide;
  // log 1 for a target of 0, which stops its gradient.
  const Value logs = options.log_target ? detail::for_product(wide, weights)
                                        : log(masked_fill(wide, eq(wide, 0), 1));
  const Value scores = detail::for_product(detail::widened(log_probabilities), weights);
  return detail::reduced(mul(weights, sub(logs, scores)), options.reduction,
                         log_probabilities.dtype());
}

Value nll_loss_backward(Operand grad, const Value& log_probabilities, const Value& target,
                        const Value& weight, const Value& total_weight, Reduction reduction,
                        std::int64_t ignore_index) {
  Recorder record("nll_loss_backward", {grad, log_probabilities, target, weight, total_weight},
                  grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(4, 1);
  const Shape& shape = log_probabilities.shape();
  record.require_shape(shape.rank() >= 1 && shape.rank() <= 2,
                       "log-probabilities must be [N, C] or [C], got {}", shape);
  check_target(record, "log-probabilities", log_probabilities, target);
  check_weight(record, log_probabilities, weight);
  return record.add<NllLossBackwardOp>({reduction, ignore_index}, record.like(1));
}

namespace calls {

const Declaration<NllLossAttributes> nll_loss = {"nll_loss", ACLGRAD_C(aclnnNLLLoss), separate};
const Declaration<NllLossAttributes> nll_loss_backward = {
    "nll_loss_backward", ACLGRAD_C(aclnnNLLLossBackward), separate};

}  // namespace calls
}  // namespace aclgrad
