// SPDX-License-Identifier: Apache-2.0
// Margins between classes, and the cross entropy of softmax with its gradient.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_multilabel_margin_loss.h"
#include "aclnnop/aclnn_softmax_cross_entropy_with_logits.h"
#include "ops/contract/dense.h"
#include "ops/loss/loss_contract.h"

namespace aclgrad::contract {
namespace {

constexpr Bound kOfMargins{.of_float = 0.5005, .of_double = 32};

void arrange_margins(Arguments& a) {
  const Shape shape = a.shape("self");
  if (shape.empty() || shape.size() > 2) throw std::invalid_argument("rows of classes are needed");
  a.shape("target") = a.shape("isTarget") = shape;
  a.tensor("target").low = -1;
  a.tensor("target").high = static_cast<Number>(shape.back() - 1);
  const bool reduces = a.number("reduction") != kNone || shape.size() == 1;
  a.shape("out") = reduces ? Shape{} : Shape{shape[0]};
}

Arrays margins(const Arguments& a, const Arrays& in) {
  const auto classes = static_cast<size_t>(in[0].shape.back());
  const size_t rows = in[0].values.size() / classes;
  Array losses{in[0].shape.size() == 1 ? Shape{} : Shape{in[0].shape[0]}, {}};
  Array is_target = dense::full(in[0].shape);
  for (size_t n = 0; n < rows; ++n) {
    const Number* const x = &in[0].values[n * classes];
    const auto first = in[1].values.begin() + static_cast<ptrdiff_t>(n * classes);
    const auto end = std::find(first, first + static_cast<ptrdiff_t>(classes), -1);
    Number* const marks = &is_target.values[n * classes];
    std::for_each(first, end, [&](Number each) { marks[static_cast<size_t>(each)] = 1; });
    Number sum = 0;
    std::for_each(first, end, [&](Number each) {
      for (size_t i = 0; i < classes; ++i) {
        if (marks[i] == 0) sum += std::max<Number>(0, 1 - x[static_cast<size_t>(each)] + x[i]);
      }
    });
    losses.values.push_back(sum / static_cast<Number>(classes));
  }
  return {reduced(losses, a.number("reduction"), static_cast<Number>(rows)), is_target};
}

// Inputs: features, labels; results: loss, backprop, or the magnitudes of their terms.
template <bool kMagnitudes>
Arrays softmax_cross_entropy(const Arguments&, const Arrays& in) {
  const auto classes = static_cast<size_t>(in[0].shape[1]);
  Array losses{{in[0].shape[0]}, {}}, slopes{in[0].shape, {}};
  for (size_t n = 0; n < static_cast<size_t>(in[0].shape[0]); ++n) {
    const Number* const x = &in[0].values[n * classes];
    const Number* const y = &in[1].values[n * classes];
    const Number largest = *std::max_element(x, x + classes);
    Number sum = 0, loss = 0;
    for (size_t c = 0; c < classes; ++c) sum += std::exp(x[c] - largest);
    for (size_t c = 0; c < classes; ++c) {
      if (y[c] != 0) loss += y[c] * (largest + std::log(sum) - x[c]);
      const Number share = std::exp(x[c] - largest) / sum;
      slopes.values.push_back(kMagnitudes ? share + std::abs(y[c]) : share - y[c]);
    }
    losses.values.push_back(loss);
  }
  return {losses, slopes};
}

}  // namespace

void add_class_losses(std::vector<Operator>& all) {
  const Parameter target = typed(of(in("target", -1, 3), {2, 4}, 1), ACL_INT64);
  std::vector<Sample> others = kReductions;
  for (Sample& each : others) each.settings.emplace_back("self", Shape{7});
  others.push_back({{{"self", Shape{70, 9}}, {"target", ACL_INT32}}});
  others.push_back({{{"self", Shape{2, 1100}}}});
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnMultilabelMarginLoss, of(in("self"), {2, 4}), target,
                       integer("reduction", kSum), of(out("out"), {}), of(out("isTarget"), {2, 4})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .max_rank = 2,
                 .grows = false,
                 .base_shape = {kN, 5},
                 .arrange = arrange_margins,
                 .samples = kReductions,
                 .value_samples = others},
      .results = {.reference = margins, .bound = kOfMargins, .nan_goes_through = false},
      .error_inputs = {bad_reduction(3),
                       bad_reduction(-1),
                       refused("self", "without dimensions", of_shape({}), "at least 1"),
                       {.what = "of one element for none",
                        .changes = {{"out", of_shape({})}, {"reduction", kNone}},
                        .words = {"[2]"}}},
      .words = {"Σ max(0, 1 − self[j] + self[i])/C over classes j of the row and others i",
                "对行内类别 j 与其余类别 i 求 Σ max(0, 1 − self[j] + self[i])/C",
                "multilabel_margin_loss(x, target)", "multilabel_margin_loss"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSoftmaxCrossEntropyWithLogits, of(in("features"), {2, 3}),
                           of(in("labels", 0, 1), {2, 3}), of(out("loss"), {2}),
                           of(out("backprop"), {2, 3})),
      .domain = {.everywhere = kFloats,
                 .max_rank = 2,
                 .base_shape = {kN, 5},
                 .arrange =
                     [](Arguments& a) {
                       const Shape shape = a.shape("features");
                       if (shape.size() != 2) throw std::invalid_argument("features are rows");
                       a.shape("labels") = a.shape("backprop") = shape;
                       a.shape("loss") = {shape[0]};
                     },
                 .value_samples = {{{{"features", Shape{3, 1100}}}},
                                   {{{"features", Shape{600, 3}}}}}},
      .results = {.reference = softmax_cross_entropy<false>,
                  .bound = {.of_float = 0.5005},
                  .magnitude = softmax_cross_entropy<true>,
                  .nan_goes_through = false},
      .error_inputs = {refused("features", "without rows", of_shape({3}), "at least 2"),
                       refused("loss", "of another size", of_shape({3}), "[2]")},
      .words = {"−Σ labels·log_softmax(features), and softmax(features) − labels",
                "−Σ labels·log_softmax(features)，及 softmax(features) − labels", "",
                "softmax_cross_entropy_with_logits"},
  });
}

}  // namespace aclgrad::contract
