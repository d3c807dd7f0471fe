// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/activation.h"

#include <cmath>
#include <numbers>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

Term sigmoid(const Term& x) { return op("Sigmoid", {x}); }

Term gelu(const Term& x, Approximate approximate) {
  if (approximate == Approximate::none) {
    return x * 0.5 * (op("Erf", {x * (1 / std::numbers::sqrt2)}) + 1);
  }
  const Term inner = (x * x * x * 0.044715 + x) * std::sqrt(2 / std::numbers::pi);
  return x * 0.5 * (op("Tanh", {inner}) + 1);
}

// Where x > 0 the first, else the second, which is not computed of large x.
Term above_zero(const Term& x, const Term& above, const std::function<Term(const Term&)>& below) {
  const Term zero = number(x, 0);
  return where(op("Greater", {x, zero}, {}, DType::boolean), above, below(op("Min", {x, zero})));
}

Term elu(const Term& x, const EluAttributes& a) {
  if (a.input_scale == 1 && a.scale == 1) return op("Elu", {x}, {{"alpha", a.alpha}});
  // gamma (alpha e^x - alpha): SELU's numbers are attributes.
  if (a.input_scale == 1) return op("Selu", {x}, {{"alpha", a.alpha}, {"gamma", a.scale}});
  return above_zero(x, x * a.scale, [&](const Term& low) {
    return (op("Exp", {low * a.input_scale}) - 1) * (a.alpha * a.scale);
  });
}

// The halves of input 0 along an axis.
std::vector<Term> halves(const Call& call, std::int64_t dim) {
  const auto axis = static_cast<std::int64_t>(call.shape(0).normalize_axis(dim));
  const std::int64_t half =
      call.fixed(call.extents(0)[static_cast<std::size_t>(axis)], "the axis that is halved") / 2;
  const Term x = call.wide(0);
  return ops("Split", {x, ints(x, {half, half})}, {{"axis", axis}}, 2);
}

// A function of x in at least float32.
template <class OpType>
void composed(Table& table, Term (*formula)(const Term& x, const OpType& op)) {
  table.add<OpType>(
      [formula](const OpType& op, Call& call) { return call.narrowed(formula(call.wide(0), op)); });
}

}  // namespace

void add_activations(Table& table) {
  table.same<TanhOp>("Tanh");
  table.same<SigmoidOp>("Sigmoid");
  table.same<ReluOp>("Relu");
  table.same<HardswishOp>("HardSwish");
  table.add<SeluOp>([](auto&, Call& call) {
    return call.narrowed(op("Selu", {call.usual(0)},
                            {{"alpha", 1.6732632423543772}, {"gamma", 1.0507009873554805}}));
  });
  table.add<EluOp>([](auto& a, Call& call) { return call.narrowed(elu(call.usual(0), a)); });
  table.add<LeakyReluOp>([](auto& a, Call& call) {
    return call.narrowed(op("LeakyRelu", {call.usual(0)}, {{"alpha", a.negative_slope}}));
  });
  table.add<HardsigmoidOp>([](auto&, Call& call) {
    return call.narrowed(op("HardSigmoid", {call.usual(0)}, {{"alpha", 1.0 / 6}, {"beta", 0.5}}));
  });
  composed<GeluTanhOp>(table, [](auto& x, auto&) { return gelu(x, Approximate::tanh); });
  composed<GeluOp>(table, [](auto& x, auto& a) { return gelu(x, a.approximate); });
  composed<SiluOp>(table, [](auto& x, auto&) { return x * sigmoid(x); });
  composed<MishOp>(table, [](auto& x, auto&) { return x * op("Tanh", {op("Softplus", {x})}); });
  composed<FastGeluOp>(table, [](auto& x, auto&) { return x * sigmoid(x * 1.702); });
  composed<LogSigmoidOp>(
      table, [](auto& x, auto&) { return op("Neg", {op("Softplus", {op("Neg", {x})})}); });
  composed<SoftplusOp>(table, [](auto& x, auto& a) {
    const Term scaled = x * a.beta;
    return where(op("Greater", {scaled, number(x, a.threshold)}, {}, DType::boolean), x,
                 op("Softplus", {scaled}) / a.beta);
  });
  composed<HardtanhOp>(table, [](auto& x, auto& a) {
    return op("Clip", {x, number(x, a.min), number(x, a.max)});
  });
  composed<HardshrinkOp>(table, [](auto& x, auto& a) {
    return op("Shrink", {x}, {{"lambd", a.lambda}});
  });
  composed<SoftshrinkOp>(table, [](auto& x, auto& a) {
    return op("Shrink", {x}, {{"lambd", a.lambda}, {"bias", a.lambda}});
  });
  composed<ThresholdOp>(table, [](auto& x, auto& a) {
    const Term above = op("Greater", {x, number(x, a.threshold)}, {}, DType::boolean);
    return where(above, x, number(x, a.value));
  });
  composed<CeluOp>(table, [](auto& x, auto& a) {
    return above_zero(x, x,
                      [&](const Term& low) { return (op("Exp", {low / a.alpha}) - 1) * a.alpha; });
  });
  composed<LogitOp>(table, [](auto& x, auto& a) {
    const Term held = a.eps < 0 ? x : op("Clip", {x, number(x, a.eps), number(x, 1 - a.eps)});
    return op("Log", {held / (1.0 - held)});
  });
  table.add<PreluOp>([](auto&, Call& call) {
    Ints dims(call.shape(0).rank(), 1);  // the weight's one axis is that of the channels
    if (dims.size() >= 2) dims[1] = -1;
    const bool is_one = call.shape(1).numel() == 1 || dims.size() < 2;
    const Term weight = call.usual(1);
    return call.narrowed(op("PRelu", {call.usual(0), is_one ? weight : reshape(weight, dims)}));
  });

  table.add<GegluOp>([](auto& a, Call& call) {
    const std::vector<Term> parts = halves(call, a.dim);
    const Term activated = gelu(parts[a.activate_left ? 0 : 1], a.approximate);
    const Term other = parts[a.activate_left ? 1 : 0];
    std::vector<Term> made{call.narrowed(other * activated)};
    if (call.is_needed(1)) made.push_back(call.narrowed(activated));
    return made;
  });
  table.add<GluOp>([](auto& a, Call& call) {
    const std::vector<Term> parts = halves(call, a.dim);
    return call.narrowed(parts[0] * sigmoid(parts[1]));
  });
  table.add<SwigluOp>([](auto& a, Call& call) {
    const std::vector<Term> parts = halves(call, a.dim);
    return call.narrowed(parts[0] * sigmoid(parts[0]) * parts[1]);
  });
}

}  // namespace aclgrad::onnx::saving
