// SPDX-License-Identifier: Apache-2.0
// Normalizations, and dropout, which networks have beside them.
#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace normalization_nodes {
namespace {

// [C] as [C, 1, ...] beside x [N, C, ...].
Value per_channel(Operand vector, const Shape& x) {
  Dims dims(x.rank() - 1, 1);
  dims[0] = vector.shape().numel();
  return reshape(vector, dims);
}

// Everything but the channels.
Dims but_channels(const Shape& x) {
  Dims axes;
  for (std::size_t axis = 0; axis < x.rank(); ++axis) {
    if (axis != 1) axes.push_back(static_cast<std::int64_t>(axis));
  }
  return axes;
}

// Statistics of the batch, and running ones as outputs: the node is told to train.
Items batch_norm_told_to_train(const NodeCall& node, double eps, double momentum) {
  const Value x = node.value(0);
  const Dims axes = but_channels(x.shape());
  const Value m = mean(x, axes), v = var(x, axes, {.unbiased = false});
  const Value shift = per_channel(m, x.shape()), spread = per_channel(v, x.shape());
  const Value y = (x - shift) * rsqrt(spread + eps) * per_channel(node.value(1), x.shape()) +
                  per_channel(node.value(2), x.shape());
  return {y, node.value(3) * momentum + m * (1 - momentum),
          node.value(4) * momentum + v * (1 - momentum)};
}

Items batch_norm_node(const NodeCall& node) {
  const double eps = node.number("epsilon", 1e-5), momentum = node.number("momentum", 0.9);
  if (node.integer("training_mode", 0) != 0) return batch_norm_told_to_train(node, eps, momentum);
  const Value running_mean = node.value(3), running_var = node.value(4);
  const bool trains =
      node.is_training() && running_mean.variable() != nullptr && running_var.variable() != nullptr;
  return {batch_norm(node.value(0), node.value(1), node.value(2), running_mean, running_var,
                     {.training = trains, .momentum = 1 - momentum, .eps = eps})};
}

Items instance_norm(const NodeCall& node) {
  const Value x = node.value(0);
  return {group_norm(x, x.shape()[1], node.value(1), node.value(2), node.number("epsilon", 1e-5))};
}

// Scale and bias are of the groups in opset 18, of the channels from 21 on.
Items group_norm_node(const NodeCall& node) {
  const Value x = node.value(0);
  Value scale = node.value(1), bias = node.value(2);
  const std::int64_t groups = node.integer("num_groups");
  const std::int64_t channels = x.shape()[1];
  if (node.opset() < 21 && groups > 0 && groups != channels) {
    const std::int64_t each = channels / groups;
    scale = reshape(expand(reshape(scale, Dims{groups, 1}), Shape{groups, each}), Dims{channels});
    bias = reshape(expand(reshape(bias, Dims{groups, 1}), Shape{groups, each}), Dims{channels});
  }
  return {group_norm(x, groups, scale, bias, node.number("epsilon", 1e-5))};
}

// The extents from an axis on.
Shape from_axis(const Shape& shape, std::int64_t axis) {
  return Shape(Dims(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()));
}

Value expanded(Operand x, const Shape& shape) {
  return x.shape() == shape ? Value(x) : contiguous(expand(x, shape));
}

Items layer_norm_node(const NodeCall& node) {
  const Value x = node.value(0);
  const std::int64_t axis = axis_of(node.integer("axis", -1), x.shape());
  const Shape rows = from_axis(x.shape(), axis);
  const Value weight = expanded(node.value(1), rows);
  const Value bias = node.has(2) ? expanded(node.value(2), rows)
                                 : node.constant(Tensor::zeros(rows, weight.dtype()));
  const double eps = node.number("epsilon", 1e-5);
  Items outputs = {layer_norm(x, weight, bias, eps)};
  if (!node.wants(1) && !node.wants(2)) return outputs;
  // By nodes of their own, as those of layer_norm() have no gradient.
  Dims axes;
  for (std::size_t i = static_cast<std::size_t>(axis); i < x.shape().rank(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i));
  }
  outputs.emplace_back(mean(x, axes, true));
  outputs.emplace_back(rsqrt(var(x, axes, {.unbiased = false, .keepdim = true}) + eps));
  return outputs;
}

Items rms_norm_node(const NodeCall& node) {
  const Value x = node.value(0);
  const Shape rows = from_axis(x.shape(), axis_of(node.integer("axis", -1), x.shape()));
  return {rms_norm(x, expanded(node.value(1), rows), node.number("epsilon", 1e-5))};
}

Items mean_variance_norm(const NodeCall& node) {
  const Value x = node.value(0);
  const Dims axes = node.integers("axes", {0, 2, 3});
  const Value centred = x - mean(x, axes, true);
  return {centred / (sqrt(mean(centred * centred, axes, true)) + 1e-9)};
}

Items lp_norm(const NodeCall& node) {
  const Value x = node.value(0);
  const double p = static_cast<double>(node.integer("p", 2));
  return {x / norm(x, {node.integer("axis", -1)}, {.p = p, .keepdim = true})};
}

// x / (bias + alpha / size times the squares of `size` channels around each)^beta.
Items local_response_norm(const NodeCall& node) {
  const Value x = node.value(0);
  const Dims& dims = x.shape().dims();
  if (dims.size() < 2) throw ShapeError("x must be [N, C, ...]");
  const std::int64_t size = node.integer("size"), before = (size - 1) / 2;
  std::int64_t rest = 1;
  for (std::size_t i = 2; i < dims.size(); ++i) rest *= dims[i];
  const Value squares = reshape(x * x, Dims{dims[0], 1, dims[1], rest});
  const Value padded = pad(squares, {0, 0, before, size - 1 - before});
  const Value average = avg_pool2d(padded, Dims{size, 1}, {.stride = Dims{1, 1}});
  const Value base = average * node.number("alpha", 1e-4) + node.number("bias", 1);
  return {x * reshape(pow(base, -node.number("beta", 0.75)), x.shape())};
}

// Drops in training, or where it is told to; else it passes x on.
Items dropout_node(const NodeCall& node) {
  const Value x = node.value(0);
  const double ratio = node.has(1) ? node.known_number(1, "the ratio") : node.number("ratio", 0.5);
  const bool told = node.has(2) && node.known_number(2, "training_mode") != 0;
  if (ratio != 0 && (told || (node.is_training() && node.opset() < 12) ||
                     (node.is_training() && !node.has(2)) || (node.is_training() && told))) {
    node.require(!node.wants(1), "the mask of a Dropout in training is no output here");
    return {dropout(x, ratio, node.generator())};
  }
  Items outputs = {x};
  if (node.wants(1)) {
    const DType dtype = node.opset() >= 10 ? DType::boolean : x.dtype();
    outputs.emplace_back(Tensor::full(x.shape(), 1, dtype));
  }
  return outputs;
}

constexpr Operator kOperators[] = {
    {"BatchNormalization", batch_norm_node, 0, 0b11000},
    {"Dropout", dropout_node, 0b110, 0, false},
    {"GroupNormalization", group_norm_node},
    {"InstanceNormalization", instance_norm},
    {"LRN", local_response_norm},
    {"LayerNormalization", layer_norm_node},
    {"LpNormalization", lp_norm},
    {"MeanVarianceNormalization", mean_variance_norm},
    {"RMSNormalization", rms_norm_node},
};

}  // namespace
}  // namespace normalization_nodes

std::span<const Operator> normalization_operators() { return normalization_nodes::kOperators; }

}  // namespace aclgrad::onnx
