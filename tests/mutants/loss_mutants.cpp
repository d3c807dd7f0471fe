// SPDX-License-Identifier: Apache-2.0
// Wrong backwards of absolute errors, of binary cross entropy, and of rows taken by their numbers.
#include <cmath>

#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using gradcheck::variants;

constexpr std::size_t kColumns = 4, kRows = 3;  // of the losses: [2, 3, 4]
constexpr double kBeta = 1.5;

// Inputs: g, prediction, target. The mean of all.
Kernels absolute_error(double beta, const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    const double limit = is("corner at half of beta") ? beta / 2 : beta;
    double count = static_cast<double>(in[1].size());
    if (is("divided by the batch")) count = 2;
    if (is("not divided by the count")) count = 1;
    std::vector<double> out;
    for (std::size_t i = 0; i < in[1].size(); ++i) {
      const double d = is("sign reversed") ? in[2][i] - in[1][i] : in[1][i] - in[2][i];
      double slope = d == 0 ? 0 : std::copysign(1, d);
      if (is("sign of the prediction")) slope = std::copysign(1, in[1][i]);
      if (is("the difference for its sign")) slope = d;
      if (std::abs(d) < limit) slope = is("beta missing") ? d : d / beta;
      if (std::abs(d) >= limit && is("beta for 1 beyond it")) slope *= beta;
      out.push_back(in[0][0] * slope / count);
    }
    return {out};
  };
}

// Inputs: g, logits, target, weight of positive classes. The mean of all.
Kernels cross_entropy(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out;
    for (std::size_t i = 0; i < in[1].size(); ++i) {
      const double t = in[2][i];
      double weight = in[3][is("weight of the row") ? i / kColumns % kRows : i % kColumns];
      if (is("weight forgotten")) weight = 1;
      const double positive = weight * t;
      const double s = is("logit for its probability") ? in[1][i] : 1 / (1 + std::exp(-in[1][i]));
      const double all = is("weight forgotten beside the probability") ? 1 : positive + 1 - t;
      double slope = all * s - positive;
      if (is("weight on both terms")) slope = weight * (s - t);
      if (is("target not subtracted")) slope = all * s;
      const double count = is("divided by the batch") ? 2 : static_cast<double>(in[1].size());
      out.push_back(in[0][0] * slope / count);
    }
    return {out};
  };
}

// Rows of 2 for 5 numbers. Inputs: g, numbers.
Kernels embedding(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    constexpr std::size_t kWidth = 2, kNumbers = 5;
    std::vector<double> out(kWidth * kNumbers), times(kNumbers);
    for (const double number : in[1]) times[static_cast<std::size_t>(number)] += 1;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      auto row = static_cast<std::size_t>(in[1][i / kWidth]);
      const double share = in[0][i] / (is("divided by the frequency") ? times[row] : 1);
      if (is("row 0 taken for the padding") && row == 0) continue;
      if (is("the next row")) row = (row + 1) % kNumbers;
      const std::size_t at =
          is("transposed") ? i % kWidth * kNumbers + row : row * kWidth + i % kWidth;
      out[at] = (is("equal numbers overwritten") ? 0 : out[at]) + share;
    }
    return {out};
  };
}

// Inputs: gradient, probabilities, targets, weights of the columns. Of a mean.
Kernels of_probabilities(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out;
    const double count = is("not divided by the count") ? 1 : static_cast<double>(in[1].size());
    for (std::size_t i = 0; i < in[1].size(); ++i) {
      const double x = in[1][i], t = in[2][i], g = in[0][i % in[0].size()];
      const double weight = is("weight forgotten") ? 1 : in[3][i % in[3].size()];
      const double slope = is("only what is true") ? -t / x : (x - t) / (x * (1 - x));
      out.push_back(g / count * weight * (is("of the logit") ? x - t : slope));
    }
    return {out};
  };
}

// Inputs: gradient, scores, targets. Of a mean.
Kernels margin(const Edits& edits) {
  return [=](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    std::vector<double> out;
    for (std::size_t i = 0; i < in[1].size(); ++i) {
      const double t = in[2][i], z = (is("sign reversed") ? -1 : 1) * t * in[1][i];
      const double slope = -(is("target forgotten") ? 1 : t) / (1 + std::exp(z));
      out.push_back(in[0][i % in[0].size()] * slope / static_cast<double>(in[1].size()));
    }
    return {out};
  };
}

}  // namespace

std::vector<Mutant> loss_mutants() {
  std::vector<Mutant> all;
  const auto error = [](double beta) {
    return [beta](const Edits& edits) { return absolute_error(beta, edits); };
  };
  add_mutants(all, "smooth l1", "smooth_l1_loss", variants("smooth_l1_loss")[1], error(kBeta),
              {"beta missing", "corner at half of beta", "beta for 1 beyond it",
               "divided by the batch", "sign reversed"});
  add_mutants(
      all, "l1", "l1_loss", variants("l1_loss")[1], error(0),
      {"the difference for its sign", "sign of the prediction", "not divided by the count"});
  add_mutants(all, "binary cross entropy", "bce_with_logits", variants("bce_with_logits")[1],
              cross_entropy,
              {"weight forgotten", "weight forgotten beside the probability",
               "weight on both terms", "weight of the row", "logit for its probability",
               "target not subtracted", "divided by the batch"});
  add_mutants(
      all, "cross entropy of probabilities", "binary_cross_entropy",
      variants("binary_cross_entropy")[1], of_probabilities,
      {"only what is true", "of the logit", "weight forgotten", "not divided by the count"});
  add_mutants(all, "soft margin", "soft_margin_loss", variants("soft_margin_loss")[1], margin,
              {"sign reversed", "target forgotten"});
  add_mutants(all, "embedding", "embedding", variants("embedding")[0], embedding,
              {"equal numbers overwritten", "the next row", "divided by the frequency",
               "transposed", "row 0 taken for the padding"});
  return all;
}

}  // namespace aclgrad::mutants
