// SPDX-License-Identifier: Apache-2.0
// Whole numbers that stand for fractions: turned into these, and products of whole numbers.
#include "aclgrad/ops.h"
#include "onnx/import/windows.h"

namespace aclgrad::onnx {
namespace quantized_nodes {
namespace {

// A vector along an axis, beside x.
Value along(Operand vector, const Shape& x, std::int64_t axis) {
  if (vector.shape().rank() != 1 || vector.shape().numel() == 1) {
    return vector.shape().numel() == 1 ? reshape(vector, Dims{}) : Value(vector);
  }
  Dims dims(x.rank(), 1);
  dims[x.normalize_axis(axis)] = vector.shape().numel();
  return reshape(vector, dims);
}

Items dequantize(const NodeCall& node) {
  node.require(node.integer("block_size", 0) == 0, "there is no quantization by blocks");
  const Value x = node.value(0);
  const std::int64_t axis = node.integer("axis", 1);
  const Value scale = along(node.value(1), x.shape(), axis);
  const DType dtype = scale.dtype();
  Value numbers = cast(x, dtype);
  if (node.has(2)) numbers = numbers - along(cast(node.value(2), dtype), x.shape(), axis);
  return {numbers * scale};
}

// x less its zero point, exact in double.
Value shifted(const NodeCall& node, std::size_t input, std::size_t zero, std::int64_t axis) {
  const Value x = cast(node.value(input), DType::float64);
  if (!node.has(zero)) return x;
  return x - along(cast(node.value(zero), DType::float64), x.shape(), axis);
}

Items matmul_integer(const NodeCall& node) {
  // Zero points of a are of its rows, those of b of its columns.
  const Value product = matmul(shifted(node, 0, 2, -2), shifted(node, 1, 3, -1));
  return {cast(product, DType::int32)};
}

Items conv_integer(const NodeCall& node) {
  Value x = shifted(node, 0, 2, 1);
  const Value weight = shifted(node, 1, 3, 0);
  const Windows windows = windows_of(node, x.shape(), spatial(weight.shape()));
  x = pad(x, pad_pairs(windows.begin, windows.end));
  const Dims none(windows.axes(), 0);
  return {cast(
      convolution(x, weight, {},
                  {windows.stride, none, windows.dilation, none, node.integer("group", 1), false}),
      DType::int32)};
}

constexpr Operator kOperators[] = {
    {"ConvInteger", conv_integer},
    {"DequantizeLinear", dequantize},
    {"MatMulInteger", matmul_integer},
};

}  // namespace
}  // namespace quantized_nodes

std::span<const Operator> quantized_operators() { return quantized_nodes::kOperators; }

}  // namespace aclgrad::onnx
