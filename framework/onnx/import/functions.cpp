// SPDX-License-Identifier: Apache-2.0
// Functions of an element, rounding, remainders and bits; products, determinants, and sums by an
// equation.
#include <algorithm>
#include <functional>

#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace functions_nodes {
namespace {

Items round_node(const NodeCall& node) { return {round(node.value(0))}; }

// With the sign of b, of whole numbers alone; with fmod that of a.
Items mod(const NodeCall& node) {
  const Value a = node.value(0), b = node.value(1);
  return {node.integer("fmod", 0) != 0 ? fmod(a, b) : remainder(a, b)};
}

Items bit_shift(const NodeCall& node) {
  const Value a = node.value(0), b = node.value(1);
  if (node.text("direction", "") == "LEFT") return {bitwise_left_shift(a, b)};
  return {bitwise_right_shift(a, b)};
}

using Binary = Value (*)(Operand, const Value&);
template <Binary kFunction>
Items bitwise(const NodeCall& node) {
  return {kFunction(node.value(0), node.value(1))};
}

// prod() takes one axis at a time: from the last one on, so that the others keep their numbers.
Value product(Operand x, Dims axes, bool keepdim) {
  if (axes.empty()) {
    for (std::size_t i = 0; i < x.shape().rank(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  }
  for (std::int64_t& axis : axes) axis = axis_of(axis, x.shape());
  std::ranges::sort(axes, std::greater<>());
  Value result = x;
  for (const std::int64_t axis : axes) result = prod(result, axis, keepdim);
  return result;
}

Items reduce_prod(const NodeCall& node) {
  const Value x = node.value(0);
  const Dims axes = node.numbers_of("axes", 1).value_or(Dims{});
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0) return {x};
  return {product(x, axes, node.integer("keepdims", 1) != 0)};
}

Items einsum_node(const NodeCall& node) {
  return {einsum(node.text("equation", ""), node.values())};
}

constexpr Operator kOperators[] = {
    {"Acos", unary<acos>},
    {"Acosh", unary<acosh>},
    {"Asin", unary<asin>},
    {"Asinh", unary<asinh>},
    {"Atan", unary<atan>},
    {"Atanh", unary<atanh>},
    {"BitShift", bit_shift},
    {"BitwiseAnd", bitwise<bitwise_and>},
    {"BitwiseNot", unary<bitwise_not>},
    {"BitwiseOr", bitwise<bitwise_or>},
    {"BitwiseXor", bitwise<bitwise_xor>},
    {"Ceil", unary<ceil>},
    {"Cosh", unary<cosh>},
    {"Det", unary<det>},
    {"Einsum", einsum_node},
    {"Floor", unary<floor>},
    {"Mod", mod},
    {"ReduceProd", reduce_prod, 0b10},
    {"Round", round_node},
    {"Sinh", unary<sinh>},
    {"Tan", unary<tan>},
};

}  // namespace
}  // namespace functions_nodes

std::span<const Operator> function_operators() { return functions_nodes::kOperators; }

}  // namespace aclgrad::onnx
