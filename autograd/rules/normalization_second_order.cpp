// SPDX-License-Identifier: Apache-2.0
// Gradients of the gradients of normalizations. With h = (x - m) r, what a normalization makes of x
// before its weight w and bias, a backward is
//
//   B_x = P(g w),  B_w = sum(g h),  B_b = sum(g),  P(v) = r (v - mean(v) - h mean(v h)),
//
// with means over what is normalized together. P is the backward itself, with a weight of 1. The
// statistics m and r depend on x, so for C, D, E that arrive at B_x, B_w, B_b, with
// u = D g - r (C mean(g w h) + g w mean(C h)), the gradients are
//
//   by g: w P(C) + D h + E,  by w: sum(g P(C)),  by x: P(u) - r h mean(C P(g w)).
//
// rms_norm has m = 0 and P without mean(v), which changes nothing else. Running statistics do not
// depend on x: P(v) = r v and u = D g, and of the gradient by x only P(u) is left.
#include <functional>
#include <numeric>

#include "aclgrad/ops.h"
#include "aclgrad/ops/normalization.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

using Axes = std::vector<std::int64_t>;
using Map = std::function<Value(const Value&)>;

struct Normalization {
  Value h, r, w;          // r and w broadcast over h
  Map project = {};       // P
  Map average = {};       // over what is normalized together; broadcasts over h
  Map spread = {};        // of the weight's shape: broadcasts over h
  Map sum = {};           // of h's shape: the weight's, or what the engine sums to it
  bool follows_x = true;  // whether the statistics do
};

struct Arrived {
  Value by_x, by_w, by_b;  // C, D, E: empty where nothing arrived
};

Arrived arrived(const RuleCall& call, const std::array<bool, 3>& wanted) {
  std::size_t output = 0;
  const auto next = [&](bool is_output) {
    if (!is_output) return Value();
    const std::size_t at = output++;
    return call.has_gradient(at) ? call.gradient(at) : Value();
  };
  Arrived all;
  all.by_x = next(wanted[0]);
  all.by_w = next(wanted[1]);
  all.by_b = next(wanted[2]);
  return all;
}

// Statistics are taken for those of x, which they are where the forward operator made them of x.
template <class Forward>
void require_statistics_of_x(const RuleCall& call, std::size_t statistic = 2) {
  const Node& maker = call.input(statistic).node();
  if (dynamic_cast<const Forward*>(maker.op.get()) != nullptr &&
      maker.inputs.front() == call.input(1).id()) {
    return;
  }
  call.no_gradient_for("a normalization by statistics that are not those of x");
}

// By g, x and w.
std::array<Value, 3> gradients_of(const Normalization& it, const Value& g, const Arrived& c) {
  Value by_g, by_x, by_w, u;
  if (c.by_w) {
    const Value d = it.spread(c.by_w);
    by_g = mul(it.h, d);
    u = mul(g, d);
  }
  if (c.by_b) add_to(by_g, expand(it.spread(c.by_b), it.h.shape()));
  if (c.by_x) {
    const Value projected = it.project(c.by_x);
    add_to(by_g, mul(projected, it.w));
    by_w = it.sum(mul(g, projected));
  }
  if (c.by_x && it.follows_x) {
    const Value weighted = mul(g, it.w);
    const Value first = mul(c.by_x, it.average(mul(weighted, it.h)));
    const Value second = mul(weighted, it.average(mul(c.by_x, it.h)));
    add_to(u, mul(mul(add(first, second), it.r), -1));
    const Value share = it.average(mul(c.by_x, it.project(weighted)));
    by_x = mul(mul(mul(it.h, it.r), share), -1);
  }
  if (u) add_to(by_x, it.project(u));
  return {by_g, by_x, by_w};
}

Value ones(const Value& like, DType dtype) {
  return like.graph().constant(Tensor::full(like.shape(), 1, dtype));
}

// The last axes of x, those of the weight.
Axes row_axes(const Value& x, const Value& weight) {
  Axes axes(weight.shape().rank());
  std::iota(axes.begin(), axes.end(),
            static_cast<std::int64_t>(x.shape().rank() - weight.shape().rank()));
  return axes;
}

// A number for each row, [..., 1, 1].
Value rows_of(const Value& numbers, const Value& x, const Axes& axes) {
  Axes dims = x.shape().dims();
  for (const std::int64_t axis : axes) dims[static_cast<std::size_t>(axis)] = 1;
  return reshape(numbers, dims);
}

Value identity(const Value& v) { return v; }

}  // namespace

void add_normalization_second_order_rules(RuleTable& table) {
  table.add<LayerNormBackwardOp>([](auto& op, Call call) {
    require_statistics_of_x<LayerNormOp>(call);
    const Value &mean_of_row = call.input(2), &r = call.input(3);
    const DType wide = r.dtype();
    const Value g = cast(call.input(0), wide), x = cast(call.input(1), wide);
    const Axes axes = row_axes(x, call.input(4));
    const Value weight = ones(call.input(4), wide);
    Normalization it{.h = mul(sub(x, mean_of_row), r), .r = r, .w = cast(call.input(4), wide)};
    it.project = [&](const Value& v) {
      return layer_norm_backward(v, x, mean_of_row, r, weight, {true, false, false})[0];
    };
    it.average = [&](const Value& v) { return mean(v, axes, true); };
    it.spread = it.sum = identity;
    const auto [by_g, by_x, by_w] = gradients_of(it, g, arrived(call, op.wanted));
    return InputGradients{by_g, by_x, Value(), Value(), by_w};
  });

  // Of alpha x + gx: what arrives at both gradients, and goes to both.
  table.add<DeepNormBackwardOp>([](auto& op, Call call) {
    require_statistics_of_x<DeepNormOp>(call, 4);
    const Value &gamma = call.input(3), &mean_of_row = call.input(4), &r = call.input(5);
    const DType wide = r.dtype();
    const Value g = cast(call.input(0), wide);
    const Value x = add(mul(cast(call.input(1), wide), op.alpha), cast(call.input(2), wide));
    const Axes axes = row_axes(x, gamma);
    const Value weight = ones(gamma, wide);
    Normalization it{.h = mul(sub(x, mean_of_row), r), .r = r, .w = cast(gamma, wide)};
    it.project = [&](const Value& v) {
      return layer_norm_backward(v, x, mean_of_row, r, weight, {true, false, false})[0];
    };
    it.average = [&](const Value& v) { return mean(v, axes, true); };
    it.spread = it.sum = identity;
    Arrived c;
    if (call.has_gradient(0)) c.by_x = mul(cast(call.gradient(0), wide), op.alpha);
    if (call.has_gradient(1)) add_to(c.by_x, cast(call.gradient(1), wide));
    if (call.has_gradient(2)) c.by_b = call.gradient(2);
    if (call.has_gradient(3)) c.by_w = call.gradient(3);
    const auto [by_g, by_sum, by_w] = gradients_of(it, g, c);
    const Value by_x = by_sum ? mul(by_sum, op.alpha) : Value();
    return InputGradients{by_g, by_x, by_sum, by_w, Value(), Value()};
  });

  table.add<RmsNormBackwardOp>([](auto&, Call call) {
    require_statistics_of_x<RmsNormOp>(call);
    const DType wide = call.input(2).dtype();
    const Value g = cast(call.input(0), wide), x = cast(call.input(1), wide);
    const Axes axes = row_axes(x, call.input(3));
    const Value weight = ones(call.input(3), wide), r = rows_of(call.input(2), x, axes);
    Normalization it{.h = mul(x, r), .r = r, .w = cast(call.input(3), wide)};
    it.project = [&](const Value& v) { return rms_norm_backward(v, x, call.input(2), weight)[0]; };
    it.average = [&](const Value& v) { return mean(v, axes, true); };
    it.spread = it.sum = identity;
    const auto [by_g, by_x, by_w] = gradients_of(it, g, arrived(call, {true, true, false}));
    return InputGradients{by_g, by_x, Value(), by_w};
  });

  // The spread is the variance or r, by product: r is computed anew.
  table.add<BatchNormBackwardOp>([](auto& op, Call call) {
    if (op.training) require_statistics_of_x<BatchNormOp>(call);
    if (!op.training && (call.needs(2) || call.needs(3))) {
      call.no_gradient_for("the running statistics");
    }
    const DType wide = call.input(2).dtype();
    const Value g = cast(call.input(0), wide), x = cast(call.input(1), wide);
    Axes channel(x.shape().rank(), 1), others(x.shape().rank());
    channel[1] = x.shape()[1];
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + 1);
    const auto spread = [&](const Value& v) { return reshape(v, channel); };
    const Value variance =
        op.training ? var(x, others, {.unbiased = false, .keepdim = true}) : spread(call.input(3));
    const Value r = rsqrt(add(variance, op.eps));
    const Value weight = ones(call.input(4), call.input(4).dtype());
    Normalization it{
        .h = mul(sub(x, spread(call.input(2))), r), .r = r, .w = spread(cast(call.input(4), wide))};
    it.project = [&](const Value& v) {
      return batch_norm_backward(v, x, call.input(2), call.input(3), weight,
                                 {op.training, op.eps, {true, false, false}})[0];
    };
    it.average = [&](const Value& v) { return mean(v, others, true); };
    it.spread = spread;
    it.sum = [&](const Value& v) { return reduce_sum(v, others); };
    it.follows_x = op.training;
    const auto [by_g, by_x, by_w] = gradients_of(it, g, arrived(call, op.wanted));
    return InputGradients{by_g, by_x, Value(), Value(), by_w};
  });

  table.add<GroupNormBackwardOp>([](auto& op, Call call) {
    require_statistics_of_x<GroupNormOp>(call);
    const Value &g = call.input(0), &x = call.input(1);
    const Shape& shape = x.shape();
    const Axes grouped = {shape[0], op.groups, shape.numel() / (shape[0] * op.groups)};
    const Axes number = {shape[0], op.groups, 1};
    const auto over_x = [&](const Value& numbers) {
      return reshape(expand(reshape(numbers, number), Shape(grouped)), shape.dims());
    };
    Axes channel(shape.rank(), 1), others(shape.rank());
    channel[1] = shape[1];
    std::iota(others.begin(), others.end(), 0);
    others.erase(others.begin() + 1);
    const Value weight = ones(call.input(4), x.dtype()), r = over_x(call.input(3));
    Normalization it{
        .h = mul(sub(x, over_x(call.input(2))), r), .r = r, .w = reshape(call.input(4), channel)};
    it.project = [&](const Value& v) {
      return group_norm_backward(v, x, call.input(2), call.input(3), weight,
                                 {op.groups, {true, false, false}})[0];
    };
    it.average = [&](const Value& v) { return over_x(mean(reshape(v, grouped), {2})); };
    it.spread = [&](const Value& v) { return reshape(v, channel); };
    it.sum = [&](const Value& v) { return reduce_sum(v, others); };
    const auto [by_g, by_x, by_w] = gradients_of(it, g, arrived(call, op.wanted));
    return InputGradients{by_g, by_x, Value(), Value(), by_w};
  });
}

}  // namespace aclgrad::detail
