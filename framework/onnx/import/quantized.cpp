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

// Rounded, moved to the zero point, and held within the numbers of a type.
Value quantized(Operand x, const Value& zero, DType dtype) {
  const bool is_unsigned = dtype == DType::uint8;
  if (!is_unsigned && dtype != DType::int8) {
    throw DTypeError("there are quantized numbers of 8 bits only");
  }
  const Value moved = round(x) + cast(zero, x.dtype());
  return cast(clamp(moved, {.min = is_unsigned ? 0 : -128, .max = is_unsigned ? 255 : 127}), dtype);
}

Items quantize(const NodeCall& node) {
  node.require(node.integer("block_size", 0) == 0, "there is no quantization by blocks");
  const Value x = node.value(0);
  const std::int64_t axis = node.integer("axis", 1);
  const DType dtype = node.has(2) ? node.dtype(2) : DType::uint8;
  const Value zero = node.has(2) ? along(node.value(2), x.shape(), axis) : node.constant(0, dtype);
  return {quantized(x / along(node.value(1), x.shape(), axis), zero, dtype)};
}

// Scale and zero point of uint8, from the numbers that there are, and 0.
Items quantize_dynamically(const NodeCall& node) {
  const Value x = node.value(0);
  const Value zero = node.constant(0, x.dtype());
  const Value low = minimum(amin(x), zero), high = maximum(amax(x), zero);
  const Value scale = (high - low) / 255;
  const Value point = quantized(-low / scale, zero, DType::uint8);
  return {quantized(x / scale, point, DType::uint8), scale, point};
}

// A product in double, of numbers less their zero points, as a number of the result's scale. The
// inputs are x, scale, zero point, the same of the second, and those of the result.
Items requantized(const NodeCall& node, Value product, const Shape& shape, std::int64_t axis) {
  const auto wide = [&](std::size_t input, std::int64_t at) {
    return along(cast(node.value(input), DType::float64), shape, at);
  };
  product = product * (wide(1, -2) * wide(4, axis) / wide(6, -1));
  return {quantized(product, along(node.value(7), shape, -1), node.dtype(7))};
}

Items qlinear_matmul(const NodeCall& node) {
  const Value product = matmul(shifted(node, 0, 2, -2), shifted(node, 3, 5, -1));
  return requantized(node, product, product.shape(), -1);
}

Items qlinear_conv(const NodeCall& node) {
  Value x = shifted(node, 0, 2, 1);
  const Value weight = shifted(node, 3, 5, 0);
  const Windows windows = windows_of(node, x.shape(), spatial(weight.shape()));
  x = pad(x, pad_pairs(windows.begin, windows.end));
  const Dims none(windows.axes(), 0);
  const Value bias = node.has(8) ? cast(node.value(8), DType::float64) : Value{};
  const Value product =
      convolution(x, weight, bias,
                  {windows.stride, none, windows.dilation, none, node.integer("group", 1), false});
  return requantized(node, product, product.shape(), 1);
}

constexpr Operator kOperators[] = {
    {"ConvInteger", conv_integer},
    {"DequantizeLinear", dequantize},
    {"DynamicQuantizeLinear", quantize_dynamically},
    {"MatMulInteger", matmul_integer},
    {"QLinearConv", qlinear_conv},
    {"QLinearMatMul", qlinear_matmul},
    {"QuantizeLinear", quantize},
};

}  // namespace
}  // namespace quantized_nodes

std::span<const Operator> quantized_operators() { return quantized_nodes::kOperators; }

}  // namespace aclgrad::onnx
