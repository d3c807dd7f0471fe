// SPDX-License-Identifier: Apache-2.0
// Absolute errors, smooth or not, and binary cross entropy.
#include <algorithm>
#include <cmath>

#include "aclgrad_contract/formulas.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "ops/contract/dense.h"
#include "ops/loss/loss_contract.h"

namespace aclgrad::contract {
namespace {

// ---- Absolute errors ----------------------------------------------------------------------------

Number beta_of(const Arguments& a) { return a.has("beta") ? a.number("beta") : 0; }

Arrays absolute_error(const Arguments& a, const Arrays& in) {
  const Number beta = beta_of(a);
  const Array losses = dense::zip(in[0], in[1], [beta](Number x, Number y) {
    const Number size = std::abs(x - y);
    return size < beta ? size * size / (2 * beta) : size - beta / 2;
  });
  return {reduced(losses, a.number("reduction"), static_cast<Number>(losses.values.size()))};
}

Arrays absolute_error_gradient(const Arguments& a, const Arrays& in) {
  const Number beta = beta_of(a);
  const Array slopes = dense::zip(in[1], in[2], [beta](Number x, Number y) {
    const Number d = x - y;
    if (std::abs(d) < beta) return d / beta;
    return d == 0 || std::isnan(d) ? d : std::copysign(Number{1}, d);
  });
  const Number share = share_of(a, static_cast<Number>(slopes.values.size()));
  return {dense::zip(slopes, in[0], [share](Number slope, Number g) { return g * slope / share; })};
}

// Drawn so that no two are one, nor beta apart: there is no derivative there.
std::vector<Parameter> operands(bool any) {
  std::vector<Parameter> both = {of(in("self", -4, 4), {2, 3}, 3), of(in("target", -5, 3), {2, 3})};
  for (Parameter& each : both) std::get<TensorSpec>(each.spec).any_dtype = any;
  return both;
}

std::vector<Sample> with_beta(Number beta) {
  std::vector<Sample> samples = kReductions;
  for (Sample& each : samples) each.settings.emplace_back("beta", static_cast<double>(beta));
  return samples;
}

}  // namespace

void add_error_losses(std::vector<Operator>& all) {
  const std::vector<Parameter> x = operands(true);
  const Parameter beta = declared({"beta", 0.5}, "float");
  const ErrorInput bad_beta = refused("beta", "below 0", -0.5, "-0.5");
  // Without a beta the loss has a corner.
  const Sample corner{{{"reduction", 0.0}, {"beta", 0.0}}, /*is_gradient=*/false};
  const std::vector<Sample> samples = with_beta(1.5) + std::vector{corner};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSmoothL1Loss, x[0], x[1], integer("reduction", kMean), beta,
                           any_dtype(of(out("result"), {}))),
      .domain = {.everywhere = kFloats, .arrange = arrange_loss, .samples = samples},
      .results = {.reference = absolute_error},
      .error_inputs = kBadReductions + std::vector{bad_beta, reduced_for_none("result")},
      .words = {"d²/(2·beta) for |d| < beta, |d| − beta/2 otherwise; d = self − target",
                "|d| < beta 时为 d²/(2·beta)，否则为 |d| − beta/2；d = self − target",
                "smooth_l1_loss(prediction, target)"},
  });
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnSmoothL1LossBackward, any_dtype(of(in("gradOut"), {2, 3})), x[0], x[1],
                       integer("reduction", kSum), beta, any_dtype(of(out("gradInput"), {2, 3}))),
      .domain =
          {.everywhere = kFloats, .base = "self", .arrange = arrange_loss, .samples = samples},
      .results = {.reference = absolute_error_gradient},
      .gradient = from_input("aclnnSmoothL1Loss"),
      .error_inputs = kBadReductions + std::vector{bad_beta},
      .words = {"g·d/beta for |d| < beta, g·sign(d) otherwise",
                "|d| < beta 时为 g·d/beta，否则为 g·sign(d)",
                "smooth_l1_loss_backward(g, prediction, target, reduction, beta)",
                "smooth_l1_loss"},
  });

  const auto also_accepts = [](const Arguments& a, std::string_view, aclDataType dtype) {
    return dtype == ACL_INT64 && a.number("reduction") != kMean;
  };
  const ErrorInput mean_of_integers{
      .what = "of INT64 for a mean",
      .changes = {{"self", of_shape({2, 3})},
                  {"reduction", kMean},
                  {"out", TensorSpec{.shape = {}, .dtype = ACL_FLOAT}}},
      .words = {"floating"},
      .dtype = ACL_INT64};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnL1Loss, promotes(x[0]), promotes(x[1]), integer("reduction", kSum),
                           any_dtype(of(out("out"), {}))),
      .domain = {.everywhere = kFloats,
                 .also_accepts = also_accepts,
                 .arrange = arrange_loss,
                 .samples = kReductions},
      .results = {.reference = absolute_error},
      .error_inputs = kBadReductions + std::vector{reduced_for_none("out"), mean_of_integers},
      .words = {"|self − target|, none, mean or sum", "|self − target|，不规约、平均或求和",
                "l1_loss(prediction, target)"},
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnL1LossBackward, promotes(of(in("gradOutput"), {2, 3})),
                           promotes(x[0]), promotes(x[1]), integer("reduction", kSum),
                           any_dtype(of(out("gradInput"), {2, 3}))),
      .domain =
          {.everywhere = kFloats, .base = "self", .arrange = arrange_loss, .samples = kReductions},
      .results = {.reference = absolute_error_gradient},
      .gradient = from_input("aclnnL1Loss"),
      .error_inputs = kBadReductions,
      .words = {"g·sign(self − target), divided by the count for mean",
                "g·sign(self − target)，平均时再除以个数",
                "l1_loss_backward(g, prediction, target, reduction)", "l1_loss"},
  });
}

// ---- Binary cross entropy -----------------------------------------------------------------------

namespace {

// Of the logits and the targets, and of weight and posWeight as far as they are given.
struct Terms {
  Array x, target, weight, positive;

  Terms(const Arguments& a, const Arrays& in, size_t first)
      : x(in[first]), target(in[first + 1]), weight(dense::full(x.shape, 1)), positive(weight) {
    size_t next = first + 2;
    const auto take = [&](const char* name, Array& array) {
      if (!a.is_set(name)) return;
      array = dense::expand(in[next++], x.shape);
    };
    take("weightOptional", weight);
    take("posWeightOptional", positive);
  }
};

Arrays binary_cross_entropy(const Arguments& a, const Arrays& in) {
  const Terms terms(a, in, 0);
  Array losses = terms.x;
  for (size_t i = 0; i < losses.values.size(); ++i) {
    const Number x = terms.x.values[i], t = terms.target.values[i];
    const Number weight = terms.weight.values[i], positive = terms.positive.values[i];
    if (std::isinf(x)) {  // log(1 + e^-|x|) is 0; 0 times an infinity is 0, the limit
      const Number factor = weight * (x > 0 ? 1 - t : positive * t);
      losses.values[i] = factor == 0 ? 0 : factor * std::abs(x);
      continue;
    }
    const Number rest = std::log1p(std::exp(-std::abs(x))) + std::max(-x, Number{0});
    losses.values[i] = weight * ((1 - t) * x + (1 + (positive - 1) * t) * rest);
  }
  return {reduced(losses, a.number("reduction"), static_cast<Number>(losses.values.size()))};
}

Arrays binary_cross_entropy_gradient(const Arguments& a, const Arrays& in) {
  const Terms terms(a, in, 1);
  const Array g = dense::expand(in[0], terms.x.shape);
  Array out = terms.x;
  const Number share = share_of(a, static_cast<Number>(out.values.size()));
  for (size_t i = 0; i < out.values.size(); ++i) {
    const Number t = terms.target.values[i], all = terms.positive.values[i] * t;
    const Number s = formulas::sigmoid(terms.x.values[i]);
    out.values[i] = g.values[i] * terms.weight.values[i] * ((all + 1 - t) * s - all) / share;
  }
  return {out};
}

std::vector<Sample> weighted_samples() {
  std::vector<Sample> samples = kReductions;
  samples[1].settings.emplace_back("posWeightOptional", Shape{4});
  samples[2].settings.emplace_back("weightOptional", Shape{3, 1});
  samples[2].settings.emplace_back("posWeightOptional", Shape{4});
  return samples;
}

}  // namespace

void add_binary_cross_entropy(std::vector<Operator>& all) {
  const Parameter target = of(in("target", 0, 1), {2, 3});
  const Parameter weight = optional(any_dtype(of(in("weightOptional", 0.5L, 2), {3})));
  const Parameter positive = optional(any_dtype(of(in("posWeightOptional", 0.5L, 2), {3}, 2)));
  const std::vector<ErrorInput> error_inputs =
      kBadReductions + std::vector{wider("weightOptional"), wider("posWeightOptional")};
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnBinaryCrossEntropyWithLogits, any_dtype(of(in("self"), {2, 3}, 3)),
                       target, weight, positive, integer("reduction", kMean), of(out("out"), {})),
      .domain = {.everywhere = kFloats, .arrange = arrange_loss, .samples = weighted_samples()},
      .results = {.reference = binary_cross_entropy},
      .error_inputs = error_inputs + std::vector{reduced_for_none("out")},
      .words = {"the cross entropy of target and sigmoid(self), weighted",
                "target 与 sigmoid(self) 的加权交叉熵", "bce_with_logits(logits, target)"},
  });
  // The parts that differ may be close.
  const auto magnitude = [](const Arguments& a, const Arrays& in) {
    const Terms terms(a, in, 1);
    Array size = dense::expand(in[0], terms.x.shape);
    const Number share = share_of(a, static_cast<Number>(size.values.size()));
    for (size_t i = 0; i < size.values.size(); ++i) {
      const Number most = 1 + 2 * terms.positive.values[i];
      size.values[i] = std::abs(size.values[i]) * terms.weight.values[i] * most / share;
    }
    return Arrays{size};
  };
  all.push_back({
      .call = ACLGRAD_CALL(aclnnBinaryCrossEntropyWithLogitsBackward,
                           any_dtype(of(in("gradOutput"), {2, 3})),
                           any_dtype(of(in("self"), {2, 3}, 3)), target, weight, positive,
                           integer("reduction", kSum), of(out("out"), {2, 3})),
      .domain = {.everywhere = kFloats,
                 .base = "self",
                 .arrange = arrange_loss,
                 .samples = weighted_samples()},
      .results = {.reference = binary_cross_entropy_gradient, .magnitude = magnitude},
      .gradient = from_input("aclnnBinaryCrossEntropyWithLogits"),
      .error_inputs = error_inputs + std::vector{wider("gradOutput")},
      .words = {"g·weight·((posWeight·t + 1 − t)·sigmoid(x) − posWeight·t)",
                "g·weight·((posWeight·t + 1 − t)·sigmoid(x) − posWeight·t)",
                "bce_with_logits_backward(g, logits, target, ...)", "bce_with_logits"},
  });
}

}  // namespace aclgrad::contract
