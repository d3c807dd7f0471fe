// SPDX-License-Identifier: Apache-2.0
// Gradients of gradients: rules for the activations' backward nodes, made of nodes that exist.
// Every backward is B(g, s) = g d(s), so its gradient with respect to g is the same backward of
// what arrived, and with respect to s it is v d'(s) with v = g times what arrived.
//
// At infinities second derivatives are NaN where the formula multiplies 0 by infinity.
//
// Every node is made in a statement of its own where another would be made beside it: compilers
// choose in which order arguments, and their nodes, are made.
#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// v where t > 0, else 0, and NaN where t is NaN.
Value step(const Value& v, const Value& t) { return threshold_backward(v, t, 0); }

constexpr double kTwiceRoot = 1.5957691216057307117;  // 2 sqrt(2/pi)
constexpr double kCubic = 0.044715;
constexpr double kInvSqrt2Pi = 0.39894228040143267794;

// v gelu''(x), erf form: the density times 2 - x^2.
Value erf_curvature(const Value& v, const Value& x) {
  const Value squared = mul(x, x);
  const Value polynomial = mul(add(mul(squared, -1), 2), kInvSqrt2Pi);
  const Value weighted = mul(v, polynomial);
  return mul(weighted, exp(mul(squared, -0.5)));
}

// v gelu''(x), tanh form x s(z): s'z'(2 + x z'(1 - 2s)) + x s' z'' with s' = s(1 - s).
Value tanh_curvature(const Value& v, const Value& x) {
  const Value squared = mul(x, x);
  const Value z = mul(mul(x, add(mul(squared, kCubic), 1)), kTwiceRoot);
  const Value slope = mul(add(mul(squared, 3 * kCubic), 1), kTwiceRoot);  // z'
  const Value bend = mul(x, 6 * kCubic * kTwiceRoot);                     // z''
  const Value s = sigmoid(z);
  const Value rest = sigmoid(mul(z, -1));  // 1 - s would be 0 for large z
  const Value change = mul(x, slope);
  const Value factor = add(mul(change, sub(rest, s)), 2);  // 2 + x z'(1 - 2s)
  const Value first = mul(slope, factor);
  const Value second = mul(x, bend);
  const Value sum = add(first, second);
  return mul(v, mul(mul(s, rest), sum));
}

Value curvature(const Value& v, const Value& x, Approximate form) {
  return form == Approximate::tanh ? tanh_curvature(v, x) : erf_curvature(v, x);
}

// v where x lies between -3 and 3, with or without the ends.
Value inside(const Value& v, const Value& x, CornerSlope corners) {
  const Value above = add(x, 3);
  const Value below = add(mul(x, -1), 3);
  if (corners == CornerSlope::outside) return step(step(v, above), below);
  const Value right = sub(v, step(v, mul(above, -1)));
  return sub(right, step(v, mul(below, -1)));
}

template <class OpType, CornerSlope kCorners>
void add_hardswish(RuleTable& table) {
  add_slope_of_slope<OpType>(table, [](const Value& v, const Value& x, auto&) {
    return mul(inside(v, x, kCorners), 1.0 / 3);
  });
}

// x's first or second half along an axis.
Value half_of(const Value& x, std::int64_t dim, bool first) {
  const std::int64_t middle = x.shape()[dim] / 2;
  return first ? slice(x, dim, 0, middle) : slice(x, dim, middle);
}

}  // namespace

// v s (1 - s) (2 + x (1 - 2 s)) with s = sigmoid(x). 1 - s is computed as sigmoid(-x): the
// difference would be 0 for large x.
Value silu_curvature(const Value& v, const Value& x) {
  const Value s = sigmoid(x);
  const Value rest = sigmoid(mul(x, -1));
  const Value factor = add(mul(x, sub(rest, s)), 2);
  return mul(v, mul(mul(s, rest), factor));
}

// The gradient of the kept gelu, for GegluOp: only the activated half has any.
Value geglu_kept_gradient(const GegluOp& op, const RuleCall& call) {
  const Value gate = half_of(call.input(), op.dim, op.activate_left);
  const Value slope = gelu_backward(call.gradient(1), gate, op.approximate);
  const std::int64_t other = gate.shape()[op.dim];
  return op.activate_left ? pad_along(slope, op.dim, 0, other) : pad_along(slope, op.dim, other, 0);
}

void add_activation_second_order_rules(RuleTable& table) {
  using V = const Value&;
  // d'(y) is 1 for y < 0 and 0 elsewhere.
  add_slope_of_slope<SeluBackwardOp>(table, [](V v, V y, auto&) { return step(v, mul(y, -1)); });
  add_slope_of_slope<EluBackwardOp>(table, [](V v, V s, auto& op) {
    const Value right = step(v, s);
    Value left;
    if (op.backward_from == BackwardFrom::result) {
      left = sub(v, right);
    } else {
      const Value whole = elu_backward(v, s, op.alpha, op.scale, op.input_scale, op.backward_from);
      left = sub(whole, mul(right, as_float(op.scale)));
    }
    return mul(left, as_float(op.input_scale));
  });
  add_hardswish<HardswishBackwardOp, CornerSlope::inside>(table);
  add_hardswish<HardswishBackwardV2Op, CornerSlope::outside>(table);
  add_slope_of_slope<GeluTanhBackwardOp>(table,
                                         [](V v, V x, auto&) { return tanh_curvature(v, x); });
  add_slope_of_slope<GeluBackwardOp>(
      table, [](V v, V x, auto& op) { return curvature(v, x, op.approximate); });

  // B = (g gelu, g f gelu'(a)) with a the activated half of x and f the other one.
  table.add_composed<GegluBackwardOp>([](auto& op, Call call) {
    const Value& g = call.input(0);
    const Value a = half_of(call.input(1), op.dim, op.activate_left);
    const Value f = half_of(call.input(1), op.dim, !op.activate_left);
    const Value c_a = half_of(call.gradient(), op.dim, op.activate_left);
    const Value c_f = half_of(call.gradient(), op.dim, !op.activate_left);
    const auto slope = [&](const Value& v) { return gelu_backward(v, a, op.approximate); };
    InputGradients gradients(3);
    if (call.needs(0)) {
      const Value by_gelu = mul(c_f, call.input(2));
      gradients[0] = add(by_gelu, mul(f, slope(c_a)));
    }
    if (call.needs(1)) {
      const Value weighted = mul(c_a, g);
      const Value by_f = slope(weighted);
      const Value by_a = curvature(mul(weighted, f), a, op.approximate);
      gradients[1] = op.activate_left ? cat({by_a, by_f}, op.dim) : cat({by_f, by_a}, op.dim);
    }
    if (call.needs(2)) gradients[2] = mul(c_f, g);
    return gradients;
  });
}

}  // namespace aclgrad::detail
