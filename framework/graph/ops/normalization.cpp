// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/normalization.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/format.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "graph/ops/families.h"
#include "tensor/at_least_float.h"

namespace aclgrad {
namespace {

// A row of x has the shape of the weight.
void check_rows(const Recorder& record, const Value& x, const Value& weight) {
  const auto all = x.shape().dims();
  const auto row = weight.shape().dims();
  if (row.empty() || row.size() > all.size() ||
      !std::equal(row.begin(), row.end(), all.end() - static_cast<std::ptrdiff_t>(row.size()))) {
    record.shape_error(fmt::format("the weight's shape {} must be the last dimensions of {}",
                                   weight.shape(), x.shape()));
  }
  if (weight.dtype() != x.dtype() && weight.dtype() != DType::float32) {
    record.dtype_error(
        fmt::format("the weight must be {} or float32, got {}", x.dtype(), weight.dtype()));
  }
}

// A number for each row, in float32 also for 16-bit rows.
TensorSpec number_per_row(const Value& x, const Value& weight) {
  std::vector<std::int64_t> numbers = x.shape().dims();
  std::fill(numbers.end() - static_cast<std::ptrdiff_t>(weight.shape().rank()), numbers.end(), 1);
  return {Shape(numbers), detail::at_least_float(x.dtype())};
}

template <class OpType>
Value record_along(const Value& x, std::int64_t dim, std::source_location where) {
  Recorder(OpType::declaration().name, {x}, where).axis(dim, x.shape().rank());
  return detail::record_unary<OpType>(x, where, {dim});
}

template <class OpType>
Value record_gradient_along(const Value& grad, const Value& result, std::int64_t dim,
                            std::source_location where) {
  Recorder(OpType::declaration().name, {grad, result}, where).axis(dim, result.shape().rank());
  return detail::record_gradient<OpType>(grad, result, where, {dim});
}

}  // namespace

Value softmax(const Value& x, std::int64_t dim, std::source_location where) {
  return record_along<SoftmaxOp>(x, dim, where);
}
Value softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
                       std::source_location where) {
  return record_gradient_along<SoftmaxBackwardOp>(grad, result, dim, where);
}
Value log_softmax(const Value& x, std::int64_t dim, std::source_location where) {
  return record_along<LogSoftmaxOp>(x, dim, where);
}
Value log_softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
                           std::source_location where) {
  return record_gradient_along<LogSoftmaxBackwardOp>(grad, result, dim, where);
}

Value layer_norm(const Value& x, const Value& weight, const Value& bias, double eps,
                 std::source_location where) {
  Recorder record("layer_norm", {x, weight, bias}, where);
  record.require_floating(0);
  record.require_same_dtype(2, 1);
  record.require_same_shape(2, 1);
  check_rows(record, x, weight);
  detail::require_epsilon(record, eps);
  const TensorSpec number = number_per_row(x, weight);
  return record.add<LayerNormOp>({eps}, {record.like(0), number, number}).front();
}

std::array<Value, 3> layer_norm_backward(const Value& grad, const Value& x, const Value& mean,
                                         const Value& rstd, const Value& weight,
                                         std::array<bool, 3> wanted, std::source_location where) {
  Recorder record("layer_norm_backward", {grad, x, mean, rstd, weight}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  record.require_same_shape(3, 2);
  check_rows(record, x, weight);
  return detail::record_wanted<LayerNormBackwardOp>(
      record, {wanted}, wanted, {record.like(1), record.like(4), record.like(4)});
}

Value rms_norm(const Value& x, const Value& gamma, double eps, std::source_location where) {
  Recorder record("rms_norm", {x, gamma}, where);
  record.require_floating(0);
  check_rows(record, x, gamma);
  detail::require_epsilon(record, eps);
  return record.add<RmsNormOp>({eps}, {record.like(0), number_per_row(x, gamma)}).front();
}

std::array<Value, 2> rms_norm_backward(const Value& grad, const Value& x, const Value& rstd,
                                       const Value& gamma, std::source_location where) {
  Recorder record("rms_norm_backward", {grad, x, rstd, gamma}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  check_rows(record, x, gamma);
  const TensorSpec number = number_per_row(x, gamma);
  if (rstd.shape() != number.shape || rstd.dtype() != number.dtype) {
    record.shape_error(fmt::format("rstd must be {} of shape {}, got {} of {}", number.dtype,
                                   number.shape, rstd.dtype(), rstd.shape()));
  }
  const auto gradients = record.add<RmsNormBackwardOp>(
      {}, {record.like(1), {gamma.shape(), detail::at_least_float(x.dtype())}});
  return {gradients[0], gradients[1]};
}

std::string LayerNormBackwardAttributes::text() const {
  return fmt::format("outputMask=[{:d}, {:d}, {:d}]", wanted[0], wanted[1], wanted[2]);
}

namespace calls {

ACLGRAD_CALL(softmax, aclnnSoftmax, separate, SoftmaxAttributes)
ACLGRAD_CALL(softmax_backward, aclnnSoftmaxBackward, separate, SoftmaxAttributes)
ACLGRAD_CALL(log_softmax, aclnnLogSoftmax, separate, SoftmaxAttributes)
ACLGRAD_CALL(log_softmax_backward, aclnnLogSoftmaxBackward, separate, SoftmaxAttributes)

constexpr Declaration<LayerNormAttributes> layer_norm(
    "layer_norm", "aclnnLayerNorm", aclnnLayerNorm, separate,
    [](const LayerNormAttributes& values, Call& call, auto... end) {
      return aclnnLayerNormGetWorkspaceSize(
          call.input(0), call.int_array(call.input_spec(1).shape.dims()), call.input(1),
          call.input(2), values.eps, call.output(0), call.output(1), call.output(2), end...);
    });

ACLGRAD_CALL(rms_norm, aclnnRmsNorm, separate, RmsNormAttributes)
ACLGRAD_CALL(rms_norm_backward, aclnnRmsNormGrad, separate)

constexpr Declaration<LayerNormBackwardAttributes> layer_norm_backward(
    "layer_norm_backward", "aclnnLayerNormBackward", aclnnLayerNormBackward, separate,
    [](const LayerNormBackwardAttributes& values, Call& call, auto... end) {
      const auto gradients = detail::wanted_outputs(values.wanted, call);
      return aclnnLayerNormBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.int_array(call.input_spec(4).shape.dims()),
          call.input(2), call.input(3), call.input(4), nullptr, call.bool_array(values.wanted),
          gradients[0], gradients[1], gradients[2], end...);
    });

}  // namespace calls
}  // namespace aclgrad
