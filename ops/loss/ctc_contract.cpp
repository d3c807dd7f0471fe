// SPDX-License-Identifier: Apache-2.0
// Connectionist temporal classification.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "ops/contract/dense.h"
#include "ops/loss/loss_contract.h"

namespace aclgrad::contract {
namespace {

constexpr Number kImpossible = -HUGE_VALL;

// Samples of different lengths, whose labels fit into their steps unless a sample says others.
// logAlpha has columns that no sample needs.
void arrange_alignments(Arguments& a) {
  const Shape shape = a.shape("logProbs");
  if (shape.size() < 2 || shape.size() > 3 || shape.back() < 2) {
    throw std::invalid_argument("ctc_loss is checked on TxNxC and TxC of at least 2 classes");
  }
  const int64_t samples = shape.size() == 3 ? shape[1] : 1;
  Shape steps, labels;
  for (int64_t n = 0; n < samples; ++n) {
    steps.push_back(std::max<int64_t>(shape[0] - n % 2, 0));
    labels.push_back(std::min<int64_t>(steps.back() / 2, 3));
  }
  if (a.is_set("targetLengths")) labels = a.array("targetLengths");
  a.array("inputLengths") = steps;
  a.array("targetLengths") = labels;
  const int64_t longest = *std::max_element(labels.begin(), labels.end());
  if (a.shape("targets").size() == 2) a.shape("targets") = {samples, longest + 1};
  const Number blank = a.number("blank");  // all labels are above it, or below
  a.tensor("targets").low = blank == 0 ? 1 : 0;
  a.tensor("targets").high = blank == 0 ? static_cast<Number>(shape.back() - 1) : blank - 1;
  a.reshape({"negLogLikelihood", "gradOut"}, shape.size() == 3 ? Shape{samples} : Shape{});
  a.reshape({"logAlpha"}, {samples, shape[0], 2 * longest + 3});
  a.reshape({"gradInput"}, shape);
}

// Its steps, and the classes of its states, of one sample.
struct Alignment {
  size_t number, samples, classes, steps, all_steps, columns;
  std::vector<size_t> states;

  Alignment(const Arguments& a, const Array& targets, size_t n) : number(n) {
    const Shape& shape = a.shape("logProbs");
    const Shape& labels = a.array("targetLengths");
    samples = labels.size();
    classes = static_cast<size_t>(shape.back());
    steps = static_cast<size_t>(a.array("inputLengths")[n]);
    all_steps = static_cast<size_t>(shape[0]);
    columns = static_cast<size_t>(a.shape("logAlpha")[2]);
    size_t start = n * static_cast<size_t>(targets.shape.back());
    if (targets.shape.size() == 1) {
      start = 0;
      for (size_t i = 0; i < n; ++i) start += static_cast<size_t>(labels[i]);
    }
    const auto blank = static_cast<size_t>(a.number("blank"));
    states.push_back(blank);
    for (size_t i = 0; i < static_cast<size_t>(labels[n]); ++i) {
      states.push_back(static_cast<size_t>(targets.values[start + i]));
      states.push_back(blank);
    }
  }

  size_t row(size_t t) const { return (t * samples + number) * classes; }
  size_t alpha_row(size_t t) const { return (number * all_steps + t) * columns; }

  // The states' probabilities after step t, from those before.
  std::vector<Number> after(const Array& log_probs, size_t t, const std::vector<Number>& before,
                            const std::vector<size_t>& of) const {
    std::vector<Number> now(of.size(), kImpossible);
    for (size_t s = 0; s < of.size(); ++s) {
      Number sum = before.empty() ? (s < 2 ? 1 : 0) : 0;
      if (!before.empty()) {
        sum = std::exp(before[s]) + (s > 0 ? std::exp(before[s - 1]) : 0);
        if (s > 1 && of[s] != of[s - 2]) sum += std::exp(before[s - 2]);
      }
      now[s] = std::log(sum) + log_probs.values[row(t) + of[s]];
    }
    return now;
  }
};

// Inputs: logProbs, targets. Results: negLogLikelihood, logAlpha.
Arrays alignments(const Arguments& a, const Arrays& in) {
  Array losses{a.shape("negLogLikelihood"), {}}, alpha = dense::full(a.shape("logAlpha"));
  for (size_t n = 0; n < a.array("targetLengths").size(); ++n) {
    const Alignment of(a, in[1], n);
    std::vector<Number> before;
    for (size_t t = 0; t < of.steps; ++t) {
      before = of.after(in[0], t, before, of.states);
      for (size_t s = 0; s < of.columns; ++s) {
        alpha.values[of.alpha_row(t) + s] = s < before.size() ? before[s] : kImpossible;
      }
    }
    Number likelihood = of.states.size() == 1 ? 1 : 0;
    if (of.steps > 0) {
      likelihood = std::exp(before.back());
      if (before.size() > 1) likelihood += std::exp(before[before.size() - 2]);
    }
    losses.values.push_back(-std::log(likelihood));
  }
  return {losses, alpha};
}

// Inputs: gradOut, logProbs, targets, negLogLikelihood, logAlpha.
template <bool kMagnitudes>
Arrays alignment_gradient(const Arguments& a, const Arrays& in) {
  Array out = dense::full(in[1].shape);
  for (size_t n = 0; n < a.array("targetLengths").size(); ++n) {
    const Alignment of(a, in[2], n);
    const std::vector<size_t> reversed(of.states.rbegin(), of.states.rend());
    const Number g = in[0].values[n], loss = in[3].values[n];
    std::vector<Number> beta;
    for (size_t t = of.steps; t-- > 0;) {
      beta = of.after(in[1], t, beta, reversed);
      std::vector<Number> shares(of.classes, 0);
      for (size_t s = 0; s < of.states.size(); ++s) {
        const size_t wanted = of.states[s];
        const Number both = in[4].values[of.alpha_row(t) + s] + beta[of.states.size() - 1 - s];
        shares[wanted] += std::exp(both + loss - in[1].values[of.row(t) + wanted]);
      }
      for (size_t c = 0; c < of.classes; ++c) {
        const Number p = std::exp(in[1].values[of.row(t) + c]);
        out.values[of.row(t) + c] =
            kMagnitudes ? std::abs(g) * (p + shares[c]) : g * (p - shares[c]);
      }
    }
  }
  return {out};
}

// The documented gradient, a probability less its share of the paths, is the one through a
// log-softmax: the derivative of the loss plus the sum of all probabilities, which a log-softmax
// keeps constant.
Arrays with_probabilities(const Arguments& a, const Arrays& in) {
  Array losses = alignments(a, in)[0];
  for (size_t n = 0; n < losses.values.size(); ++n) {
    const Alignment of(a, in[1], n);
    for (size_t t = 0; t < of.steps; ++t) {
      for (size_t c = 0; c < of.classes; ++c) {
        losses.values[n] += std::exp(in[0].values[of.row(t) + c]);
      }
    }
  }
  return {losses};
}

// Inputs: logProbs, targets; outputs: negLogLikelihood, logAlpha.
Arrays given_alignments(const Arguments&, const Arrays& in, const Arrays& out, const Array& g) {
  return {g, in[0], in[1], out[0], out[1]};
}

}  // namespace

void add_ctc_loss(std::vector<Operator>& all) {
  const Parameter log_probs = of(in("logProbs", -4, -0.5L), {4, 2, 3}, -1);
  const Parameter targets = typed(of(in("targets", 1, 2), {2, 2}, 1), ACL_INT64);
  const Parameter steps = no_option(values("inputLengths", {4, 4}));
  const Parameter labels = no_option(values("targetLengths", {2, 2}));
  const Parameter blank = integer("blank", 0), zero = flag("zeroInfinity");
  const auto with = [](const char* name, Shape shape) { return std::pair(name, shape); };
  const Domain domain{
      .everywhere = kFloatsAndDouble,
      .max_rank = 3,
      .grows = false,
      .base = "logProbs",
      .base_shape = {4, 3, kN},  // the lengths are of a call, whatever its size is
      .arrange = arrange_alignments,
      .samples = {{}, {{{"blank", 1.0}}}, {{{"targets", ACL_INT32}}}, {{{"zeroInfinity", 1.0}}}},
      .value_samples = {{{with("logProbs", {7, 4})}},
                        {{with("logProbs", {6, 2, 4}), with("targets", {5}), {"blank", 3.0}}},
                        {{with("logProbs", {1, 3, 2})}},
                        {{with("logProbs", {5, 2, 600})}},
                        {{with("logProbs", {530, 2, 3}), with("targetLengths", {261, 0})}}}};
  const std::vector<ErrorInput> error_inputs = {
      wrong_number("blank", 3, "is 3"),
      wrong_number("blank", -1, "is -1"),
      wrong_values("inputLengths", "of one number", {4}, "[4]"),
      wrong_values("inputLengths", "with one beyond the steps", {4, 5}, "[4, 5]"),
      wrong_values("targetLengths", "with a negative one", {2, -1}, "[2, -1]"),
      refused("targets", "of too few columns", TensorSpec{.shape = {2, 1}, .dtype = ACL_INT64},
              "[2, 1]"),
      refused("targets", "of another size", TensorSpec{.shape = {7}, .dtype = ACL_INT64}, "[7]"),
      refused("logProbs", "without samples", of_shape({4}), "at least 2"),
      refused("logAlpha", "of too few columns", of_shape({2, 4, 4}), "[2, 4, 4]"),
      refused("negLogLikelihood", "of another size", of_shape({3}), "[2]")};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnCtcLoss, log_probs, targets, steps, labels, blank, zero,
                           of(out("negLogLikelihood"), {2}), of(out("logAlpha"), {2, 4, 5})),
      .domain = domain,
      .results = {.reference = alignments,
                  .bound = {.of_float = 0.501, .of_double = 16},
                  .least_magnitude_double = 64,
                  .nan_goes_through = false},
      .error_inputs =
          error_inputs + std::vector{refused("logProbs", "without elements", of_shape({4, 2, 0}),
                                             "must have elements")},
      .words = {"−ln of the probability of the labels, over all alignments with blanks",
                "所有含空白对齐下标签概率的负对数",
                "ctc_loss(log_probabilities, targets, input_lengths, target_lengths)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnCtcLossBackward, of(in("gradOut"), {2}), log_probs, targets, steps,
                           labels, of(in("negLogLikelihood", 1, 8), {2}),
                           of(in("logAlpha", -8, -1), {2, 4, 5}, -1), blank, zero,
                           of(out("gradInput"), {4, 2, 3})),
      .domain = domain,
      .results = {.reference = alignment_gradient<false>,
                  .bound = {.of_float = 0.501, .of_double = 4096},
                  .magnitude = alignment_gradient<true>,
                  .nan_goes_through = false},
      .gradient = Gradient{.of = "aclnnCtcLoss",
                           .inputs = given_alignments,
                           .differentiated = with_probabilities},
      .error_inputs =
          error_inputs +
          std::vector{refused("gradOut", "of another size", of_shape({3}), "[2]"),
                      refused("gradInput", "of another size", of_shape({4, 2, 2}), "[4, 2, 2]"),
                      ErrorInput{.what = "without elements",
                                 .changes = {{"logProbs", of_shape({4, 2, 0})},
                                             {"gradInput", of_shape({4, 2, 0})}},
                                 .words = {"must have elements"}}},
      .words = {"g·(e^p − the share of the class in all alignments), through a log-softmax",
                "g·(e^p − 该类别在所有对齐中的占比)，经由 log-softmax", "", "ctc_loss"},
  });
}

}  // namespace aclgrad::contract
