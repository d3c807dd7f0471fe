// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic and choices.
#include <limits>

#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace logic_nodes {
namespace {

using Comparison = Value (*)(Operand, const Value&);

template <Comparison kFunction>
Items comparison(const NodeCall& node) {
  return {kFunction(node.value(0), node.value(1))};
}

// Both tensors are of bool.
Items logical_and(const NodeCall& node) {
  return {where(node.value(0), node.value(1), node.constant(0, DType::boolean))};
}
Items logical_or(const NodeCall& node) {
  return {where(node.value(0), node.constant(1, DType::boolean), node.value(1))};
}
Items logical_not(const NodeCall& node) {
  return {ne(node.value(0), node.constant(1, DType::boolean))};
}

Items where_node(const NodeCall& node) {
  return {where(node.value(0), node.value(1), node.value(2))};
}

Items is_nan(const NodeCall& node) {
  const Value x = node.value(0);
  return {ne(x, x)};
}

Items is_inf(const NodeCall& node) {
  const Value x = node.value(0);
  const bool below = node.integer("detect_negative", 1) != 0;
  const bool above = node.integer("detect_positive", 1) != 0;
  const Value infinity = node.constant(std::numeric_limits<double>::infinity(), x.dtype());
  if (above && below) return {eq(abs(x), infinity)};
  if (above) return {eq(x, infinity)};
  if (below) return {eq(neg(x), infinity)};
  return {Tensor::zeros(x.shape(), DType::boolean)};
}

constexpr Operator kOperators[] = {
    {"And", logical_and},        {"Equal", comparison<eq>},
    {"Greater", comparison<gt>}, {"GreaterOrEqual", comparison<ge>},
    {"IsInf", is_inf},           {"IsNaN", is_nan},
    {"Less", comparison<lt>},    {"LessOrEqual", comparison<le>},
    {"Not", logical_not},        {"Or", logical_or},
    {"Where", where_node},       {"Xor", comparison<ne>},
};

}  // namespace
}  // namespace logic_nodes

std::span<const Operator> logic_operators() { return logic_nodes::kOperators; }

}  // namespace aclgrad::onnx
