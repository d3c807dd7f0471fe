// SPDX-License-Identifier: Apache-2.0
// The elementwise functions. Those with a backward operator of their own have it as the gradient;
// the others' gradients are made of the functions themselves. Then the backward operators, each
// B(g, s) = g d(s): linear in g, and with respect to s it is v d'(s) for v = g times what arrived.
// A statement each where two nodes are made: compilers choose the order of arguments.
#include "aclgrad/ops/functions.h"

#include "aclgrad/ops/arithmetic.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

constexpr double kTwoOverRootPi = 1.1283791670955125739;

// A rule for a function of one input: its gradient from g, x and y.
template <class OpType, class Slope>
void add_unary(RuleTable& table, Slope) {
  table.add<OpType>([](const OpType&, const RuleCall& call) {
    return InputGradients{Slope()(call.gradient(), call.input(), call.output())};
  });
}

void add_functions(RuleTable& table) {
  using V = const Value&;
  add_unary<ExpOp>(table, [](V g, V, V y) { return mul(g, y); });
  add_unary<LogOp>(table, [](V g, V x, V) { return mul(g, reciprocal(x)); });
  add_unary<SqrtOp>(table, [](V g, V, V y) {
    const Value half = mul(g, 0.5);
    return mul(half, reciprocal(y));
  });
  add_unary<RsqrtOp>(table, [](V g, V, V y) {
    const Value cube = mul(mul(y, y), y);
    return mul(mul(g, -0.5), cube);
  });
  add_unary<ReciprocalOp>(table, [](V g, V, V y) { return mul(g, mul(mul(y, y), -1)); });
  add_unary<SinOp>(table, [](V g, V x, V) { return mul(g, cos(x)); });
  add_unary<CosOp>(table, [](V g, V x, V) { return mul(g, mul(sin(x), -1)); });
  add_unary<ErfOp>(table, [](V g, V x, V) {
    const Value bell = exp(mul(mul(x, x), -1));
    return mul(g, mul(bell, kTwoOverRootPi));
  });
  add_unary<NegOp>(table, [](V g, V, V) { return neg(g); });
  add_unary<AbsOp>(table, [](V g, V x, V) { return mul(g, sign(x)); });
  add_unary<SignOp>(table, [](V, V x, V) { return zeros_for(x); });
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
  table.add<OpType>([](const OpType&, const RuleCall& call) {
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

  table.add<SoftplusBackwardOp>([](const SoftplusBackwardOp& op, const RuleCall& call) {
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

void add_function_rules(RuleTable& table) {
  add_functions(table);
  add_gradients(table);
}

}  // namespace aclgrad::detail
