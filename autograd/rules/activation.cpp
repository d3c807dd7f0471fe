// SPDX-License-Identifier: Apache-2.0
// An activation's gradient is its backward operator. Those of bounded activations have their own
// gradients here, those of the others in activation_second_order.cpp. A backward operator is
// B(g, s) = g d(s): linear in g, and with respect to s it is v d'(s) for v = g times what arrived.
// Where two nodes are made, each is a statement: compilers choose the order of arguments.
#include "aclgrad/ops/activation.h"

#include "aclgrad/ops/arithmetic.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// From the forward's output, or from its input.
void add_slopes(RuleTable& table) {
  using V = const Value&;
  add_unary<SeluOp>(table, [](V g, V, V y) { return selu_backward(g, y); });
  add_unary<TanhOp>(table, [](V g, V, V y) { return tanh_backward(g, y); });
  add_unary<SigmoidOp>(table, [](V g, V, V y) { return sigmoid_backward(g, y); });
  add_unary<ReluOp>(table, [](V g, V x, V) { return threshold_backward(g, x, 0); });
  add_unary<SiluOp>(table, [](V g, V x, V) { return silu_backward(g, x); });
  add_unary<HardswishOp>(table, [](V g, V x, V) { return hardswish_backward(g, x); });
  add_unary<GeluTanhOp>(table, [](V g, V x, V) { return gelu_backward(g, x, Approximate::tanh); });
  add_unary<MishOp>(table, [](V g, V x, V) { return mish_backward(g, x); });
  add_unary<HardsigmoidOp>(table, [](V g, V x, V) { return hardsigmoid_backward(g, x); });
  add_unary<FastGeluOp>(table, [](V g, V x, V) { return fast_gelu_backward(g, x); });
  add_unary<LogSigmoidOp>(table, [](V g, V x, V) { return log_sigmoid_backward(g, x); });
  add_slope<GeluOp>(table, [](V g, V x, auto& op) { return gelu_backward(g, x, op.approximate); });
  add_slope<LeakyReluOp>(
      table, [](V g, V x, auto& op) { return leaky_relu_backward(g, x, op.negative_slope); });
  add_slope<SoftplusOp>(
      table, [](V g, V x, auto& op) { return softplus_backward(g, x, op.beta, op.threshold); });
  add_slope<HardtanhOp>(table,
                        [](V g, V x, auto& op) { return hardtanh_backward(g, x, op.min, op.max); });
  add_slope<HardshrinkOp>(table,
                          [](V g, V x, auto& op) { return hardshrink_backward(g, x, op.lambda); });
  add_slope<SoftshrinkOp>(table,
                          [](V g, V x, auto& op) { return softshrink_backward(g, x, op.lambda); });
  add_slope<ThresholdOp>(table,
                         [](V g, V x, auto& op) { return threshold_backward(g, x, op.threshold); });
  add_slope<LogitOp>(table, [](V g, V x, auto& op) { return logit_backward(g, x, op.eps); });
  add_slope<GluOp>(table, [](V g, V x, auto& op) { return glu_backward(g, x, op.dim); });
  add_slope<SwigluOp>(table, [](V g, V x, auto& op) { return swiglu_backward(g, x, op.dim); });
  // ELU's gradient with an input scale of 1 / alpha, which the operator takes as a float: float64
  // divides before.
  add_slope<CeluOp>(table, [](V g, V x, auto& op) {
    const double scale = 1 / op.alpha;
    if (op.alpha > 0 && as_float(scale) != scale && x.dtype() == DType::float64) {
      return elu_backward(g, mul(x, scale), 1, 1, 1);
    }
    return elu_backward(g, x, op.alpha, 1, scale);
  });
  table.add<PreluOp>([](auto&, Call call) {
    return prelu_backward(call.gradient(), call.input(0), call.input(1));
  });
}

// v beta s (1 - s) with s = sigmoid(beta x), and 0 where the slope is the constant 1.
Value softplus_curvature(const Value& v, const Value& x, const SoftplusOp::Attributes& values) {
  const Value z = mul(x, as_float(values.beta));
  const Value above = threshold_backward(v, add(z, -as_float(values.threshold)), 0);
  const Value inside = mul(sub(v, above), as_float(values.beta));
  const Value s = sigmoid(z);
  const Value rest = sigmoid(mul(z, -1));
  return mul(inside, mul(s, rest));
}

void add_slopes_of_slopes(RuleTable& table) {
  using V = const Value&;
  add_slope_of_slope<TanhBackwardOp>(table, [](V v, V y, auto&) { return mul(v, mul(y, -2)); });
  add_slope_of_slope<SigmoidBackwardOp>(table,
                                        [](V v, V y, auto&) { return mul(v, add(mul(y, -2), 1)); });
  add_slope_of_slope<SiluBackwardOp>(table, [](V v, V x, auto&) { return silu_curvature(v, x); });
  add_slope_of_slope<SoftplusBackwardOp>(
      table, [](V v, V x, auto& op) { return softplus_curvature(v, x, op); });
  add_slope_of_slope<ThresholdBackwardOp>(table, kStraight);
  add_slope_of_slope<LeakyReluBackwardOp>(table, kStraight);
}

}  // namespace

void add_activation_rules(RuleTable& table) {
  add_slopes(table);

  table.add<EluOp>([](auto& op, Call call) {
    const bool from_result = op.backward_from == BackwardFrom::result;
    return elu_backward(call.gradient(), from_result ? call.output() : call.input(), op.alpha,
                        op.scale, op.input_scale, op.backward_from);
  });

  table.add<GegluOp>([](auto& op, Call call) {
    Value gradient;
    if (call.has_gradient(0)) {
      gradient = geglu_backward(call.gradient(), call.input(), call.output(1), op.dim,
                                op.approximate, op.activate_left);
    }
    if (call.has_gradient(1)) {  // from a gradient of the gradient
      const Value kept = geglu_kept_gradient(op, call);
      gradient = gradient ? add(gradient, kept) : kept;
    }
    return gradient;
  });

  add_formula_gradients(table);
  add_slopes_of_slopes(table);
}

}  // namespace aclgrad::detail
