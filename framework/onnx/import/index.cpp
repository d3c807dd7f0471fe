// SPDX-License-Identifier: Apache-2.0
// Elements and slices by their numbers.
#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace index_nodes {
namespace {

// Slices along an axis by numbers of any shape, which stands in the place of the axis.
Items gather_node(const NodeCall& node) {
  const Value x = node.value(0), indices = node.value(1);
  const std::int64_t axis = axis_of(node.integer("axis", 0), x.shape());
  Dims dims = x.shape().dims();
  const auto at = dims.erase(dims.begin() + axis);
  dims.insert(at, indices.shape().begin(), indices.shape().end());
  const Value flat = reshape(indices, Dims{indices.shape().numel()});
  return {reshape(index_select(x, axis, flat), dims)};
}

Items gather_elements(const NodeCall& node) {
  const Value x = node.value(0);
  return {gather(x, axis_of(node.integer("axis", 0), x.shape()), node.value(1))};
}

// The last axis of indices as so many tensors, behind tensors that count the batch dimensions.
std::vector<Value> coordinates(const NodeCall& node, const Value& indices, std::int64_t batches) {
  const Shape& shape = indices.shape();
  if (shape.rank() == 0) throw ShapeError("indices must have a dimension");
  const Shape rest(Dims(shape.begin(), shape.end() - 1));
  std::vector<Value> all;
  for (std::int64_t b = 0; b < batches; ++b) {
    Dims dims(rest.rank(), 1);
    dims[static_cast<std::size_t>(b)] = rest[b];
    all.push_back(node.constant(Tensor::arange(rest[b], 0, 1, DType::int64).reshape(Shape(dims))));
  }
  for (std::int64_t k = 0; k < shape[-1]; ++k) {
    all.push_back(reshape(slice(indices, -1, k, k + 1), rest));
  }
  return all;
}

Items gather_nd(const NodeCall& node) {
  const std::int64_t batches = node.integer("batch_dims", 0);
  const Value indices = node.value(1);
  if (batches < 0 || batches >= static_cast<std::int64_t>(indices.shape().rank())) {
    throw ValueError(fmt::format("batch_dims is {}", batches));
  }
  return {index(node.value(0), coordinates(node, indices, batches))};
}

std::string reduction_of(const NodeCall& node) { return node.text("reduction", "none"); }

Items scatter_elements(const NodeCall& node) {
  const Value x = node.value(0);
  const std::int64_t axis = axis_of(node.integer("axis", 0), x.shape());
  const std::string reduction = reduction_of(node);
  if (reduction == "none") return {scatter(x, axis, node.value(1), node.value(2))};
  if (reduction == "add") return {scatter_add(x, axis, node.value(1), node.value(2))};
  node.unsupported("there is no reduction `{}`", reduction);
}

Items scatter_nd(const NodeCall& node) {
  const std::string reduction = reduction_of(node);
  if (reduction != "none" && reduction != "add") {
    node.unsupported("there is no reduction `{}`", reduction);
  }
  return {index_put(node.value(0), coordinates(node, node.value(1), 0), node.value(2),
                    reduction == "add")};
}

// values[1] at the places of indices along a new axis, values[0] elsewhere.
Items one_hot(const NodeCall& node) {
  const auto depth = static_cast<std::int64_t>(node.known_number(1, "the depth"));
  if (depth < 0 || depth > (1 << 24)) throw ValueError("the depth is out of range");
  const Value indices = cast(node.value(0), DType::int64), values = node.value(2);
  const auto rank = static_cast<std::int64_t>(indices.shape().rank()) + 1;
  std::int64_t axis = node.integer("axis", -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) throw ShapeError("the axis is out of range");
  Dims dims = indices.shape().dims();
  dims.insert(dims.begin() + axis, 1);
  // Negative numbers count from the end.
  const Value place =
      reshape(where(lt(indices, 0), indices + static_cast<double>(depth), indices), dims);
  Dims counting(static_cast<std::size_t>(rank), 1);
  counting[static_cast<std::size_t>(axis)] = depth;
  const Value each =
      node.constant(Tensor::arange(depth, 0, 1, DType::int64).reshape(Shape(counting)));
  return {where(eq(each, place), slice(values, 0, 1, 2), slice(values, 0, 0, 1))};
}

// The slices where the condition holds, which must be known as their number is a shape.
Items compress(const NodeCall& node) {
  Value x = node.value(0);
  const Tensor condition = node.known(1, "the condition").to(DType::boolean);
  if (!node.has_attribute("axis")) x = reshape(x, Dims{x.shape().numel()});
  const std::int64_t axis = axis_of(node.integer("axis", 0), x.shape());
  Dims kept;
  for (std::int64_t i = 0; i < condition.numel(); ++i) {
    if (condition.get(i) != 0) kept.push_back(i);
  }
  const Tensor places = Tensor::from(Shape{static_cast<std::int64_t>(kept.size())},
                                     std::span<const std::int64_t>(kept));
  return {index_select(x, axis, node.constant(places))};
}

// The coordinates of what is not 0, which must be known as their number is a shape.
Items non_zero(const NodeCall& node) {
  const Tensor& x = node.known(0, "the elements that are not 0");
  Dims found;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    if (x.get(i) != 0) found.push_back(i);
  }
  const auto rank = static_cast<std::int64_t>(x.rank());
  const auto count = static_cast<std::int64_t>(found.size());
  Tensor places = Tensor::zeros({rank, count}, DType::int64);
  const Dims strides = x.shape().strides();
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = found[static_cast<std::size_t>(i)];
      places.data<std::int64_t>()[static_cast<std::size_t>(axis * count + i)] =
          place / strides[static_cast<std::size_t>(axis)] % x.shape()[axis];
    }
  }
  return {std::move(places)};
}

constexpr Operator kOperators[] = {
    {"Compress", compress, 0b10},
    {"Gather", gather_node},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"NonZero", non_zero},
    {"OneHot", one_hot, 0b110},
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
};

}  // namespace
}  // namespace index_nodes

std::span<const Operator> index_operators() { return index_nodes::kOperators; }

}  // namespace aclgrad::onnx
