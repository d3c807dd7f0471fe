// SPDX-License-Identifier: Apache-2.0
// Mean squared error and negative log likelihood.
#include <algorithm>
#include <stdexcept>

#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "contract/loss.h"

namespace aclgrad::contract {
namespace {

// ---- Mean squared error -------------------------------------------------------------------------

Array squared_differences(const Arrays& in) {
  Array out = in[0];
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Number difference = in[0].values[i] - in[1].values[i];
    out.values[i] = difference * difference;
  }
  return out;
}

Arrays mse_loss(const Arguments& a, const Arrays& in) {
  const auto count = static_cast<Number>(in[0].values.size());
  return {reduced(squared_differences(in), a.number("reduction"), count)};
}

// Over the first dimension alone.
Arrays mse_loss_out(const Arguments& a, const Arrays& in) {
  const Array values = squared_differences(in);
  if (a.number("reduction") == kNone) return {values};
  const auto rows = static_cast<size_t>(values.shape[0]);
  const size_t columns = values.values.size() / rows;
  Array out{a.shape("out"), std::vector<Number>(columns, 0)};
  for (size_t i = 0; i < values.values.size(); ++i) out.values[i % columns] += values.values[i];
  for (Number& sum : out.values) sum /= share_of(a, static_cast<Number>(rows));
  return {out};
}

// Inputs: gradOutput, self, target.
Arrays mse_loss_backward(const Arguments& a, const Arrays& in) {
  Array out = in[1];
  const Number divisor = share_of(a, static_cast<Number>(out.values.size()));
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Number g = in[0].values[in[0].values.size() == 1 ? 0 : i];
    out.values[i] = 2 * (in[1].values[i] - in[2].values[i]) * g / divisor;
  }
  return {out};
}

void add_mse_loss(std::vector<Operator>& all) {
  const Parameter self = any_dtype(of(in("self"), {2, 3}, 3));
  const Parameter target = any_dtype(of(in("target"), {2, 3}));
  Operator forward = entry<decltype(aclnnMseLossGetWorkspaceSize)>(
      "aclnnMseLoss", {self, target, integer("reduction", kMean), any_dtype(of(out("out"), {}))},
      kFloats);
  forward.samples = kReductions;
  forward.arrange = [](Arguments& a) {
    a.shape("target") = a.shape("self");
    a.shape("out") = a.number("reduction") == kNone ? a.shape("self") : Shape{};
  };
  forward.reference = mse_loss;
  forward.refusals = {bad_reduction(3)};
  forward.computes = {"(self − target)², none, mean or sum; with Out of the first dimension alone",
                      "(self − target)²，不规约、平均或求和；Out 只沿第一维"};
  forward.in_graph = "mse_loss(prediction, target)";

  Operator of_rows = forward;
  of_rows.name = "aclnnMseLossOut";
  declare<decltype(aclnnMseLossOutGetWorkspaceSize)>(of_rows);
  of_rows.parameters = {self, target, integer("reduction", kSum), any_dtype(of(out("out"), {3}))};
  of_rows.arrange = [](Arguments& a) {
    const Shape shape = a.shape("self");
    a.shape("target") = shape;
    const bool reduces = a.number("reduction") != kNone && !shape.empty();
    a.shape("out") = reduces ? Shape(shape.begin() + 1, shape.end()) : shape;
  };
  of_rows.reference = mse_loss_out;
  of_rows.refusals = {bad_reduction(-1)};
  of_rows.form_of = forward.name;

  Operator backward = entry<decltype(aclnnMseLossBackwardGetWorkspaceSize)>(
      "aclnnMseLossBackward",
      {of(in("gradOutput"), {2, 3}), of(in("self"), {2, 3}, 3), of(in("target"), {2, 3}),
       integer("reduction", kSum), any_dtype(of(out("out"), {2, 3}))},
      kFloats);
  backward.base = "self";
  backward.samples = kReductions;
  backward.arrange = [](Arguments& a) {
    for (const char* name : {"target", "out"}) a.shape(name) = a.shape("self");
    a.shape("gradOutput") = a.number("reduction") == kNone ? a.shape("self") : Shape{};
  };
  backward.reference = mse_loss_backward;
  backward.bound = {.of_float = 0.5005, .inner = 0.05};
  backward.gradient = from_input(forward.name);
  backward.refusals = {bad_reduction(3), bad_reduction(-1)};
  backward.check = "mse_loss";
  backward.computes = {"2(self − target)·g, divided by the count for mean",
                       "2(self − target)·g，平均时再除以个数"};
  backward.in_graph = "mse_loss_backward(g, prediction, target, reduction)";
  all.insert(all.end(), {forward, of_rows, backward});
}

// ---- Negative log likelihood --------------------------------------------------------------------

constexpr double kIgnored = 2;  // this class does not count in the samples

Number weight_of(const Arguments& a, const Array& weight, Number target) {
  return target == a.number("ignoreIndex") ? 0 : weight.values[static_cast<size_t>(target)];
}

// Inputs: self [N, C], target [N], weight [C]. Results: loss, the sum of the weights.
Arrays nll_loss(const Arguments& a, const Arrays& in) {
  const auto classes = static_cast<size_t>(in[0].shape.back());
  Array losses{in[1].shape, {}};
  Number total = 0;
  for (size_t i = 0; i < in[1].values.size(); ++i) {
    const Number target = in[1].values[i];
    const Number weight = weight_of(a, in[2], target);
    losses.values.push_back(-weight * in[0].values[i * classes + static_cast<size_t>(target)]);
    total += weight;
  }
  // The sum is left alone where nothing is divided by it.
  Array total_weight{{}, {}};
  if (a.number("reduction") != kNone) total_weight.values.push_back(total);
  return {reduced(losses, a.number("reduction"), total), total_weight};
}

// Inputs: gradOutput, self, target, weight, totalWeight.
Arrays nll_loss_backward(const Arguments& a, const Arrays& in) {
  const auto classes = static_cast<size_t>(in[1].shape.back());
  Array out{in[1].shape, std::vector<Number>(in[1].values.size(), 0)};
  for (size_t i = 0; i < in[2].values.size(); ++i) {
    const Number target = in[2].values[i];
    const Number g = in[0].values[in[0].values.size() == 1 ? 0 : i];
    out.values[i * classes + static_cast<size_t>(target)] =
        -weight_of(a, in[3], target) * g / share_of(a, in[4].values[0]);
  }
  return {out};
}

void arrange_classes(Arguments& a) {
  const Shape shape = a.shape("self");
  if (shape.size() != 2 || (a.number("ignoreIndex") >= 0 && shape[1] < 4)) {
    throw std::invalid_argument("nll_loss is checked on NxC tensors of at least 4 classes");
  }
  a.shape("weight") = {shape[1]};
  a.shape("target") = {shape[0]};
  a.tensor("target").high = static_cast<Number>(shape[1] - 1);
  const Shape loss = a.number("reduction") == kNone ? Shape{shape[0]} : Shape{};
  if (a.has("gradOutput")) {
    a.shape("gradOutput") = loss;
    a.shape("out") = shape;
  } else {
    a.shape("out") = loss;
  }
}

void add_nll_loss(std::vector<Operator>& all) {
  Parameter target = of(in("target", 0, 2), {2}, 0);
  std::get<TensorSpec>(target.spec).dtype = ACL_INT64;
  const Parameter self = of(in("self"), {2, 3}, 3);
  const Parameter weight = of(in("weight", 0.5L, 2), {3});
  const Parameter reduction = integer("reduction", kSum);
  const Parameter ignored = integer("ignoreIndex", -100);
  std::vector<Sample> samples = kReductions;
  for (Sample& each : samples) each.settings.emplace_back("ignoreIndex", kIgnored);
  Operator forward = entry<decltype(aclnnNLLLossGetWorkspaceSize)>(
      "aclnnNLLLoss",
      {self, target, weight, reduction, ignored, any_dtype(of(out("out"), {})),
       any_dtype(of(out("totalWeightOut"), {}))},
      kFloats);
  forward.max_rank = 2;
  forward.base_shape = {kN, 5};
  forward.samples = samples;
  forward.arrange = arrange_classes;
  forward.reference = nll_loss;
  forward.refusals = {bad_reduction(3),
                      {.what = "of another shape",
                       .changes = {{"self", TensorSpec{{2, 0}}}, {"weight", TensorSpec{{0}}}},
                       .words = {"[2, 0]"}},
                      {.what = "of another shape, without a reduction",
                       .changes = {{"out", TensorSpec{{3}}}, {"reduction", int64_t{kNone}}},
                       .words = {"[2]"}}};
  forward.computes = {"−weight·self[target]; mean divides by the sum of the weights",
                      "−weight·self[target]；平均时除以权重之和"};
  forward.in_graph = "nll_loss(log_probabilities, target), cross_entropy";

  Operator backward = entry<decltype(aclnnNLLLossBackwardGetWorkspaceSize)>(
      "aclnnNLLLossBackward",
      {of(in("gradOutput"), {}), self, target, weight, reduction, ignored,
       of(in("totalWeight", 1, 8), {}), any_dtype(of(out("out"), {2, 3}))},
      kFloats);
  backward.max_rank = 2;
  backward.base = "self";
  backward.base_shape = forward.base_shape;
  backward.samples = samples;
  backward.arrange = arrange_classes;
  backward.reference = nll_loss_backward;
  backward.bound = {.of_float = 0.5005, .inner = 0.05};
  backward.gradient = Gradient{
      forward.name, [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
        const Array none{{}, {1}};
        return Arrays{g, x[0], x[1], x[2], y[1].values.empty() ? none : y[1]};
      }};
  backward.refusals = {bad_reduction(3),
                       {.what = "of another shape",
                        .changes = {{"self", TensorSpec{{2, 0}}},
                                    {"weight", TensorSpec{{0}}},
                                    {"out", TensorSpec{{2, 0}}}},
                        .words = {"[2, 0]"}},
                       {.what = "of another shape, without a reduction",
                        .changes = {{"gradOutput", TensorSpec{{3}}}, {"reduction", int64_t{kNone}}},
                        .words = {"[2]"}}};
  backward.check = "nll_loss";
  backward.computes = {"−weight·g at the target, 0 elsewhere",
                       "在 target 处为 −weight·g，其余为 0"};
  backward.in_graph = "nll_loss_backward(g, ...)";
  all.insert(all.end(), {forward, backward});
}

}  // namespace

Family losses() {
  Family family{{"Losses", "损失"}, {}};
  add_mse_loss(family.operators);
  add_nll_loss(family.operators);
  add_error_losses(family.operators);
  add_binary_cross_entropy(family.operators);
  return family;
}

}  // namespace aclgrad::contract
