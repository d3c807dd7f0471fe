// SPDX-License-Identifier: Apache-2.0
// Gradients of gradients: rules for the activations' backward nodes, made of nodes that exist.
// Every backward is B(g, s) = g d(s), so its gradient with respect to g is the same backward of
// what arrived, and with respect to s it is v d'(s) with v = g times what arrived.
//
// At infinities second derivatives are NaN where the formula multiplies 0 by infinity.
//
// Every node is made in a statement of its own where another would be made beside it: compilers
// choose in which order arguments, and their nodes, are made.
#include <vector>

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
Value inside(const Value& v, const Value& x, HardswishGradient version) {
  const Value above = add(x, 3);
  const Value below = add(mul(x, -1), 3);
  if (version == HardswishGradient::v2) return step(step(v, above), below);
  const Value right = sub(v, step(v, mul(above, -1)));
  return sub(right, step(v, mul(below, -1)));
}

template <class OpType>
void add_hardswish(RuleTable& table, HardswishGradient version) {
  table.add<OpType>([version](const OpType&, const RuleCall& call) {
    const Value& c = call.gradient();
    const Value& x = call.input(1);
    return InputGradients{
        call.needs(0) ? hardswish_backward(c, x, version) : Value(),
        call.needs(1) ? mul(inside(mul(call.input(0), c), x, version), 1.0 / 3) : Value()};
  });
}

// GEGLU's halves along an axis, taken apart and put together by the loss that picks one of two
// classes, and its gradient: there is no slice, and a product with a mask would turn an infinity in
// one half into NaN in the other.
class Halves {
 public:
  Halves(const Value& full, std::int64_t dim) : full_(full), half_(full.shape().dims()) {
    const std::size_t axis = full.shape().normalize_axis(dim);
    half_[axis] /= 2;
    for (std::size_t i = 0; i < half_.size(); ++i) (i < axis ? outer_ : inner_) *= half_[i];
  }

  Value take(const Value& x, bool left) const {
    const Value pairs = permute(reshape(x, {outer_, 2, inner_}), {0, 2, 1});
    const Value rows = reshape(pairs, {outer_ * inner_, 2});
    const Value side = side_of(left);
    const Value weights = constant({2}, -1);  // the loss is minus the weight times what it picks
    return reshape(nll_loss(rows, side, weights, Reduction::none), half_);
  }

  // A half beside zeros.
  Value place(const Value& half, bool left) const {
    const Value column = reshape(half, {outer_ * inner_});
    const Value rows = expand(constant({1, 2}, 0), {outer_ * inner_, 2});  // only its shape counts
    const Value side = side_of(left);
    const Value weights = constant({2}, -1);
    const Value total = constant({}, 1);
    const Value pairs =
        nll_loss_backward(column, rows, side, weights, total, Reduction::none, kIgnoreIndex);
    return reshape(permute(reshape(pairs, {outer_, inner_, 2}), {0, 2, 1}), full_.shape().dims());
  }

  Value join(const Value& left, const Value& right) const {
    const Value first = place(left, true);
    const Value second = place(right, false);
    return add(first, second);
  }

 private:
  Value constant(const Shape& shape, double value) const {
    return full_.graph().constant(Tensor::full(shape, value, full_.dtype()));
  }

  Value side_of(bool left) const {
    const Tensor side = Tensor::full({1}, left ? 0 : 1, DType::uint8);
    return expand(full_.graph().constant(side), {outer_ * inner_});
  }

  Value full_;
  std::vector<std::int64_t> half_;
  std::int64_t outer_ = 1;
  std::int64_t inner_ = 1;
};

}  // namespace

// The gradient of the kept gelu, for GegluOp: only the activated half has any.
Value geglu_kept_gradient(const GegluOp& op, const RuleCall& call) {
  const Halves halves(call.input(), op.dim);
  const Value gate = halves.take(call.input(), op.activate_left);
  const Value slope = gelu_v2_backward(call.gradient(1), gate, op.approximate);
  return halves.place(slope, op.activate_left);
}

void add_second_order_rules(RuleTable& table) {
  table.add<SeluBackwardOp>([](const SeluBackwardOp&, const RuleCall& call) {
    const Value& c = call.gradient();
    // d'(y) is 1 for y < 0 and 0 elsewhere.
    Value by_g, by_y;
    if (call.needs(0)) by_g = selu_backward(c, call.input(1));
    if (call.needs(1)) {
      const Value minus_y = mul(call.input(1), -1);
      by_y = step(mul(call.input(0), c), minus_y);
    }
    return InputGradients{by_g, by_y};
  });

  table.add<EluBackwardOp>([](const EluBackwardOp& op, const RuleCall& call) {
    const Value& c = call.gradient();
    const Value& s = call.input(1);
    const auto backward = [&](const Value& v) {
      return elu_backward(v, s, op.alpha, op.scale, op.input_scale, op.backward_from);
    };
    Value by_s;
    if (call.needs(1)) {
      const Value v = mul(call.input(0), c);
      const Value right = step(v, s);
      Value left;
      if (op.backward_from == BackwardFrom::result) {
        left = sub(v, right);
      } else {
        const Value whole = backward(v);
        left = sub(whole, mul(right, as_float(op.scale)));
      }
      by_s = mul(left, as_float(op.input_scale));
    }
    return InputGradients{call.needs(0) ? backward(c) : Value(), by_s};
  });

  add_hardswish<HardswishBackwardOp>(table, HardswishGradient::v1);
  add_hardswish<HardswishBackwardV2Op>(table, HardswishGradient::v2);

  table.add<GeluBackwardOp>([](const GeluBackwardOp&, const RuleCall& call) {
    const Value& c = call.gradient();
    const Value& x = call.input(1);
    return InputGradients{call.needs(0) ? gelu_backward(c, x, Approximate::tanh) : Value(),
                          call.needs(1) ? tanh_curvature(mul(call.input(0), c), x) : Value()};
  });

  table.add<GeluV2BackwardOp>([](const GeluV2BackwardOp& op, const RuleCall& call) {
    const Value& c = call.gradient();
    const Value& x = call.input(1);
    return InputGradients{
        call.needs(0) ? gelu_v2_backward(c, x, op.approximate) : Value(),
        call.needs(1) ? curvature(mul(call.input(0), c), x, op.approximate) : Value()};
  });

  // B = (g gelu, g f gelu'(a)) with a the activated half of x and f the other one.
  table.add<GegluBackwardOp>([](const GegluBackwardOp& op, const RuleCall& call) {
    const Halves halves(call.input(1), op.dim);
    const Value& g = call.input(0);
    const Value a = halves.take(call.input(1), op.activate_left);
    const Value f = halves.take(call.input(1), !op.activate_left);
    const Value c_a = halves.take(call.gradient(), op.activate_left);
    const Value c_f = halves.take(call.gradient(), !op.activate_left);
    const auto slope = [&](const Value& v) { return gelu_v2_backward(v, a, op.approximate); };
    InputGradients gradients(3);
    if (call.needs(0)) {
      const Value by_gelu = mul(c_f, call.input(2));
      gradients[0] = add(by_gelu, mul(f, slope(c_a)));
    }
    if (call.needs(1)) {
      const Value weighted = mul(c_a, g);
      const Value by_f = slope(weighted);
      const Value by_a = curvature(mul(weighted, f), a, op.approximate);
      gradients[1] = op.activate_left ? halves.join(by_a, by_f) : halves.join(by_f, by_a);
    }
    if (call.needs(2)) gradients[2] = mul(c_f, g);
    return gradients;
  });
}

}  // namespace aclgrad::detail
