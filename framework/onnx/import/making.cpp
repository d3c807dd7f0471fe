// SPDX-License-Identifier: Apache-2.0
// Tensors made from nothing, shapes as tensors, random numbers.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace making_nodes {
namespace {

// A file of a few bytes must not ask for all memory: what is made from nothing stays below this.
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

const Shape& bounded(const Shape& shape) {
  if (shape.numel() > kMostElements) {
    throw ShapeError(fmt::format("a tensor of {} is not made from nothing", shape));
  }
  return shape;
}

DType type_in(const NodeCall& node, std::int64_t type) {
  const std::optional<DType> dtype = dtype_of(static_cast<std::int32_t>(type));
  if (!dtype) {
    node.unsupported("there is no tensor of {} here", type_name(static_cast<std::int32_t>(type)));
  }
  return *dtype;
}

Items constant(const NodeCall& node) {
  if (std::optional<Tensor> value = node.tensor("value")) return {std::move(*value)};
  if (node.has_attribute("value_int")) {
    return {Tensor::scalar(static_cast<double>(node.integer("value_int")), DType::int64)};
  }
  if (node.has_attribute("value_float")) return {Tensor::scalar(node.number("value_float", 0))};
  if (node.has_attribute("value_ints")) {
    const Dims values = node.integers("value_ints");
    return {Tensor::from(Shape{static_cast<std::int64_t>(values.size())},
                         std::span<const std::int64_t>(values))};
  }
  if (node.has_attribute("value_floats")) {
    const std::vector<double> values = node.numbers("value_floats");
    return {Tensor::from(Shape{static_cast<std::int64_t>(values.size())},
                         std::span<const double>(values))};
  }
  node.unsupported("there are no constants of strings, nor sparse ones");
}

Items constant_of_shape(const NodeCall& node) {
  const Shape shape(node.known_numbers(0, "the shape"));
  const Tensor value = node.tensor("value").value_or(Tensor::zeros({1}));
  if (value.numel() != 1) throw ShapeError("the value must be one number");
  return {Tensor::full(bounded(shape), value.item(), value.dtype())};
}

// The extents of a tensor, of which opset 15 takes a part.
Items shape_node(const NodeCall& node) {
  const Dims& dims = node.shape(0).dims();
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = place(node.integer("start", 0)),
                     end = place(node.integer("end", rank));
  const Dims part(dims.begin() + start, dims.begin() + std::max(start, end));
  return {Tensor::from(Shape{static_cast<std::int64_t>(part.size())},
                       std::span<const std::int64_t>(part))};
}

Items size_node(const NodeCall& node) {
  const std::int64_t count[] = {node.shape(0).numel()};
  return {Tensor::from(Shape{}, std::span<const std::int64_t>(count))};
}

Items range(const NodeCall& node) {
  const double start = node.known_number(0, "the start"), limit = node.known_number(1, "the limit");
  const double delta = node.known_number(2, "the step");
  if (delta == 0) throw ValueError("the step is 0");
  const double count = std::max(std::ceil((limit - start) / delta), 0.0);
  if (!(count <= static_cast<double>(kMostElements))) throw ValueError("the range has no end");
  return {Tensor::arange(static_cast<std::int64_t>(count), start, delta, node.dtype(0))};
}

Items eye_like(const NodeCall& node) {
  const Shape& shape = node.shape(0);
  if (shape.rank() != 2)
    throw ShapeError(fmt::format("the shape must be a matrix's, not {}", shape));
  const DType dtype =
      node.has_attribute("dtype") ? type_in(node, node.integer("dtype")) : node.dtype(0);
  Tensor eye = Tensor::zeros(bounded(shape), dtype);
  const std::int64_t diagonal = node.integer("k", 0);
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    const std::int64_t column = row + diagonal;
    if (column >= 0 && column < shape[1]) eye.set(row * shape[1] + column, 1);
  }
  return {std::move(eye)};
}

// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), with n the size, or one less of a symmetric window.
Items window(const NodeCall& node, double a0, double a1, double a2) {
  const auto size = static_cast<std::int64_t>(node.known_number(0, "the size"));
  if (size < 0 || size > kMostElements) throw ValueError("the size is out of range");
  const double n = static_cast<double>(node.integer("periodic", 1) != 0 ? size : size - 1);
  Tensor result = Tensor::zeros({size}, DType::float64);
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
    result.set(i, a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  return {result.to(type_in(node, node.integer("output_datatype", 1)))};
}
Items hann_window(const NodeCall& node) { return window(node, 0.5, 0.5, 0); }
Items hamming_window(const NodeCall& node) { return window(node, 25. / 46, 21. / 46, 0); }
Items blackman_window(const NodeCall& node) { return window(node, 0.42, 0.5, 0.08); }

// ---- Random numbers ----
// Of the operators here, whose sequence is none that the standard says.

std::int64_t seed_of(const NodeCall& node) {
  return node.has_attribute("seed")
             ? static_cast<std::int64_t>(node.number("seed", 0))
             : static_cast<std::int64_t>(std::hash<std::string>{}(node.name()) >> 1);
}

DType drawn_dtype(const NodeCall& node) {
  if (node.has_attribute("dtype")) return type_in(node, node.integer("dtype"));
  return node.inputs() > 0 && is_floating(node.dtype(0)) ? node.dtype(0) : DType::float32;
}

Shape drawn_shape(const NodeCall& node) {
  return bounded(node.inputs() > 0 ? node.shape(0) : Shape(node.integers("shape")));
}

Items random_normal(const NodeCall& node) {
  return {normal(node.graph(), drawn_shape(node), node.number("mean", 0), node.number("scale", 1),
                 seed_of(node), 0, drawn_dtype(node))};
}
Items random_uniform(const NodeCall& node) {
  return {uniform(node.graph(), drawn_shape(node), node.number("low", 0), node.number("high", 1),
                  seed_of(node), 0, drawn_dtype(node))};
}
Items bernoulli(const NodeCall& node) {
  const Value p = node.value(0);
  const Value drawn = uniform(node.graph(), p.shape(), 0, 1, seed_of(node), 0, p.dtype());
  const DType dtype =
      node.has_attribute("dtype") ? type_in(node, node.integer("dtype")) : p.dtype();
  return {cast(lt(drawn, p), dtype)};
}

constexpr Operator kOperators[] = {
    {"Bernoulli", bernoulli, 0, 0, false},
    {"BlackmanWindow", blackman_window, 0b1},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape, 0b1},
    {"EyeLike", eye_like},
    {"HammingWindow", hamming_window, 0b1},
    {"HannWindow", hann_window, 0b1},
    {"RandomNormal", random_normal, 0, 0, false},
    {"RandomNormalLike", random_normal, 0, 0, false},
    {"RandomUniform", random_uniform, 0, 0, false},
    {"RandomUniformLike", random_uniform, 0, 0, false},
    {"Range", range, 0b111},
    {"Shape", shape_node},
    {"Size", size_node},
};

}  // namespace
}  // namespace making_nodes

std::span<const Operator> making_operators() { return making_nodes::kOperators; }

}  // namespace aclgrad::onnx
