// SPDX-License-Identifier: Apache-2.0
// Cross entropy of softmax and classes, with weights and smoothed targets.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_cross_entropy_loss.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "ops/contract/dense.h"
#include "ops/loss/loss_contract.h"

namespace aclgrad::contract {
namespace {

// Sum and mean in the order of the attribute of the other losses.
const WordSpec kReductionWords{{"none", "mean", "sum"}, 2};

void arrange_logits(Arguments& a) {
  const bool is_backward = a.has("gradLoss");
  const Shape shape = a.shape(is_backward ? "logProb" : "input");
  if (shape.size() != 2 || (a.number("ignoreIndex") >= 0 && shape[1] < 4)) {
    throw std::invalid_argument("cross_entropy_loss is checked on NxC of at least 4 classes");
  }
  a.shape("target") = {shape[0]};
  a.tensor("target").high = static_cast<Number>(shape[1] - 1);
  if (a.is_set("weight")) a.shape("weight") = {shape[1]};
  a.reshape({"logProb", "xGrad"}, shape);
  a.reshape({"loss", "gradLoss"}, a.number("reduction") == kNone ? Shape{shape[0]} : Shape{1});
}

// What the classes of a row count: q in the header. Nothing where its target is ignored.
struct Shares {
  std::vector<Number> of_class;
  Number weight = 0;

  Shares(const Arguments& a, const Array& target, const Array& weights, size_t row) {
    const Number wanted = target.values[row], smoothing = a.number("labelSmoothing");
    const auto classes = static_cast<Number>(weights.values.size());
    of_class.assign(weights.values.size(), 0);
    if (wanted == a.number("ignoreIndex")) return;
    weight = weights.values[static_cast<size_t>(wanted)];
    for (size_t c = 0; c < of_class.size(); ++c) {
      of_class[c] = smoothing / classes * weights.values[c];
    }
    of_class[static_cast<size_t>(wanted)] += (1 - smoothing) * weight;
  }
};

Array weights_of(const Arguments& a, const Arrays& in, size_t place, int64_t classes) {
  return a.is_set("weight") ? in[place] : dense::full({classes}, 1);
}

// Inputs: input, target, weight if given. Results: loss, logProb.
Arrays cross_entropy_of_classes(const Arguments& a, const Arrays& in) {
  const auto classes = static_cast<size_t>(in[0].shape[1]);
  const Array weights = weights_of(a, in, 2, in[0].shape[1]);
  Array losses{in[1].shape, {}}, logs = in[0];
  Number total = 0;
  for (size_t n = 0; n < in[1].values.size(); ++n) {
    Number* const row = &logs.values[n * classes];
    const Number largest = *std::max_element(row, row + classes);
    Number sum = 0;
    for (size_t c = 0; c < classes; ++c) sum += std::exp(row[c] - largest);
    const Shares shares(a, in[1], weights, n);
    Number loss = 0;
    for (size_t c = 0; c < classes; ++c) {
      row[c] -= largest + std::log(sum);
      loss -= shares.of_class[c] * row[c];
    }
    losses.values.push_back(loss);
    total += shares.weight;
  }
  Array loss = reduced(losses, a.number("reduction"), total);
  loss.shape = a.shape("loss");
  return {loss, logs};
}

// Inputs: gradLoss, logProb, target, weight if given.
template <bool kMagnitudes>
Arrays cross_entropy_slopes(const Arguments& a, const Arrays& in) {
  const auto classes = static_cast<size_t>(in[1].shape[1]);
  const Array weights = weights_of(a, in, 3, in[1].shape[1]);
  Array out = in[1];
  Number total = 0;
  for (size_t n = 0; n < in[2].values.size(); ++n) total += Shares(a, in[2], weights, n).weight;
  for (size_t n = 0; n < in[2].values.size(); ++n) {
    const Shares shares(a, in[2], weights, n);
    Number all = 0;
    for (const Number each : shares.of_class) all += each;
    const Number g = in[0].values[in[0].values.size() == 1 ? 0 : n] / share_of(a, total);
    for (size_t c = 0; c < classes; ++c) {
      Number& x = out.values[n * classes + c];
      x = kMagnitudes ? std::abs(g) * (std::exp(x) * all + shares.of_class[c])
                      : g * (std::exp(x) * all - shares.of_class[c]);
    }
  }
  return {out};
}

}  // namespace

void add_cross_entropy(std::vector<Operator>& all) {
  const Parameter target = typed(of(in("target", 0, 2), {2}, 0), ACL_INT64);
  const Parameter weight = optional(typed(of(in("weight", 0.5L, 2), {3}), ACL_FLOAT));
  const Parameter reduction{"reduction", kReductionWords},
      ignored = integer("ignoreIndex", -100), smoothing{"labelSmoothing", 0.0},
      scale = no_option(Parameter{"lseSquareScaleForZloss", 0.0});
  std::vector<Sample> samples = kReductions;
  for (Sample& each : samples) each.settings.emplace_back("ignoreIndex", 2.0);
  for (size_t i = 0; i < 3; ++i) {
    samples.push_back(samples[i]);
    samples.back().settings.emplace_back("labelSmoothing", 0.25);
    samples.back().settings.emplace_back("weight", Shape{5});
  }
  const auto with_rows = [&](const char* scores, Shape shape) {
    std::vector<Sample> more = {samples[0], samples[4]};
    for (Sample& each : more) each.settings.emplace_back(scores, shape);
    return more;
  };
  const auto nothing = [](const char* name) {
    return no_option(any_dtype(optional(of(in(name), {2}))));
  };
  const auto none = [](const char* name) { return any_dtype(optional(of(out(name), {2}))); };
  const std::vector<ErrorInput> error_inputs = {
      refused("reduction", "that there is not", WordSpec{{"batchmean"}}, "batchmean"),
      refused("labelSmoothing", "above 1", 1.5, "is 1.5"),
      refused("labelSmoothing", "that is no number", std::nan(""), "within [0, 1]"),
      refused("lseSquareScaleForZloss", "that is not 0", 0.1, "is 0.1"),
      refused("weight", "of another size", TensorSpec{.shape = {4}, .dtype = ACL_FLOAT}, "[3]"),
      refused("target", "of another size", TensorSpec{.shape = {3}, .dtype = ACL_INT64}, "[2]")};
  const auto domain = [&](const char* scores) {
    return Domain{.everywhere = kFloats,
                  .max_rank = 2,
                  .grows = false,
                  .base = scores,
                  .base_shape = {kN, 5},
                  .arrange = arrange_logits,
                  .samples = samples,
                  .value_samples = with_rows(scores, {600, 5}) + with_rows(scores, {2, 1100})};
  };
  const Operator forward{
      .call = ACLGRAD_CALL(aclnnCrossEntropyLoss, of(in("input"), {2, 3}, 3), target, weight,
                           reduction, ignored, smoothing, scale, no_option(flag("returnZloss")),
                           of(out("loss"), {1}), of(out("logProb"), {2, 3}), none("zloss"),
                           none("lseForZloss")),
      .domain = domain("input"),
      .results = {.reference = cross_entropy_of_classes,
                  .bound = {.of_float = 0.5005},
                  .nan_goes_through = false},
      .error_inputs =
          error_inputs +
          std::vector{
              refused("returnZloss", "that is true", true, "must be false"),
              refused("input", "without rows", of_shape({3}), "at least 2"),
              refused("loss", "of another size", of_shape({2}), "[1]"),
              ErrorInput{.what = "without classes",
                         .changes = {{"input", of_shape({2, 0})}, {"logProb", of_shape({2, 0})}},
                         .words = {"[2, 0]"}},
              refused("logProb", "of another size", of_shape({2, 4}), "[2, 4]")},
      .words = {"cross entropy of softmax and classes, and the logarithms of softmax",
                "softmax 与类别的交叉熵，以及 softmax 的对数"}};
  Operator backward{
      .call = ACLGRAD_CALL(aclnnCrossEntropyLossGrad, of(in("gradLoss"), {1}),
                           of(in("logProb", -4, -0.5L), {2, 3}, -1), target, weight,
                           nothing("gradZloss"), nothing("lseForZloss"), reduction, ignored,
                           smoothing, scale, of(out("xGrad"), {2, 3})),
      .domain = domain("logProb"),
      .results = {.reference = cross_entropy_slopes<false>,
                  .bound = {.of_float = 0.5005},
                  .magnitude = cross_entropy_slopes<true>,
                  .nan_goes_through = false},
      .gradient =
          Gradient{.of = forward.name(),
                   .inputs =
                       [](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
                         Arrays given = {g, y[1], x[1]};
                         given.insert(given.end(), x.begin() + 2, x.end());
                         return given;
                       }},
      .error_inputs = error_inputs +
                      std::vector{refused("logProb", "without rows", of_shape({3}), "at least 2"),
                                  refused("gradLoss", "of another size", of_shape({2}), "[1]"),
                                  ErrorInput{.what = "without classes",
                                             .changes = {{"logProb", of_shape({2, 0})},
                                                         {"xGrad", of_shape({2, 0})}},
                                             .words = {"[2, 0]"}},
                                  refused("xGrad", "of another size", of_shape({2, 4}), "[2, 4]")},
      .words = {"g·(softmax − what the classes count)", "g·(softmax − 各类别的份额)", "",
                "cross_entropy_loss"}};
  all.insert(all.end(), {forward, backward});
}

}  // namespace aclgrad::contract
