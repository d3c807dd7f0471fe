// SPDX-License-Identifier: Apache-2.0
// The ONNX operators that there are: a function each, in a list for each subject. The file of a
// subject has a namespace of its own, as files are compiled several at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "onnx/import/node_call.h"

namespace aclgrad::onnx {

struct Operator {
  std::string_view name;
  /// Records the node and returns its outputs, as many as it has or fewer where the rest is
  /// unnamed.
  Items (*record)(const NodeCall& node);
  /// Inputs that must be known when the node is recorded, as bits: a tensor of the file that stands
  /// there is no parameter.
  std::uint32_t known = 0;
  /// Inputs that are running statistics, as bits.
  std::uint32_t running = 0;
  /// Whether a node of known inputs is computed at once: not one that draws numbers, nor one that
  /// has graphs of its own.
  bool folds = true;
};

/// The operator of ONNX's own domain of that name, or null.
const Operator* find_operator(std::string_view name);

std::span<const Operator> elementwise_operators();
std::span<const Operator> function_operators();
std::span<const Operator> logic_operators();
std::span<const Operator> product_operators();
std::span<const Operator> convolution_operators();
std::span<const Operator> pooling_operators();
std::span<const Operator> normalization_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> shape_operators();
std::span<const Operator> making_operators();
std::span<const Operator> index_operators();
std::span<const Operator> resampling_operators();
std::span<const Operator> recurrent_operators();
std::span<const Operator> loss_operators();
std::span<const Operator> quantized_operators();
std::span<const Operator> sequence_operators();
std::span<const Operator> control_operators();
std::span<const Operator> attention_operators();
std::span<const Operator> signal_operators();

/// A recording function of one value, with no attributes.
template <auto kFunction>
Items unary(const NodeCall& node) {
  return {kFunction(node.value(0))};
}

/// The axis as one from the front. Throws ShapeError.
inline std::int64_t axis_of(std::int64_t axis, const Shape& shape) {
  return static_cast<std::int64_t>(shape.normalize_axis(axis));
}

}  // namespace aclgrad::onnx
