// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/normalization.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"

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

}  // namespace

Value softmax(const Value& x, std::int64_t dim, std::source_location where) {
  Recorder record("softmax", {x}, where);
  record.require_floating(0);
  record.axis(dim, x.shape().rank());
  return record.add(std::make_shared<SoftmaxOp>(dim), {x.shape(), x.dtype()});
}

Value softmax_backward(const Value& grad, const Value& result, std::int64_t dim,
                       std::source_location where) {
  Recorder record("softmax_backward", {grad, result}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  record.axis(dim, result.shape().rank());
  return record.add(std::make_shared<SoftmaxBackwardOp>(dim), {result.shape(), result.dtype()});
}

Value layer_norm(const Value& x, const Value& weight, const Value& bias, double eps,
                 std::source_location where) {
  Recorder record("layer_norm", {x, weight, bias}, where);
  record.require_floating(0);
  record.require_same_dtype(2, 1);
  record.require_same_shape(2, 1);
  check_rows(record, x, weight);
  std::vector<std::int64_t> numbers(x.shape().dims().begin(), x.shape().dims().end());
  std::fill(numbers.end() - static_cast<std::ptrdiff_t>(weight.shape().rank()), numbers.end(), 1);
  // In float32 they serve the backward of 16-bit tensors, too.
  const DType dtype = x.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const TensorSpec number{Shape(numbers), dtype};
  return record
      .add(std::make_shared<LayerNormOp>(eps),
           std::vector<TensorSpec>{{x.shape(), x.dtype()}, number, number})
      .front();
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
  std::vector<TensorSpec> outputs;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const Value& like = k == 0 ? x : weight;
    if (wanted[k]) outputs.push_back({like.shape(), like.dtype()});
  }
  std::array<Value, 3> gradients;
  auto next = record.add(std::make_shared<LayerNormBackwardOp>(wanted), std::move(outputs));
  for (std::size_t k = 0, given = 0; k < wanted.size(); ++k) {
    if (wanted[k]) gradients[k] = next[given++];
  }
  return gradients;
}

std::string SoftmaxOp::attributes() const { return fmt::format("dim={}", dim); }
aclnnStatus SoftmaxOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnSoftmaxGetWorkspaceSize(call.input(0), dim, call.output(0), size, executor);
}
PhaseTwo SoftmaxOp::phase_two() const { return aclnnSoftmax; }

std::string SoftmaxBackwardOp::attributes() const { return fmt::format("dim={}", dim); }
aclnnStatus SoftmaxBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                         aclOpExecutor** executor) const {
  return aclnnSoftmaxBackwardGetWorkspaceSize(call.input(0), call.input(1), dim, call.output(0),
                                              size, executor);
}
PhaseTwo SoftmaxBackwardOp::phase_two() const { return aclnnSoftmaxBackward; }

std::string LayerNormOp::attributes() const { return fmt::format("eps={}", eps); }
aclnnStatus LayerNormOp::phase_one(Call& call, std::uint64_t* size,
                                   aclOpExecutor** executor) const {
  return aclnnLayerNormGetWorkspaceSize(
      call.input(0), call.int_array(call.input_spec(1).shape.dims()), call.input(1), call.input(2),
      eps, call.output(0), call.output(1), call.output(2), size, executor);
}
PhaseTwo LayerNormOp::phase_two() const { return aclnnLayerNorm; }

std::string LayerNormBackwardOp::attributes() const {
  return fmt::format("outputMask=[{:d}, {:d}, {:d}]", wanted[0], wanted[1], wanted[2]);
}
aclnnStatus LayerNormBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                           aclOpExecutor** executor) const {
  aclTensor* gradients[3] = {};
  for (std::size_t k = 0, given = 0; k < wanted.size(); ++k) {
    if (wanted[k]) gradients[k] = call.output(given++);
  }
  return aclnnLayerNormBackwardGetWorkspaceSize(
      call.input(0), call.input(1), call.int_array(call.input_spec(4).shape.dims()), call.input(2),
      call.input(3), call.input(4), nullptr, call.bool_array(wanted), gradients[0], gradients[1],
      gradients[2], size, executor);
}
PhaseTwo LayerNormBackwardOp::phase_two() const { return aclnnLayerNormBackward; }

}  // namespace aclgrad
