// SPDX-License-Identifier: Apache-2.0
// Gradients of gradients of the activations that are one formula or a gate; see
// activation_second_order.cpp. Where two nodes are made, each is a statement.
#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// v q s (2 + x ((1 - s) - 2 t s)) with t = tanh(softplus(x)), q = 1 - t^2, s = sigmoid(x).
Value mish_curvature(const Value& v, const Value& x) {
  const Value t = tanh(softplus(x));
  const Value s = sigmoid(x);
  const Value rest = sigmoid(mul(x, -1));
  const Value bend = sub(rest, mul(mul(t, s), 2));
  const Value factor = mul(s, add(mul(x, bend), 2));
  return mul(tanh_backward(v, t), factor);
}

struct Halves {
  Value a, b;

  Halves(const Value& x, std::int64_t dim) {
    const std::int64_t middle = x.shape()[dim] / 2;
    a = slice(x, dim, 0, middle);
    b = slice(x, dim, middle);
  }
};

// B(g, [a, b]) = [g p(b), g a p'(b)] with p = sigmoid, of an upstream [c, d].
constexpr auto glu_gradients = [](auto& op, Call call) {
  const Halves x(call.input(1), op.dim), up(call.gradient(), op.dim);
  const Value s = sigmoid(x.b);
  const Value& g = call.input(0);
  InputGradients gradients(2);
  if (call.needs(0)) {
    const Value direct = mul(up.a, s);
    gradients[0] = add(direct, sigmoid_backward(mul(up.b, x.a), s));
  }
  if (call.needs(1)) {
    const Value by_a = sigmoid_backward(mul(up.b, g), s);
    const Value slope = sigmoid_backward(mul(up.a, g), s);
    const Value bend = mul(by_a, mul(x.a, add(mul(s, -2), 1)));
    gradients[1] = cat({by_a, add(slope, bend)}, op.dim);
  }
  return gradients;
};

// B(g, [a, b]) = [g b f'(a), g f(a)] with f = silu.
constexpr auto swiglu_gradients = [](auto& op, Call call) {
  const Halves x(call.input(1), op.dim), up(call.gradient(), op.dim);
  const Value& g = call.input(0);
  InputGradients gradients(2);
  if (call.needs(0)) {
    const Value direct = silu_backward(mul(up.a, x.b), x.a);
    gradients[0] = add(direct, mul(up.b, silu(x.a)));
  }
  if (call.needs(1)) {
    const Value by_b = silu_backward(mul(up.a, g), x.a);
    const Value slope = silu_backward(mul(up.b, g), x.a);
    const Value bend = silu_curvature(mul(mul(up.a, g), x.b), x.a);
    gradients[1] = cat({add(slope, bend), by_b}, op.dim);
  }
  return gradients;
};

// B(g, x, w) = (g p(x, w), sum of g min(x, 0)) with p = 1 for x > 0 and w elsewhere, of an upstream
// (c, e).
constexpr auto prelu_gradients = [](auto&, Call call) {
  const Value& g = call.input(0);
  const Value& x = call.input(1);
  const Value& w = call.input(2);
  InputGradients gradients(3);
  const Value negative = cast(le(x, 0), x.dtype());
  const auto along = [&](const Value& weight) {  // over the channels of x
    const std::size_t rank = x.shape().rank();
    if (rank < 2) return rank == 0 ? reshape(weight, {}) : weight;
    std::vector<std::int64_t> dims(rank - 1, 1);
    dims[0] = weight.shape()[0];
    return reshape(weight, dims);
  };
  if (call.has_gradient(0)) {
    gradients[0] = prelu_backward(call.gradient(0), x, w)[0];
    const Value share = mul(call.gradient(0), g);
    gradients[2] = mul(prelu_backward(share, mul(negative, -1), w)[1], -1);
  }
  if (call.has_gradient(1)) {
    const Value e = along(call.gradient(1));
    const Value more = mul(clamp(x, {.max = 0}), e);
    gradients[0] = gradients[0] ? add(gradients[0], more) : more;
    gradients[1] = mul(mul(g, negative), e);
  }
  return gradients;
};

}  // namespace

void add_formula_gradients(RuleTable& table) {
  using V = const Value&;
  add_slope_of_slope<HardtanhBackwardOp>(table, kStraight);
  add_slope_of_slope<HardshrinkBackwardOp>(table, kStraight);
  add_slope_of_slope<SoftshrinkBackwardOp>(table, kStraight);
  add_slope_of_slope<HardsigmoidBackwardOp>(table, kStraight);
  add_slope_of_slope<MishBackwardOp>(table, [](V v, V x, auto&) { return mish_curvature(v, x); });
  // FastGelu is silu(1.702 x) / 1.702.
  add_slope_of_slope<FastGeluBackwardOp>(
      table, [](V v, V x, auto&) { return silu_curvature(mul(v, 1.702), mul(x, 1.702)); });
  add_slope_of_slope<LogSigmoidBackwardOp>(
      table, [](V v, V x, auto&) { return mul(sigmoid_backward(v, sigmoid(x)), -1); });
  // v (2 x - 1) / (x (1 - x))^2
  add_slope_of_slope<LogitBackwardOp>(table, [](V v, V x, auto& op) {
    const Value once = logit_backward(mul(v, add(mul(x, 2), -1)), x, op.eps);
    return logit_backward(once, x, op.eps);
  });
  table.add_composed<GluBackwardOp>(glu_gradients);
  table.add_composed<SwigluBackwardOp>(swiglu_gradients);
  table.add_composed<PreluBackwardOp>(prelu_gradients);
}

}  // namespace aclgrad::detail
