// SPDX-License-Identifier: Apache-2.0
// Binary cross entropy of probabilities, the logistic loss of margins, and the Kullback-Leibler
// divergence.
#include <algorithm>
#include <cmath>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "aclnnop/aclnn_kl_div.h"
#include "aclnnop/aclnn_kl_div_backward.h"
#include "aclnnop/aclnn_kl_div_target_backward.h"
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"
#include "ops/contract/dense.h"
#include "ops/loss/loss_contract.h"

namespace aclgrad::contract {
namespace {

// DOUBLE losses are sums of some rounded terms.
constexpr Bound kOfDoubles{.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 16};

Array weights(const Arguments& a, const Arrays& in, size_t first, const Shape& shape) {
  return a.is_set("weight") ? dense::expand(in[first], shape) : dense::full(shape, 1);
}

Arrays cross_entropy(const Arguments& a, const Arrays& in) {
  Array losses = in[0];
  const Array weight = weights(a, in, 2, losses.shape);
  for (size_t i = 0; i < losses.values.size(); ++i) {
    const Number x = in[0].values[i], t = in[1].values[i];
    const Number of_one = std::max(std::log(x), Number{-100});
    const Number of_zero = std::max(std::log1p(-x), Number{-100});
    losses.values[i] = -weight.values[i] * (t * of_one + (1 - t) * of_zero);
  }
  return {reduced(losses, a.number("reduction"), static_cast<Number>(losses.values.size()))};
}

Arrays cross_entropy_gradient(const Arguments& a, const Arrays& in) {
  Array out = in[1];
  const Array g = dense::expand(in[0], out.shape), weight = weights(a, in, 3, out.shape);
  const Number share = share_of(a, static_cast<Number>(out.values.size()));
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Number x = in[1].values[i];
    const Number slope = (x - in[2].values[i]) / std::max<Number>(x * (1 - x), 1e-12);
    out.values[i] = g.values[i] * weight.values[i] * slope / share;
  }
  return {out};
}

Arrays soft_margin(const Arguments& a, const Arrays& in) {
  const Array losses = dense::zip(in[0], in[1], [](Number x, Number t) {
    return std::max<Number>(-t * x, 0) + std::log1p(std::exp(-std::abs(t * x)));
  });
  return {reduced(losses, a.number("reduction"), static_cast<Number>(losses.values.size()))};
}

Arrays soft_margin_gradient(const Arguments& a, const Arrays& in) {
  const Array slopes =
      dense::zip(in[1], in[2], [](Number x, Number t) { return -t * formulas::sigmoid(-t * x); });
  const Number share = share_of(a, static_cast<Number>(slopes.values.size()));
  return {dense::zip(slopes, in[0], [share](Number slope, Number g) { return g * slope / share; })};
}

// Of one element, or with the magnitudes of both parts.
Number divergence(bool log_target, bool magnitudes, Number x, Number t) {
  const Number weight = log_target ? std::exp(t) : t;
  const Number logs = log_target ? t : t == 0 ? 0 : std::log(t);
  return magnitudes ? weight * (std::abs(logs) + std::abs(x)) : weight * (logs - x);
}

// By the target: of the divergence, or of its parts' magnitudes.
Number slope_by_target(bool log_target, bool magnitudes, Number x, Number t) {
  if (!log_target && t == 0) return 0;
  const Number weight = log_target ? std::exp(t) : 1, logs = log_target ? t : std::log(t);
  return weight * (magnitudes ? std::abs(logs) + 1 + std::abs(x) : logs + 1 - x);
}

bool has_log_target(const Arguments& a) { return a.number("logTarget") != 0; }

template <bool kMagnitudes>
Arrays kl_div(const Arguments& a, const Arrays& in) {
  const Array losses = dense::zip(in[0], in[1], [&](Number x, Number t) {
    return divergence(has_log_target(a), kMagnitudes, x, t);
  });
  return {reduced(losses, a.number("reduction"), static_cast<Number>(losses.values.size()))};
}

Arrays kl_div_gradient(const Arguments& a, const Arrays& in) {
  const Number share = share_of(a, static_cast<Number>(in[1].values.size()));
  return {dense::zip(in[2], in[0], [&](Number t, Number g) {
    return -g * (has_log_target(a) ? std::exp(t) : t) / share;
  })};
}

template <bool kMagnitudes>
Arrays kl_div_target_gradient(const Arguments& a, const Arrays& in) {
  const Array slopes = dense::zip(in[1], in[2], [&](Number x, Number t) {
    return slope_by_target(has_log_target(a), kMagnitudes, x, t);
  });
  const Number share = share_of(a, static_cast<Number>(slopes.values.size()));
  return {dense::zip(slopes, in[0], [&](Number slope, Number g) {
    return (kMagnitudes ? std::abs(g) : g) * slope / share;
  })};
}

void add_kl_div(std::vector<Operator>& all) {
  const Parameter x = promotes(any_dtype(of(in("self", -4, 0), {2, 3}))),
                  target = promotes(any_dtype(of(in("target", 0.5L, 1), {2, 3}))),
                  gradient = promotes(any_dtype(of(in("gradOutput"), {2, 3}))),
                  log_target = flag("logTarget");
  std::vector<Sample> samples = kReductions;
  samples[1].settings.emplace_back("logTarget", 1.0);
  const Domain forward{.everywhere = kFloatsAndDouble, .arrange = arrange_loss, .samples = samples};
  Domain backward = forward;
  backward.base = "self";
  all.push_back({
      .call = ACLGRAD_CALL(aclnnKlDiv, x, target, integer("reduction", kSum), log_target,
                           any_dtype(of(out("out"), {}))),
      .domain = forward,
      .results = {.reference = kl_div<false>, .bound = kOfDoubles, .magnitude = kl_div<true>},
      .error_inputs = kBadReductions + std::vector{reduced_for_none("out")},
      .words = {"t·(ln t − self), 0·ln 0 = 0; of logarithms eᵗ·(t − self)",
                "t·(ln t − self)，0·ln 0 = 0；logTarget 时为 eᵗ·(t − self)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnKlDivBackward, gradient, x, target, integer("reduction", kSum),
                           log_target, any_dtype(of(out("gradInput"), {2, 3}))),
      .domain = backward,
      .results = {.reference = kl_div_gradient, .bound = kOfDoubles},
      .gradient = from_input("aclnnKlDiv"),
      .error_inputs = kBadReductions,
      .words = {"−g·t; of logarithms −g·eᵗ", "−g·t；logTarget 时为 −g·eᵗ", "", "kl_div"},
  });
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnKlDivTargetBackward, gradient, x, target, integer("reduction", kSum),
                       log_target, any_dtype(of(out("gradTarget"), {2, 3}))),
      .domain = backward,
      .results = {.reference = kl_div_target_gradient<false>,
                  .bound = kOfDoubles,
                  .magnitude = kl_div_target_gradient<true>},
      .error_inputs = kBadReductions,
      .words = {"g·(ln t + 1 − self), 0 for t = 0; of logarithms g·eᵗ·(t + 1 − self)",
                "g·(ln t + 1 − self)，t = 0 时为 0；logTarget 时为 g·eᵗ·(t + 1 − self)", "",
                "kl_div_target"},
  });
}

}  // namespace

void add_probability_losses(std::vector<Operator>& all) {
  add_kl_div(all);
  const Parameter x = of(in("self", 0.35L, 0.65L), {2, 3}, 0.25);
  // Off the probabilities, where the gradient has a root.
  const Parameter target = of(in("target", 0.75L, 1), {2, 3});
  const Parameter weight = optional(of(in("weight", 0.5L, 2), {3}));
  std::vector<Sample> samples = kReductions;
  samples[1].settings.emplace_back("weight", Shape{4});
  samples[2].settings.emplace_back("weight", Shape{3, 1});
  const std::vector<ErrorInput> error_inputs = kBadReductions + std::vector{wider("weight")};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnBinaryCrossEntropy, x, target, weight, integer("reduction", kMean),
                           of(out("out"), {})),
      .domain = {.everywhere = kFloatsAndDouble, .arrange = arrange_loss, .samples = samples},
      .results = {.reference = cross_entropy, .bound = kOfDoubles},
      .error_inputs = error_inputs + std::vector{reduced_for_none("out")},
      .words = {"−weight·(t·ln x + (1 − t)·ln(1 − x)), a logarithm at least −100",
                "−weight·(t·ln x + (1 − t)·ln(1 − x))，对数不小于 −100",
                "binary_cross_entropy(probabilities, target, options)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnBinaryCrossEntropyBackward, of(in("gradOutput"), {2, 3}), x, target,
                           weight, integer("reduction", kSum), of(out("gradInput"), {2, 3})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .base = "self",
                 .arrange = arrange_loss,
                 .samples = samples},
      .results = {.reference = cross_entropy_gradient, .bound = kOfDoubles},
      .gradient = from_input("aclnnBinaryCrossEntropy"),
      .error_inputs = error_inputs + std::vector{wider("gradOutput")},
      .words = {"g·weight·(x − t)/max(x·(1 − x), 10⁻¹²)", "g·weight·(x − t)/max(x·(1 − x), 10⁻¹²)",
                "", "binary_cross_entropy"},
  });

  const Parameter score = of(in("self"), {2, 3}, 0.5), sign = of(in("target", -1, 1), {2, 3});
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSoftMarginLoss, score, sign, integer("reduction", kMean),
                           of(out("out"), {})),
      .domain = {.everywhere = kFloatsAndDouble, .arrange = arrange_loss, .samples = kReductions},
      .results = {.reference = soft_margin, .bound = kOfDoubles},
      .error_inputs = kBadReductions + std::vector{reduced_for_none("out")},
      .words = {"ln(1 + e^(−target·self))", "ln(1 + e^(−target·self))",
                "soft_margin_loss(scores, target, reduction)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSoftMarginLossBackward, of(in("gradOutput"), {2, 3}), score, sign,
                           integer("reduction", kSum), of(out("gradInput"), {2, 3})),
      .domain = {.everywhere = kFloatsAndDouble,
                 .base = "self",
                 .arrange = arrange_loss,
                 .samples = kReductions},
      .results = {.reference = soft_margin_gradient, .bound = kOfDoubles},
      .gradient = from_input("aclnnSoftMarginLoss"),
      .error_inputs = kBadReductions,
      .words = {"−g·target/(1 + e^(target·self))", "−g·target/(1 + e^(target·self))", "",
                "soft_margin_loss"},
  });
}

}  // namespace aclgrad::contract
