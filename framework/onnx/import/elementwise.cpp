// SPDX-License-Identifier: Apache-2.0
// Arithmetic, functions and activations.
#include <cmath>
#include <limits>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace elementwise_nodes {
namespace {

// Before opset 7 a second operand with `broadcast` stands at `axis` of the first.
Value second_operand(const NodeCall& node) {
  const Value b = node.value(1);
  if (node.opset() >= 7 || node.integer("broadcast", 0) == 0) return b;
  const auto rank = static_cast<std::int64_t>(node.shape(0).rank());
  const auto own = static_cast<std::int64_t>(b.shape().rank());
  std::int64_t axis = node.integer("axis", rank - own);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis + own > rank) {
    node.unsupported("axis {} is none at which {} fits {}", axis, b.shape(), node.shape(0));
  }
  Dims dims = b.shape().dims();
  dims.insert(dims.end(), static_cast<std::size_t>(rank - axis - own), 1);
  return reshape(b, dims);
}

using Binary = Value (*)(Operand, const Value&);

template <Binary kFunction>
Items binary(const NodeCall& node) {
  return {kFunction(node.value(0), second_operand(node))};
}

Items add_node(const NodeCall& node) { return {node.value(0) + second_operand(node)}; }
Items sub_node(const NodeCall& node) { return {node.value(0) - second_operand(node)}; }
Items mul_node(const NodeCall& node) { return {node.value(0) * second_operand(node)}; }

// Of whole numbers rounded towards 0; exact in double up to 2^53.
Items div_node(const NodeCall& node) {
  const Value a = node.value(0), b = second_operand(node);
  if (is_floating(a.dtype())) return {a / b};
  return {cast(cast(a, DType::float64) / cast(b, DType::float64), a.dtype())};
}

// In the dtype of the base.
Items pow_node(const NodeCall& node) {
  const Value x = node.value(0);
  const DType dtype = x.dtype();
  const Value base = is_floating(dtype) ? x : cast(x, DType::float64);
  if (node.is_known(1) && node.shape(1).numel() == 1 && node.shape(1).rank() <= x.shape().rank()) {
    return {cast(pow(base, node.known_number(1, "the exponent")), dtype)};
  }
  const Value exponent = cast(second_operand(node), base.dtype());
  return {cast(pow(base, exponent), dtype)};
}

// All operands one after the other.
template <Binary kFunction>
Items variadic(const NodeCall& node) {
  const std::vector<Value> values = node.values();
  if (values.empty()) node.unsupported("there are no inputs");
  Value result = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) result = kFunction(result, values[i]);
  return {result};
}

Value plus(Operand a, const Value& b) { return add(a, b); }

Items mean_node(const NodeCall& node) {
  const Items sum = variadic<plus>(node);
  return {*sum[0].value() / static_cast<double>(node.inputs())};
}

// Bounds are attributes, or inputs from opset 11 on, of which either may be missing.
Items clip(const NodeCall& node) {
  Value x = node.value(0);
  ClampBounds bounds;
  if (node.has_attribute("min")) bounds.min = node.number("min", 0);
  if (node.has_attribute("max")) bounds.max = node.number("max", 0);
  if (node.is_known(1)) bounds.min = node.known_number(1, "min");
  if (node.is_known(2)) bounds.max = node.known_number(2, "max");
  if (node.has(1) && !bounds.min) x = maximum(x, node.value(1));
  if (node.has(2) && !bounds.max) {
    if (bounds.min) x = clamp(x, {.min = std::exchange(bounds.min, std::nullopt)});
    x = minimum(x, node.value(2));
  }
  // The bounds that files give for none are beyond those of narrow types.
  if (bounds.min && *bounds.min <= std::numeric_limits<float>::lowest()) bounds.min.reset();
  if (bounds.max && *bounds.max >= std::numeric_limits<float>::max()) bounds.max.reset();
  return {bounds.min || bounds.max ? clamp(x, bounds) : x};
}

Items neg_node(const NodeCall& node) { return {neg(node.value(0))}; }
Items elu_node(const NodeCall& node) { return {elu(node.value(0), node.number("alpha", 1))}; }
Items celu_node(const NodeCall& node) { return {celu(node.value(0), node.number("alpha", 1))}; }
Items leaky_relu_node(const NodeCall& node) {
  return {leaky_relu(node.value(0), node.number("alpha", 0.01))};
}
Items softplus_node(const NodeCall& node) {
  // Without a threshold: the operator's own form is exact far beyond where it would be the
  // identity.
  return {softplus(node.value(0), 1, 1e4)};
}
Items thresholded_relu(const NodeCall& node) {
  return {threshold(node.value(0), node.number("alpha", 1), 0)};
}
Items hard_sigmoid(const NodeCall& node) {
  const Value x = node.value(0) * node.number("alpha", 0.2) + node.number("beta", 0.5);
  return {clamp(x, {.min = 0, .max = 1})};
}
Items softsign(const NodeCall& node) {
  const Value x = node.value(0);
  return {x / (abs(x) + 1)};
}
Items gelu_node(const NodeCall& node) {
  const std::string form = node.text("approximate", "none");
  return {gelu(node.value(0), form == "tanh" ? Approximate::tanh : Approximate::none)};
}
Items swish(const NodeCall& node) {
  const Value x = node.value(0);
  const double alpha = node.number("alpha", 1);
  return {alpha == 1 ? silu(x) : x * sigmoid(x * alpha)};
}

// With the usual numbers the node SELU; with others the same function with other numbers.
Items selu_node(const NodeCall& node) {
  const double alpha = node.number("alpha", 1.67326319217681884765625);
  const double gamma = node.number("gamma", 1.05070102214813232421875);
  const auto is = [](double number, double usual) { return std::abs(number - usual) < 1e-6; };
  if (is(alpha, 1.6732632423543772) && is(gamma, 1.0507009873554805)) {
    return {selu(node.value(0))};
  }
  return {elu(node.value(0), alpha, gamma)};
}

// A slope for each channel is the node; of any other shape it is made of others.
Items prelu_node(const NodeCall& node) {
  const Value x = node.value(0), slope = node.value(1);
  if (slope.shape().numel() == 1) return {prelu(x, reshape(slope, Dims{1}))};
  // Before opset 7 of one axis, that of the channels.
  if (node.opset() < 7 && slope.shape().rank() == 1) return {prelu(x, slope)};
  const std::size_t behind = x.shape().rank() > 2 ? x.shape().rank() - 2 : 0;
  Dims channels(behind + 1, 1);
  if (x.shape().rank() >= 2) channels[0] = x.shape()[1];
  Dims own = slope.shape().dims();
  if (own.size() == x.shape().rank() && own[0] == 1) own.erase(own.begin());
  if (x.shape().rank() >= 2 && own == channels) return {prelu(x, reshape(slope, Dims{own[0]}))};
  return {relu(x) - slope * relu(-x)};
}

Items shrink(const NodeCall& node) {
  const Value x = node.value(0);
  const double bias = node.number("bias", 0), lambda = node.number("lambd", 0.5);
  if (is_floating(x.dtype()) && bias == 0) return {hardshrink(x, lambda)};
  if (is_floating(x.dtype()) && bias == lambda) return {softshrink(x, lambda)};
  const Value zero = node.constant(0, x.dtype());
  return {where(lt(x, -lambda), x + bias, where(gt(x, lambda), x - bias, zero))};
}

Items cast_to(const NodeCall& node, std::int64_t type) {
  const std::optional<DType> dtype = dtype_of(static_cast<std::int32_t>(type));
  if (!dtype)
    node.unsupported("there is no tensor of {} here", type_name(static_cast<std::int32_t>(type)));
  return {cast(node.value(0), *dtype)};
}

Items cast_node(const NodeCall& node) {
  // In opset 1 to 5 the type is a name.
  return cast_to(node, node.integer("to"));
}
Items cast_like(const NodeCall& node) { return {cast(node.value(0), node.dtype(1))}; }

// Functions made of others.
Items softmax_like(const NodeCall& node, Value (*function)(Operand, std::int64_t)) {
  const Value x = node.value(0);
  const Shape shape = x.shape();
  if (node.opset() >= 13) return {function(x, axis_of(node.integer("axis", -1), shape))};
  // Before, over all axes from this one on together.
  const std::int64_t axis = axis_of(node.integer("axis", 1), shape);
  if (axis + 1 == static_cast<std::int64_t>(shape.rank())) return {function(x, axis)};
  std::int64_t rows = 1;
  for (std::int64_t i = 0; i < axis; ++i) rows *= shape[i];
  const std::int64_t columns = rows == 0 ? 0 : shape.numel() / rows;
  return {reshape(function(reshape(x, Dims{rows, columns}), 1), shape)};
}
Items softmax_node(const NodeCall& node) { return softmax_like(node, aclgrad::softmax); }
Items log_softmax_node(const NodeCall& node) { return softmax_like(node, aclgrad::log_softmax); }

Value hardmax(Operand x, std::int64_t axis) {
  const Value place = argmax(x, axis, true);
  Dims dims(x.shape().rank(), 1);
  dims[static_cast<std::size_t>(axis)] = x.shape()[axis];
  const Tensor places = Tensor::arange(x.shape()[axis], 0, 1, DType::int64).reshape(Shape(dims));
  return cast(eq(x.graph().constant(places), place), x.dtype());
}
Items hardmax_node(const NodeCall& node) { return softmax_like(node, hardmax); }

constexpr Operator kOperators[] = {
    {"Abs", unary<abs>},
    {"Add", add_node},
    {"Cast", cast_node},
    {"CastLike", cast_like},
    {"Celu", celu_node},
    {"Clip", clip, 0b110},
    {"Cos", unary<cos>},
    {"Div", div_node},
    {"Elu", elu_node},
    {"Erf", unary<erf>},
    {"Exp", unary<exp>},
    {"Gelu", gelu_node},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", unary<hardswish>},
    {"Hardmax", hardmax_node},
    {"LeakyRelu", leaky_relu_node},
    {"Log", unary<log>},
    {"LogSoftmax", log_softmax_node},
    {"Max", variadic<maximum>},
    {"Mean", mean_node},
    {"Min", variadic<minimum>},
    {"Mish", unary<mish>},
    {"Mul", mul_node},
    {"Neg", neg_node},
    {"PRelu", prelu_node},
    {"Pow", pow_node},
    {"Reciprocal", unary<reciprocal>},
    {"Relu", unary<relu>},
    {"Selu", selu_node},
    {"Shrink", shrink},
    {"Sigmoid", unary<sigmoid>},
    {"Sign", unary<sign>},
    {"Sin", unary<sin>},
    {"Softmax", softmax_node},
    {"Softplus", softplus_node},
    {"Softsign", softsign},
    {"Sqrt", unary<sqrt>},
    {"Sub", sub_node},
    {"Sum", variadic<plus>},
    {"Swish", swish},
    {"Tanh", unary<tanh>},
    {"ThresholdedRelu", thresholded_relu},
};

}  // namespace
}  // namespace elementwise_nodes

std::span<const Operator> elementwise_operators() { return elementwise_nodes::kOperators; }

}  // namespace aclgrad::onnx
