// SPDX-License-Identifier: Apache-2.0
// Mean squared error and negative log likelihood.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss2d.h"
#include "aclnnop/aclnn_nll_loss2d_backward.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "ops/contract/dense.h"
#include "ops/loss/loss_contract.h"

namespace aclgrad::contract {
namespace {

// ---- Mean squared error -------------------------------------------------------------------------

Array squared_differences(const Arrays& in) {
  return dense::zip(in[0], in[1], [](Number x, Number y) { return (x - y) * (x - y); });
}

// The target broadcasts against self, and has its shape unless it is given another.
Shape compared_shape(Arguments& a) {
  if (!a.is_set("target")) a.shape("target") = a.shape("self");
  return dense::broadcast_shape(a.shape("self"), a.shape("target"));
}

// Samples whose operands broadcast, and whose sums reach over many blocks.
std::vector<Sample> compared_samples() {
  std::vector<Sample> samples;
  for (const Sample& each : kReductions) {
    for (const auto& [self, target] :
         {std::pair<Shape, Shape>{{5}, {3, 1}}, {{2, 1, 3}, {4, 1}}, {{300, 100}, {100}}}) {
      samples.push_back(each);
      samples.back().settings.emplace_back("self", self);
      samples.back().settings.emplace_back("target", target);
    }
  }
  return samples;
}

Arrays mse_loss(const Arguments& a, const Arrays& in) {
  Array values = squared_differences(in);
  const auto count = static_cast<Number>(values.values.size());
  return {reduced(std::move(values), a.number("reduction"), count)};
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
  const Array differences = dense::zip(in[1], in[2], std::minus<Number>());
  const Number divisor = share_of(a, static_cast<Number>(differences.values.size()));
  return {dense::zip(differences, in[0], [divisor](Number difference, Number g) {
    return 2 * difference * g / divisor;
  })};
}

void add_mse_loss(std::vector<Operator>& all) {
  const Parameter self = any_dtype(of(in("self"), {2, 3}, 3));
  const Parameter target = any_dtype(of(in("target"), {2, 3}));
  const auto arrange = [](Arguments& a) {
    const Shape shape = compared_shape(a);
    a.shape("out") = a.number("reduction") == kNone ? shape : Shape{};
  };
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnMseLoss, self, target, integer("reduction", kMean),
                           any_dtype(of(out("out"), {}))),
      .domain = {.everywhere = kFloats,
                 .arrange = arrange,
                 .samples = kReductions,
                 .value_samples = compared_samples()},
      .results = {.reference = mse_loss, .bound = {.of_float = 0.5005}},
      .error_inputs = {bad_reduction(3)},
      .words = {"(self − target)², none, mean or sum; with Out of the first dimension alone",
                "(self − target)²，不规约、平均或求和；Out 只沿第一维",
                "mse_loss(prediction, target)"}};

  const auto arrange_rows = [](Arguments& a) {
    const Shape shape = compared_shape(a);
    const bool reduces = a.number("reduction") != kNone && !shape.empty();
    a.shape("out") = reduces ? Shape(shape.begin() + 1, shape.end()) : shape;
  };
  Operator of_rows{.call = ACLGRAD_CALL(aclnnMseLossOut, self, target, integer("reduction", kSum),
                                        any_dtype(of(out("out"), {3}))),
                   .domain = {.everywhere = kFloats,
                              .arrange = arrange_rows,
                              .samples = kReductions,
                              .value_samples = compared_samples()},
                   .results = {.reference = mse_loss_out, .bound = {.of_float = 0.5005}},
                   .error_inputs = {bad_reduction(-1)},
                   .words = forward.words};
  of_rows.call.form_of = forward.name();

  const auto backward_arrange = [](Arguments& a) {
    a.shape("out") = compared_shape(a);
    a.shape("gradOutput") = a.number("reduction") == kNone ? a.shape("out") : Shape{};
  };
  const Operator backward{
      .call = ACLGRAD_CALL(aclnnMseLossBackward, of(in("gradOutput"), {2, 3}),
                           of(in("self"), {2, 3}, 3), of(in("target"), {2, 3}),
                           integer("reduction", kSum), any_dtype(of(out("out"), {2, 3}))),
      .domain = {.everywhere = kFloats,
                 .base = "self",
                 .arrange = backward_arrange,
                 .samples = kReductions,
                 .value_samples = compared_samples()},
      .results = {.reference = mse_loss_backward, .bound = {.of_float = 0.5005, .inner = 0.05}},
      .gradient = from_input(forward.name()),
      .error_inputs = {bad_reduction(3), bad_reduction(-1)},
      .words = {"2(self − target)·g, divided by the count for mean",
                "2(self − target)·g，平均时再除以个数",
                "mse_loss_backward(g, prediction, target, reduction)", "mse_loss"}};
  all.insert(all.end(), {forward, of_rows, backward});
}

// ---- Negative log likelihood --------------------------------------------------------------------

constexpr double kIgnored = 2;  // this class does not count in the samples

Number weight_of(const Arguments& a, const Array& weight, Number target) {
  return target == a.number("ignoreIndex") ? 0 : weight.values[static_cast<size_t>(target)];
}

// The place of a class in the scores of row i, of [N, C] or [N, C, H, W].
size_t place_in_row(const Shape& scores, size_t i, Number wanted) {
  const auto inner = static_cast<size_t>(count_of(Shape(scores.begin() + 2, scores.end())));
  const auto classes = static_cast<size_t>(scores[1]);
  return (i / inner * classes + static_cast<size_t>(wanted)) * inner + i % inner;
}

// Inputs: self, target, weight [C]. Results: loss, the sum of the weights.
Arrays nll_loss(const Arguments& a, const Arrays& in) {
  Array losses{in[1].shape, {}};
  Number total = 0;
  for (size_t i = 0; i < in[1].values.size(); ++i) {
    const Number target = in[1].values[i];
    const Number weight = weight_of(a, in[2], target);
    const Number x = in[0].values[place_in_row(in[0].shape, i, target)];
    losses.values.push_back(weight == 0 && !std::isfinite(x) ? 0 : -weight * x);
    total += weight;
  }
  // Where nothing is divided by it, the sum is left alone, or 0.
  Array total_weight{{}, {total}};
  if (a.number("reduction") == kNone) {
    total_weight.values = a.has("totalWeight") ? std::vector<Number>{0} : std::vector<Number>{};
  }
  return {reduced(losses, a.number("reduction"), total), total_weight};
}

// Inputs: gradOutput, self, target, weight, totalWeight.
Arrays nll_loss_backward(const Arguments& a, const Arrays& in) {
  Array out{in[1].shape, std::vector<Number>(in[1].values.size(), 0)};
  for (size_t i = 0; i < in[2].values.size(); ++i) {
    const Number target = in[2].values[i];
    const Number g = in[0].values[in[0].values.size() == 1 ? 0 : i];
    out.values[place_in_row(out.shape, i, target)] =
        -weight_of(a, in[3], target) * g / share_of(a, in[4].values[0]);
  }
  return {out};
}

void arrange_classes(Arguments& a, size_t rank) {
  const Shape shape = a.shape("self");
  if (shape.size() != rank || (a.number("ignoreIndex") >= 0 && shape[1] < 4)) {
    throw std::invalid_argument(rank == 2
                                    ? "nll_loss is checked on NxC tensors of at least 4 classes"
                                    : "nll_loss2d is checked on NxCxHxW of at least 4 classes");
  }
  Shape rows = shape;
  rows.erase(rows.begin() + 1);
  a.shape("weight") = {shape[1]};
  a.shape("target") = rows;
  a.tensor("target").high = static_cast<Number>(shape[1] - 1);
  const Shape loss = a.number("reduction") == kNone ? rows : Shape{};
  const bool is_backward = a.has("gradOutput");
  a.reshape({"gradOutput"}, loss);
  a.reshape({"out", "gradInput"}, is_backward ? shape : loss);
}

// Those of rows, over pictures, and in DOUBLE.
void add_nll_loss_of_pictures(std::vector<Operator>& all, Operator forward, Operator backward) {
  const Shape scores = {2, 3, 1, 2};
  const Parameter self = of(in("self"), scores, 3);
  const Parameter target = typed(of(in("target", 0, 2), {2, 1, 2}, 0), ACL_INT64);
  const Parameter weight = of(in("weight", 0.5L, 2), {3});
  const Parameter reduction = integer("reduction", kSum), ignored = integer("ignoreIndex", -100);
  forward.call = ACLGRAD_CALL(aclnnNLLLoss2d, self, target, weight, reduction, ignored,
                              of(out("out"), {}), of(out("totalWeight"), {}));
  backward.call = ACLGRAD_CALL(aclnnNLLLoss2dBackward, of(in("gradOutput"), {}), self, target,
                               weight, reduction, ignored, of(in("totalWeight", 1, 8), {}),
                               of(out("gradInput"), scores));
  for (Operator* const op : {&forward, &backward}) {
    op->domain.everywhere = kFloatsAndDouble;
    op->domain.max_rank = 4;
    op->domain.base_shape = {kN, 5, 2, 3};
    op->domain.arrange = [](Arguments& a) { arrange_classes(a, 4); };
    for (Sample& each : op->domain.value_samples) {
      for (auto& [name, setting] : each.settings) {
        if (name == "self") setting = Shape{40, 5, 11, 13};
      }
    }
    op->results.bound.of_double = 16;
    op->error_inputs = {
        bad_reduction(3),
        refused("self", "of rows", of_shape({2, 3}), "at least 4"),
        {.what = "without classes",
         .changes = {{"self", of_shape({2, 0, 1, 2})}, {"weight", of_shape({0})}},
         .words = {"[2, 0, 1, 2]"}},
        {.what = "of another shape, without a reduction",
         .changes = {{op == &forward ? "out" : "gradOutput", of_shape({3})}, {"reduction", kNone}},
         .words = {"[2, 1, 2]"}}};
  }
  backward.error_inputs[2].changes.emplace_back("gradInput", of_shape({2, 0, 1, 2}));
  forward.words = {"−weight·self[n, target]; mean divides by the sum of the weights",
                   "−weight·self[n, target]；平均时除以权重之和"};
  backward.words = {"−weight·g at the target's class, 0 elsewhere",
                    "在 target 的类别处为 −weight·g，其余为 0", "", "nll_loss2d"};
  backward.gradient->of = forward.name();
  all.insert(all.end(), {forward, backward});
}

void add_nll_loss(std::vector<Operator>& all) {
  const Parameter target = typed(of(in("target", 0, 2), {2}, 0), ACL_INT64);
  const Parameter self = of(in("self"), {2, 3}, 3);
  const Parameter weight = of(in("weight", 0.5L, 2), {3});
  const Parameter reduction = integer("reduction", kSum);
  const Parameter ignored = integer("ignoreIndex", -100);
  std::vector<Sample> samples = kReductions;
  for (Sample& each : samples) each.settings.emplace_back("ignoreIndex", kIgnored);
  std::vector<Sample> many_rows = samples;
  for (Sample& each : many_rows) each.settings.emplace_back("self", Shape{5000, 5});
  std::vector<Sample> other_targets(2, samples[1]);
  other_targets[0].settings.emplace_back("target", ACL_INT32);
  other_targets[1].settings.emplace_back("target", ACL_UINT8);
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnNLLLoss, self, target, weight, reduction, ignored,
                           any_dtype(of(out("out"), {})), any_dtype(of(out("totalWeightOut"), {}))),
      .domain = {.everywhere = kFloats,
                 .max_rank = 2,
                 .base_shape = {kN, 5},
                 .arrange = [](Arguments& a) { arrange_classes(a, 2); },
                 .samples = samples,
                 .value_samples = many_rows + other_targets},
      .results = {.reference = nll_loss, .bound = {.of_float = 0.5005}},
      .error_inputs = {bad_reduction(3),
                       {.what = "of another shape",
                        .changes = {{"self", of_shape({2, 0})}, {"weight", of_shape({0})}},
                        .words = {"[2, 0]"}},
                       {.what = "of another shape, without a reduction",
                        .changes = {{"out", of_shape({3})}, {"reduction", kNone}},
                        .words = {"[2]"}}},
      .words = {"−weight·self[target]; mean divides by the sum of the weights",
                "−weight·self[target]；平均时除以权重之和",
                "nll_loss(log_probabilities, target), cross_entropy"}};

  const auto given = [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
    const Array none{{}, {1}};
    return Arrays{g, x[0], x[1], x[2], y[1].values.empty() ? none : y[1]};
  };
  const Operator backward{
      .call = ACLGRAD_CALL(aclnnNLLLossBackward, of(in("gradOutput"), {}), self, target, weight,
                           reduction, ignored, of(in("totalWeight", 1, 8), {}),
                           any_dtype(of(out("out"), {2, 3}))),
      .domain = {.everywhere = kFloats,
                 .max_rank = 2,
                 .base = "self",
                 .base_shape = forward.domain.base_shape,
                 .arrange = [](Arguments& a) { arrange_classes(a, 2); },
                 .samples = samples,
                 .value_samples = many_rows},
      .results = {.reference = nll_loss_backward, .bound = {.of_float = 0.5005, .inner = 0.05}},
      .gradient = Gradient{.of = forward.name(), .inputs = given},
      .error_inputs = {bad_reduction(3),
                       {.what = "of another shape",
                        .changes = {{"self", of_shape({2, 0})},
                                    {"weight", of_shape({0})},
                                    {"out", of_shape({2, 0})}},
                        .words = {"[2, 0]"}},
                       {.what = "of another shape, without a reduction",
                        .changes = {{"gradOutput", of_shape({3})}, {"reduction", kNone}},
                        .words = {"[2]"}}},
      .words = {"−weight·g at the target, 0 elsewhere", "在 target 处为 −weight·g，其余为 0",
                "nll_loss_backward(g, ...)", "nll_loss"}};
  all.insert(all.end(), {forward, backward});
  add_nll_loss_of_pictures(all, forward, backward);
}

}  // namespace

FamilyContracts loss_contracts() {
  FamilyContracts family{{"Losses", "损失"}, {}};
  add_mse_loss(family.operators);
  add_nll_loss(family.operators);
  add_error_losses(family.operators);
  add_binary_cross_entropy(family.operators);
  add_probability_losses(family.operators);
  add_class_losses(family.operators);
  add_ctc_loss(family.operators);
  add_cross_entropy(family.operators);
  return family;
}

}  // namespace aclgrad::contract
