// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/loss.h"

#include <cmath>
#include <limits>

#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"
#include "graph/ops/loss_helpers.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
const char* to_string(Reduction reduction) {
  constexpr const char* kNames[] = {"none", "mean", "sum"};
  return kNames[static_cast<std::size_t>(reduction)];
}

namespace {

// A loss compares element by element. Broadcast, [n, 1] beside [n] would be n^2 differences, whose
// mean a model minimizes by the mean of all targets.
void require_equal_shapes(const Recorder& record, std::size_t prediction, std::size_t target) {
  const Value& a = record.input(prediction);
  const Value& b = record.input(target);
  record.require_shape(
      a.shape() == b.shape(),
      "the prediction {} has shape {} and the target {} has shape {}, they must be the same: "
      "reshape() one of them, or expand() it where it is to be repeated",
      a, a.shape(), b, b.shape());
}

// Losses of a prediction and a target, and their gradients.
template <class OpType>
Value record_error(Operand prediction, const Value& target,
                   typename OpType::Attributes attributes) {
  Recorder record(OpType::declaration().name, {prediction, target}, prediction.where);
  record.require_floating(0);
  record.require_same_dtype(0, 1);
  require_equal_shapes(record, 0, 1);
  const Shape shape = attributes.reduction == Reduction::none ? prediction.shape() : Shape{};
  return record.add<OpType>(attributes, {shape, prediction.dtype()});
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
    record.require_shape(record.broadcast(record.input(i).shape(), shape) == shape,
                         "weights of shape {} do not broadcast to the targets' {}",
                         record.input(i).shape(), shape);
  }
}

// Scores and target with 0 in the places of weight 0: they are as good as absent, whatever they
// are.
std::pair<Value, Value> where_they_weigh(const Value& scores, const Value& target,
                                         const Value& weight) {
  if (weight.id() < 0) return {scores, target};
  const Value absent = eq(weight, 0);
  const Value kept = masked_fill(scores, absent, 0);
  return {kept, masked_fill(target, absent, 0)};
}

BceAttributes bce_attributes(const BceOptions& options) {
  return {options.weight.id() >= 0, options.pos_weight.id() >= 0, options.reduction};
}

// Losses of scores, or of probabilities, and their gradients.
template <class OpType>
Value record_bce(Operand scores, const Value& target, const BceOptions& options) {
  const RecordScope scope(scores);
  const std::string_view name = OpType::declaration().name;
  const std::vector<Value> given = bce_inputs({scores, target}, options);
  check_bce(Recorder(name, given, scores.where), 0, given.size());
  const auto [x, t] = where_they_weigh(scores, target, options.weight);
  Recorder record(name, bce_inputs({x, t}, options), scores.where);
  const Shape shape = options.reduction == Reduction::none ? target.shape() : Shape{};
  return record.add<OpType>(bce_attributes(options), {shape, target.dtype()});
}

template <class OpType>
Value record_bce_gradient(Operand grad, const Value& scores, const Value& target,
                          const BceOptions& options) {
  const std::vector<Value> inputs = bce_inputs({grad, scores, target}, options);
  Recorder record(OpType::declaration().name, inputs, grad.where);
  record.require_same_dtype(0, 1);
  check_bce(record, 1, inputs.size());
  return record.add<OpType>(bce_attributes(options), record.like(1));
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

Value smooth_l1_loss(Operand prediction, const Value& target, const SmoothL1Options& options) {
  const Recorder record("smooth_l1_loss", {prediction, target}, prediction.where);
  record.require_value(options.beta >= 0, "beta must not be negative, got {}", options.beta);
  record.require_holds_as_float(prediction.dtype(), options.beta, "beta");
  return record_error<SmoothL1LossOp>(prediction, target, {options.reduction, options.beta});
}
Value smooth_l1_loss_backward(Operand grad, const Value& prediction, const Value& target,
                              Reduction reduction, double beta) {
  return record_error_gradient<SmoothL1LossBackwardOp>(grad, prediction, target, {reduction, beta});
}

Value soft_margin_loss(Operand scores, const Value& target, Reduction reduction) {
  return record_error<SoftMarginLossOp>(scores, target, {reduction});
}
Value soft_margin_loss_backward(Operand grad, const Value& scores, const Value& target,
                                Reduction reduction) {
  return record_error_gradient<SoftMarginLossBackwardOp>(grad, scores, target, {reduction});
}

Value bce_with_logits(Operand logits, const Value& target, const BceOptions& options) {
  return record_bce<BceWithLogitsOp>(logits, target, options);
}
Value bce_with_logits_backward(Operand grad, const Value& logits, const Value& target,
                               const BceOptions& options) {
  return record_bce_gradient<BceWithLogitsBackwardOp>(grad, logits, target, options);
}

Value binary_cross_entropy(Operand probabilities, const Value& target,
                           const BinaryCrossEntropyOptions& options) {
  return record_bce<BinaryCrossEntropyOp>(
      probabilities, target, {.weight = options.weight, .reduction = options.reduction});
}
Value binary_cross_entropy_backward(Operand grad, const Value& probabilities, const Value& target,
                                    const BinaryCrossEntropyOptions& options) {
  return record_bce_gradient<BinaryCrossEntropyBackwardOp>(
      grad, probabilities, target, {.weight = options.weight, .reduction = options.reduction});
}

std::string BceAttributes::text() const {
  return fmt::format("reduction={}{}{}", to_string(reduction), has_weight ? ", weight" : "",
                     has_pos_weight ? ", pos_weight" : "");
}

namespace {

// Rows of one shape and floating dtype, to be compared along the last axis.
void check_rows(const Recorder& record, std::size_t count) {
  record.require_floating(0);
  for (std::size_t i = 1; i < count; ++i) {
    record.require_like(0, i);
  }
  record.require_shape(record.input(0).shape().rank() != 0,
                       "vectors are compared along the last axis, got numbers of rank 0");
}

void check_number(const Recorder& record, std::string_view what, double number, double above) {
  record.require_value(std::isfinite(number) && number > above, "{} must be {}finite, got {}", what,
                       std::isfinite(above) ? "above 0 and " : "", number);
}
constexpr double kAny = -std::numeric_limits<double>::infinity();

}  // namespace

Value huber_loss(Operand prediction, const Value& target, const HuberOptions& options) {
  const RecordScope scope(prediction);
  const Recorder record("huber_loss", {prediction, target}, prediction.where);
  check_number(record, "delta", options.delta, 0);
  record.require_holds_as_float(prediction.dtype(), options.delta, "delta");
  const Value scaled = smooth_l1_loss(detail::widened(prediction), detail::widened(target),
                                      {.beta = options.delta, .reduction = options.reduction});
  return cast(options.delta == 1 ? scaled : mul(scaled, options.delta), prediction.dtype());
}

Value cosine_embedding_loss(Operand a, const Value& b, const Value& target,
                            const CosineEmbeddingOptions& options) {
  const RecordScope scope(a);
  const Recorder record("cosine_embedding_loss", {a, b, target}, a.where);
  check_rows(record, 2);
  check_number(record, "margin", options.margin, kAny);
  const Shape wanted = detail::without_last_axis(a.shape());
  record.require_shape(target.shape() == wanted, "vectors {} need targets of shape {}, got {}",
                       a.shape(), wanted, target.shape());
  record.require_dtype(target.dtype() != DType::boolean && target.dtype() != DType::uint8,
                       "targets are 1 and -1, which {} has not", target.dtype());
  constexpr double kEps = 1e-12;
  // A pair that is neither is as good as absent.
  const Value alike = eq(target, 1), apart = eq(target, -1);
  Dims one_per_row = wanted.dims();
  one_per_row.push_back(1);
  const Value absent = reshape(minimum(ne(target, 1), ne(target, -1)), one_per_row);
  const Value x = masked_fill(detail::widened(a), absent, 0);
  const Value y = masked_fill(detail::widened(b), absent, 0);
  const auto inverse_norm = [&](const Value& of) {
    return rsqrt(reduce_sum(mul(of, of), {-1}) + kEps);
  };
  const Value cosine = reduce_sum(mul(x, y), {-1}) * inverse_norm(x) * inverse_norm(y);
  const Value over = mul(relu(cosine - options.margin), cast(apart, x.dtype()));
  return detail::reduced(where(alike, 1 - cosine, over), options.reduction, a.dtype());
}

Value triplet_margin_loss(Operand anchor, const Value& positive, const Value& negative,
                          const TripletMarginOptions& options) {
  const RecordScope scope(anchor);
  const Recorder record("triplet_margin_loss", {anchor, positive, negative}, anchor.where);
  check_rows(record, 3);
  check_number(record, "margin", options.margin, 0);
  record.require_value(options.p > 0, "p must be above 0, got {}", options.p);
  detail::require_epsilon(record, options.eps);
  const auto distance = [&](const Value& from, const Value& to) {
    return norm(sub(from, to) + options.eps, {-1}, {.p = options.p});
  };
  const Value a = detail::widened(anchor), p = detail::widened(positive),
              n = detail::widened(negative);
  const Value near = distance(a, p);
  Value far = distance(a, n);
  if (options.swap) far = minimum(far, distance(p, n));
  return detail::reduced(relu(sub(near, far) + options.margin), options.reduction, anchor.dtype());
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
const Declaration<MseLossAttributes> soft_margin_loss = {
    "soft_margin_loss", ACLGRAD_C(aclnnSoftMarginLoss), shared_unless_reduced};
const Declaration<MseLossAttributes> soft_margin_loss_backward = {
    "soft_margin_loss_backward", ACLGRAD_C(aclnnSoftMarginLossBackward), elementwise};
const Declaration<BceAttributes> binary_cross_entropy = {
    "binary_cross_entropy", ACLGRAD_C(aclnnBinaryCrossEntropy), shared_unless_reduced,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnBinaryCrossEntropyGetWorkspaceSize(
          call.input(0), call.input(1), weights(values, call, 2).first,
          static_cast<std::int64_t>(values.reduction), call.output(0), end...);
    }};
const Declaration<BceAttributes> binary_cross_entropy_backward = {
    "binary_cross_entropy_backward", ACLGRAD_C(aclnnBinaryCrossEntropyBackward), elementwise,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnBinaryCrossEntropyBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), weights(values, call, 3).first,
          static_cast<std::int64_t>(values.reduction), call.output(0), end...);
    }};
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

}  // namespace calls
}  // namespace aclgrad
