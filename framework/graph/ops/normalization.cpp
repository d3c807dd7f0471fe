// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/normalization.h"

#include <algorithm>
#include <cmath>

#include "aclgrad/ops/random.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/tensor.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_deep_norm.h"
#include "aclnnop/aclnn_deep_norm_grad.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "graph/ops/channel_checks.h"
#include "graph/ops/record_helpers.h"
#include "tensor/at_least_float.h"

namespace aclgrad {
namespace {

// A row of x has the shape of the weight.
void check_rows(const Recorder& record, const Value& x, const Value& weight) {
  const auto all = x.shape().dims();
  const auto row = weight.shape().dims();
  record.require_shape(
      !row.empty() && row.size() <= all.size() &&
          std::equal(row.begin(), row.end(), all.end() - static_cast<std::ptrdiff_t>(row.size())),
      "the weight's shape {} must be the last dimensions of {}", weight.shape(), x.shape());
  record.require_dtype(weight.dtype() == x.dtype() || weight.dtype() == DType::float32,
                       "the weight must be {} or float32, got {}", x.dtype(), weight.dtype());
}

// A number for each row, in float32 also for 16-bit rows.
TensorSpec number_per_row(const Value& x, const Value& weight) {
  std::vector<std::int64_t> numbers = x.shape().dims();
  std::fill(numbers.end() - static_cast<std::ptrdiff_t>(weight.shape().rank()), numbers.end(), 1);
  return {Shape(numbers), detail::at_least_float(x.dtype())};
}

void check_dim(const Recorder& record, const Value& x, const DimAttributes& along) {
  record.axis(along.dim, x.shape().rank());
}

}  // namespace

Value softmax(Operand x, std::int64_t dim) { return unary<SoftmaxOp>(x, {dim}, check_dim); }
Value softmax_backward(Operand grad, const Value& result, std::int64_t dim) {
  return gradient<SoftmaxBackwardOp>(grad, result, {dim}, check_dim);
}
Value log_softmax(Operand x, std::int64_t dim) { return unary<LogSoftmaxOp>(x, {dim}, check_dim); }
Value log_softmax_backward(Operand grad, const Value& result, std::int64_t dim) {
  return gradient<LogSoftmaxBackwardOp>(grad, result, {dim}, check_dim);
}

Value layer_norm(Operand x, const Value& weight, const Value& bias, double eps) {
  Recorder record("layer_norm", {x, weight, bias}, x.where);
  record.require_floating(0);
  record.require_like(2, 1);
  check_rows(record, x, weight);
  detail::require_epsilon(record, eps);
  const TensorSpec number = number_per_row(x, weight);
  return record.add<LayerNormOp>({eps}, {record.like(0), number, number}).front();
}

std::array<Value, 3> layer_norm_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& rstd, const Value& weight,
                                         std::array<bool, 3> wanted) {
  Recorder record("layer_norm_backward", {grad, x, mean, rstd, weight}, grad.where);
  record.require_floating(1);
  record.require_like(0, 1);
  record.require_same_shape(3, 2);
  check_rows(record, x, weight);
  return detail::record_wanted<LayerNormBackwardOp>(
      record, {wanted}, wanted, {record.like(1), record.like(4), record.like(4)});
}

Value rms_norm(Operand x, const Value& gamma, double eps) {
  Recorder record("rms_norm", {x, gamma}, x.where);
  record.require_floating(0);
  check_rows(record, x, gamma);
  detail::require_epsilon(record, eps);
  return record.add<RmsNormOp>({eps}, {record.like(0), number_per_row(x, gamma)}).front();
}

std::array<Value, 2> rms_norm_backward(Operand grad, const Value& x, const Value& rstd,
                                       const Value& gamma) {
  Recorder record("rms_norm_backward", {grad, x, rstd, gamma}, grad.where);
  record.require_floating(1);
  record.require_like(0, 1);
  check_rows(record, x, gamma);
  const TensorSpec number = number_per_row(x, gamma);
  record.require_shape(rstd.shape() == number.shape && rstd.dtype() == number.dtype,
                       "rstd must be {} of shape {}, got {} of {}", number.dtype, number.shape,
                       rstd.dtype(), rstd.shape());
  const auto gradients = record.add<RmsNormBackwardOp>(
      {}, {record.like(1), {gamma.shape(), detail::at_least_float(x.dtype())}});
  return {gradients[0], gradients[1]};
}

Value scaled_masked_softmax(Operand x, const Value& mask, double scale, bool fixed_triu_mask) {
  const RecordScope scope(x);
  const Recorder check("scaled_masked_softmax", {x, mask}, x.where);
  check.require_floating(0);
  check.require_dtype(mask.dtype() == DType::boolean, "the mask must be bool, got {}: ne(mask, 0)",
                      mask.dtype());
  check.require_value(std::isfinite(scale), "scale must be finite, got {}", scale);
  const Shape& shape = x.shape();
  check.require_shape(
      shape.rank() >= 1 && shape.rank() <= 4 && expands_to(mask.shape(), shape),
      "expected scores of rank 1 to 4 and a mask that broadcasts to them, got {} and {}", shape,
      mask.shape());
  const Value scores = detail::with_rank(x, 4), hidden = detail::with_rank(mask, 4);
  Recorder record("scaled_masked_softmax", {scores, hidden}, x.where);
  const Value shares = record.add<ScaledMaskedSoftmaxOp>({scale, fixed_triu_mask}, record.like(0));
  return shape.rank() == 4 ? shares : reshape(shares, shape);
}

Value scaled_masked_softmax_backward(Operand grad, const Value& result, const Value& mask,
                                     const ScaledMaskedSoftmaxAttributes& attributes) {
  Recorder record("scaled_masked_softmax_backward", {grad, result, mask}, grad.where);
  record.require_floating(1);
  record.require_like(0, 1);
  return record.add<ScaledMaskedSoftmaxBackwardOp>(attributes, record.like(1));
}

Value deep_norm(Operand x, const Value& gx, const Value& beta, const Value& gamma, double alpha,
                double eps) {
  Recorder record("deep_norm", {x, gx, beta, gamma}, x.where);
  record.require_floating(0);
  record.require_same_shape(1, 0);
  record.require_same_shape(2, 3);
  for (const std::size_t k : {1, 2, 3}) record.require_same_dtype(k, 0);
  check_rows(record, x, gamma);
  record.require_value(std::isfinite(alpha), "alpha must be finite, got {}", alpha);
  detail::require_epsilon(record, eps);
  const TensorSpec number = number_per_row(x, gamma);
  return record.add<DeepNormOp>({alpha, eps}, {record.like(0), number, number}).front();
}

std::array<Value, 4> deep_norm_backward(Operand grad, const Value& x, const Value& gx,
                                        const Value& gamma, const Value& mean, const Value& rstd,
                                        double alpha) {
  Recorder record("deep_norm_backward", {grad, x, gx, gamma, mean, rstd}, grad.where);
  record.require_floating(1);
  record.require_like(0, 1);
  const TensorSpec weight{gamma.shape(), detail::at_least_float(x.dtype())};
  const auto gradients =
      record.add<DeepNormBackwardOp>({alpha}, {record.like(1), record.like(2), weight, weight});
  return {gradients[0], gradients[1], gradients[2], gradients[3]};
}

namespace calls {

const Declaration<DimAttributes> softmax = {"softmax", ACLGRAD_C(aclnnSoftmax), separate};
const Declaration<DimAttributes> softmax_backward = {"softmax_backward",
                                                     ACLGRAD_C(aclnnSoftmaxBackward), separate};
const Declaration<DimAttributes> log_softmax = {"log_softmax", ACLGRAD_C(aclnnLogSoftmax),
                                                separate};
const Declaration<DimAttributes> log_softmax_backward = {
    "log_softmax_backward", ACLGRAD_C(aclnnLogSoftmaxBackward), separate};

const Declaration<EpsAttributes> layer_norm = {
    "layer_norm", ACLGRAD_C(aclnnLayerNorm), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnLayerNormGetWorkspaceSize(
          call.input(0), call.int_array(call.input_spec(1).shape.dims()), call.input(1),
          call.input(2), values.eps, call.output(0), call.output(1), call.output(2), end...);
    }};

const Declaration<EpsAttributes> rms_norm = {"rms_norm", ACLGRAD_C(aclnnRmsNorm), separate};
const Declaration<> rms_norm_backward = {"rms_norm_backward", ACLGRAD_C(aclnnRmsNormGrad),
                                         separate};

const Declaration<ScaledMaskedSoftmaxAttributes> scaled_masked_softmax = {
    "scaled_masked_softmax", ACLGRAD_C(aclnnScaledMaskedSoftmax), separate};
const Declaration<ScaledMaskedSoftmaxAttributes> scaled_masked_softmax_backward = {
    "scaled_masked_softmax_backward", ACLGRAD_C(aclnnScaledMaskedSoftmaxBackward), separate};

const Declaration<DeepNormAttributes> deep_norm = {
    "deep_norm", ACLGRAD_C(aclnnDeepNorm), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnDeepNormGetWorkspaceSize(call.input(0), call.input(1), call.input(2),
                                           call.input(3), values.alpha, values.eps, call.output(1),
                                           call.output(2), call.output(0), end...);
    }};
const Declaration<DeepNormBackwardAttributes> deep_norm_backward = {
    "deep_norm_backward", ACLGRAD_C(aclnnDeepNormGrad), separate};

const Declaration<LayerNormBackwardAttributes> layer_norm_backward = {
    "layer_norm_backward", ACLGRAD_C(aclnnLayerNormBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const auto gradients = detail::wanted_outputs(values.wanted, call);
      return aclnnLayerNormBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.int_array(call.input_spec(4).shape.dims()),
          call.input(2), call.input(3), call.input(4), nullptr, call.bool_array(values.wanted),
          gradients[0], gradients[1], gradients[2], end...);
    }};

}  // namespace calls

namespace {

constexpr std::size_t kFirstUpdated = 3;  // output of batch_norm, and input: the running mean

std::int64_t places_of(const Shape& shape) {
  std::int64_t places = 1;
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) places *= shape.dims()[axis];
  return places;
}

}  // namespace

Value batch_norm(Operand x, const Value& weight, const Value& bias, const Value& running_mean,
                 const Value& running_var, const BatchNormOptions& options) {
  Recorder record("batch_norm", {x, weight, bias, running_mean, running_var}, x.where);
  detail::check_channels(record, 0, 1, 5);
  detail::check_batch_options(record, options.momentum, options.eps);
  std::vector<TensorSpec> outputs = {record.like(0)};
  if (options.training) {
    record.require_value(
        x.shape().numel() == 0 || x.shape().numel() != x.shape()[1],
        "expected more than 1 value per channel when training, got {}: its result is 0, and its "
        "variance says nothing (freeze() the layer, or use larger batches)",
        x.shape());
    // In float32 they serve the backward of 16-bit tensors, too.
    const DType dtype = detail::at_least_float(x.dtype());
    const TensorSpec saved{weight.shape(), dtype};
    outputs.insert(outputs.end(), {saved, saved, record.like(3), record.like(4)});
  }
  return record
      .add<BatchNormOp>({options.training, options.momentum, options.eps, options.training},
                        std::move(outputs))
      .front();
}

std::array<Value, 3> batch_norm_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& spread, const Value& weight,
                                         const BatchNormBackwardAttributes& attributes) {
  Recorder record("batch_norm_backward", {grad, x, mean, spread, weight}, grad.where);
  detail::check_channels(record, 1, 2, 5);
  record.require_like(0, 1);
  if (x.shape().numel() == 0) {
    // Of an empty batch the operator writes nothing, and gradients of nothing are 0.
    std::array<Value, 3> gradients;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      const Value& like = k == 0 ? x : weight;
      if (!attributes.wanted[k]) continue;
      gradients[k] = x.graph().constant(Tensor::zeros(like.shape(), like.dtype()));
    }
    return gradients;
  }
  return detail::record_wanted<BatchNormBackwardOp>(
      record, attributes, attributes.wanted, {record.like(1), record.like(4), record.like(4)});
}

Value group_norm(Operand x, std::int64_t groups, const Value& weight, const Value& bias,
                 double eps) {
  const RecordScope scope(x);
  Recorder record("group_norm", {x, weight, bias}, x.where);
  detail::check_channels(record, 0, 1, 3);
  record.require_same_dtype(1, 0);
  record.require_same_dtype(2, 0);
  detail::require_epsilon(record, eps);
  const Shape& shape = x.shape();
  record.require_shape(groups >= 1 && shape[1] % groups == 0,
                       "{} groups must divide the channels of {}", groups, shape);
  record.require_value(eps > 0, "eps must be above 0, got {}", eps);
  if (x.dtype() == DType::float16 || x.dtype() == DType::bfloat16) {
    // The operator keeps mean and rstd in x's dtype: rounded to 16 bits they would make a gradient
    // where there is none.
    const Value wide = cast(x, DType::float32);
    const Value wide_weight = cast(weight, DType::float32);
    const Value wide_bias = cast(bias, DType::float32);
    return cast(group_norm(wide, groups, wide_weight, wide_bias, eps), x.dtype());
  }
  const TensorSpec number{Shape{shape[0], groups}, x.dtype()};
  return record.add<GroupNormOp>({groups, eps}, {record.like(0), number, number}).front();
}

std::array<Value, 3> group_norm_backward(Operand grad, const Value& x, const Value& mean,
                                         const Value& rstd, const Value& weight,
                                         const GroupNormBackwardAttributes& attributes) {
  Recorder record("group_norm_backward", {grad, x, mean, rstd, weight}, grad.where);
  detail::check_channels(record, 1, 4, 5);
  record.require_like(0, 1);
  return detail::record_wanted<GroupNormBackwardOp>(
      record, attributes, attributes.wanted, {record.like(1), record.like(4), record.like(4)});
}

std::string BatchNormAttributes::text() const {
  return training ? fmt::format("training, momentum={}, eps={}", momentum, eps)
                  : fmt::format("eps={}", eps);
}
std::string BatchNormBackwardAttributes::text() const {
  return fmt::format("{}eps={}, outputMask={}", training ? "training, " : "", eps,
                     detail::text(wanted));
}

namespace calls {

const Declaration<BatchNormAttributes> batch_norm = {
    "batch_norm", ACLGRAD_C(aclnnBatchNorm),
    [](const BatchNormAttributes& values, std::size_t output, std::size_t input) {
      const bool updates = values.updates_running && output >= kFirstUpdated && output == input;
      return updates ? OutputMemory::updated : OutputMemory::separate;
    },
    [](const auto& values, AclnnCall& call, auto... end) {
      const bool has_running = !values.training || values.updates_running;
      return aclnnBatchNormGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2),
          has_running ? call.input(kFirstUpdated) : nullptr,
          has_running ? call.input(kFirstUpdated + 1) : nullptr, values.training, values.momentum,
          values.eps, call.output(0), values.training ? call.output(1) : nullptr,
          values.training ? call.output(2) : nullptr, end...);
    },
    [](const BatchNormAttributes& values) -> std::shared_ptr<const CallOp> {
      BatchNormAttributes kept = values;
      kept.updates_running = false;
      return std::make_shared<BatchNormOp>(kept);
    }};

const Declaration<BatchNormBackwardAttributes> batch_norm_backward = {
    "batch_norm_backward", ACLGRAD_C(aclnnBatchNormBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const auto gradients = detail::wanted_outputs(values.wanted, call);
      aclTensor* const means = call.input(2);
      aclTensor* const spread = call.input(3);
      const bool training = values.training;
      return aclnnBatchNormBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.input(4), training ? nullptr : means,
          training ? nullptr : spread, training ? means : nullptr, training ? spread : nullptr,
          training, values.eps, call.bool_array(values.wanted), gradients[0], gradients[1],
          gradients[2], end...);
    }};

const Declaration<GroupNormAttributes> group_norm = {
    "group_norm", ACLGRAD_C(aclnnGroupNorm), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const Shape& shape = call.input_spec(0).shape;
      return aclnnGroupNormGetWorkspaceSize(call.input(0), call.input(1), call.input(2), shape[0],
                                            shape[1], places_of(shape), values.groups, values.eps,
                                            call.output(0), call.output(1), call.output(2), end...);
    }};

const Declaration<GroupNormBackwardAttributes> group_norm_backward = {
    "group_norm_backward", ACLGRAD_C(aclnnGroupNormBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const Shape& shape = call.input_spec(1).shape;
      const auto gradients = detail::wanted_outputs(values.wanted, call);
      return aclnnGroupNormBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), call.input(3), call.input(4), shape[0],
          shape[1], places_of(shape), values.groups, call.bool_array(values.wanted), gradients[0],
          gradients[1], gradients[2], end...);
    }};

}  // namespace calls
}  // namespace aclgrad
