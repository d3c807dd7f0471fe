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

void add_bounded(RuleTable& table) {
  using V = const Value&;
  add_unary<TanhOp>(table, [](V g, V, V y) { return tanh_backward(g, y); });
  add_unary<SigmoidOp>(table, [](V g, V, V y) { return sigmoid_backward(g, y); });
  add_unary<ReluOp>(table, [](V g, V x, V) { return threshold_backward(g, x, 0); });
  add_unary<SiluOp>(table, [](V g, V x, V) { return silu_backward(g, x); });

  table.add<LeakyReluOp>([](const LeakyReluOp& op, const RuleCall& call) {
    return InputGradients{leaky_relu_backward(call.gradient(), call.input(), op.negative_slope)};
  });

  table.add<SoftplusOp>([](const SoftplusOp& op, const RuleCall& call) {
    return InputGradients{softplus_backward(call.gradient(), call.input(), op.beta, op.threshold)};
  });
}

// Functions that are one formula.
void add_formulas(RuleTable& table) {
  using V = const Value&;
  add_unary<MishOp>(table, [](V g, V x, V) { return mish_backward(g, x); });
  add_unary<HardsigmoidOp>(table, [](V g, V x, V) { return hardsigmoid_backward(g, x); });
  add_unary<FastGeluOp>(table, [](V g, V x, V) { return fast_gelu_backward(g, x); });
  add_unary<LogSigmoidOp>(table, [](V g, V x, V) { return log_sigmoid_backward(g, x); });
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
  table.add<PreluOp>([](const PreluOp&, const RuleCall& call) {
    const auto [by_x, by_weight] = prelu_backward(call.gradient(), call.input(0), call.input(1));
    return InputGradients{by_x, by_weight};
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

// A rule for B(g, s) without attributes: B of what arrived, and curvature(v, s) = v d'(s).
template <class OpType, class Backward, class Curvature>
void add_backward(RuleTable& table, Backward, Curvature) {
  table.add_composed<OpType>([](const OpType&, const RuleCall& call) {
    const Value& c = call.gradient();
    const Value& s = call.input(1);
    InputGradients gradients(2);
    if (call.needs(0)) gradients[0] = Backward()(c, s);
    if (call.needs(1)) gradients[1] = Curvature()(mul(call.input(0), c), s);
    return gradients;
  });
}

void add_gradients(RuleTable& table) {
  using V = const Value&;
  add_backward<TanhBackwardOp>(
      table, [](V c, V y) { return tanh_backward(c, y); },
      [](V v, V y) { return mul(v, mul(y, -2)); });
  add_backward<SigmoidBackwardOp>(
      table, [](V c, V y) { return sigmoid_backward(c, y); },
      [](V v, V y) { return mul(v, add(mul(y, -2), 1)); });
  // v s (1 - s) (2 + x (1 - 2s)) with s = sigmoid(x). 1 - s is computed as sigmoid(-x): the
  // difference would be 0 for large x.
  add_backward<SiluBackwardOp>(
      table, [](V c, V x) { return silu_backward(c, x); },
      [](V v, V x) {
        const Value s = sigmoid(x);
        const Value rest = sigmoid(mul(x, -1));
        const Value factor = add(mul(x, sub(rest, s)), 2);
        return mul(v, mul(mul(s, rest), factor));
      });

  table.add_composed<SoftplusBackwardOp>([](const SoftplusBackwardOp& op, const RuleCall& call) {
    const Value& c = call.gradient();
    const Value& x = call.input(1);
    InputGradients gradients(2);
    if (call.needs(0)) gradients[0] = softplus_backward(c, x, op.beta, op.threshold);
    if (call.needs(1)) gradients[1] = softplus_curvature(mul(call.input(0), c), x, op);
    return gradients;
  });

  // The slopes of these two are constant on each side of the corner.
  table.add<ThresholdBackwardOp>([](const ThresholdBackwardOp& op, const RuleCall& call) {
    const Value& c = call.gradient();
    return InputGradients{
        call.needs(0) ? threshold_backward(c, call.input(1), op.threshold) : Value(), Value()};
  });

  table.add<LeakyReluBackwardOp>([](const LeakyReluBackwardOp& op, const RuleCall& call) {
    const Value& c = call.gradient();
    return InputGradients{
        call.needs(0) ? leaky_relu_backward(c, call.input(1), op.negative_slope) : Value(),
        Value()};
  });
}

}  // namespace

void add_activation_rules(RuleTable& table) {
  table.add<SeluOp>([](const SeluOp&, const RuleCall& call) {
    return InputGradients{selu_backward(call.gradient(), call.output())};
  });

  table.add<EluOp>([](const EluOp& op, const RuleCall& call) {
    const bool from_result = op.backward_from == BackwardFrom::result;
    return InputGradients{elu_backward(call.gradient(), from_result ? call.output() : call.input(),
                                       op.alpha, op.scale, op.input_scale, op.backward_from)};
  });

  table.add<HardswishOp>([](const HardswishOp&, const RuleCall& call) {
    return InputGradients{hardswish_backward(call.gradient(), call.input())};
  });

  table.add<GeluTanhOp>([](const GeluTanhOp&, const RuleCall& call) {
    return InputGradients{gelu_backward(call.gradient(), call.input(), Approximate::tanh)};
  });

  table.add<GeluOp>([](const GeluOp& op, const RuleCall& call) {
    return InputGradients{gelu_backward(call.gradient(), call.input(), op.approximate)};
  });

  table.add<GegluOp>([](const GegluOp& op, const RuleCall& call) {
    Value gradient;
    if (call.has_gradient(0)) {
      gradient = geglu_backward(call.gradient(), call.input(), call.output(1), op.dim,
                                op.approximate, op.activate_left);
    }
    if (call.has_gradient(1)) {  // from a gradient of the gradient
      const Value kept = geglu_kept_gradient(op, call);
      gradient = gradient ? add(gradient, kept) : kept;
    }
    return InputGradients{gradient};
  });

  add_bounded(table);
  add_formulas(table);
  add_formula_gradients(table);
  add_gradients(table);
}

}  // namespace aclgrad::detail
