// SPDX-License-Identifier: Apache-2.0
// Normalization of the channels of a batch, and of groups of channels of each image.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"
#include "ops/normalization/channel_norm_contract.h"

namespace aclgrad::contract {
namespace {

using dense::term;

// Of a batch: the differences of equal numbers from their mean are 0, whatever scales them.
std::vector<Number> batch_scales_of(const std::vector<Number>& variance, Number eps) {
  std::vector<Number> scales = scales_of(variance, eps);
  for (Number& scale : scales) scale = std::isinf(scale) ? 0 : scale;
  return scales;
}

// ---- Batches ------------------------------------------------------------------------------------

Number narrowed(const Arguments& a, const char* name) { return static_cast<float>(a.number(name)); }

void arrange_batch(Arguments& a) {
  const Shape input = a.shape("input");
  if (input.size() < 2 || input.size() > 8 || count_of(input) == 0) {
    throw std::invalid_argument("the input needs 2 to 8 dimensions, and elements");
  }
  a.reshape({"output", "gradOut", "gradInput"}, input);
  a.reshape({"weight", "bias", "runningMean", "runningVar", "saveMean", "saveInvstd", "gradWeight",
             "gradBias"},
            {input[1]});
  // Without training null is accepted.
  for (const char* name : {"saveMean", "saveInvstd"}) {
    a.tensor(name).optional = a.number("training") == 0 && !a.is_set(name);
  }
}

template <bool kMagnitude>
Arrays batch_norm(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array& x = *given["input"];
  const auto channels = static_cast<size_t>(x.shape[1]);
  std::vector<size_t> channel;
  for_each_element(x.shape, [&](size_t, size_t, size_t c) { channel.push_back(c); });
  const auto channel_at = [&](size_t i) { return channel[i]; };
  const bool training = a.number("training") != 0;
  Moments m = moments_of(x, channels, channel_at);
  const std::vector<Number> old_mean = values_of(given["runningMean"], channels, 0);
  const std::vector<Number> old_var = values_of(given["runningVar"], channels, 1);
  const Number share = narrowed(a, "momentum");
  const auto mixed = [&](const std::vector<Number>& old, const std::vector<Number>& now) {
    std::vector<Number> all = old;
    for (size_t c = 0; training && c < channels; ++c) {
      all[c] = term<kMagnitude>((1 - share) * old[c]) + share * now[c];
    }
    return all;
  };
  Arrays results;
  const Shape vector = {x.shape[1]};
  if (given["runningMean"] != nullptr) {
    results.push_back({vector, mixed(old_mean, kMagnitude ? m.size : m.mean)});
  }
  if (given["runningVar"] != nullptr) {
    std::vector<Number> unbiased = m.variance;
    for (size_t c = 0; c < channels; ++c) {
      if (m.count[c] > 1) unbiased[c] *= m.count[c] / (m.count[c] - 1);
    }
    results.push_back({vector, mixed(old_var, unbiased)});
  }
  const auto scale = training ? batch_scales_of(m.variance, narrowed(a, "eps"))
                              : scales_of(old_var, narrowed(a, "eps"));
  results.push_back(normalized<kMagnitude>(x, training ? m.mean : old_mean, scale, channel_at,
                                           channel_at, given["weight"], given["bias"]));
  if (!training) {
    // What is given to be saved stays as it was.
    if (a.is_set("saveMean")) results.insert(results.end(), {{vector, {}}, {vector, {}}});
    return results;
  }
  results.push_back({vector, kMagnitude ? m.size : m.mean});
  results.push_back({vector, m.variance});  // what Atlas A2 saves
  return results;
}

template <bool kMagnitude>
Arrays batch_norm_backward(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array& x = *given["input"];
  const auto channels = static_cast<size_t>(x.shape[1]);
  std::vector<size_t> channel;
  for_each_element(x.shape, [&](size_t, size_t, size_t c) { channel.push_back(c); });
  const auto channel_at = [&](size_t i) { return channel[i]; };
  const bool training = a.number("training") != 0;
  const auto mean = values_of(given[training ? "saveMean" : "runningMean"], channels, 0);
  const auto variance = values_of(given[training ? "saveInvstd" : "runningVar"], channels, 1);
  const Number eps = narrowed(a, "eps");
  return masked(a, gradients_of<kMagnitude>(
                       *given["gradOut"], x, mean,
                       training ? batch_scales_of(variance, eps) : scales_of(variance, eps),
                       channel_at, channel_at, given["weight"], channels, training));
}

std::vector<Sample> batch_samples() {
  const std::pair<std::string, Setting> eps{"eps", 0x1p-6};
  const std::pair<std::string, Setting> weight{"weight", Shape{}}, bias{"bias", Shape{}};
  const std::pair<std::string, Setting> mean{"runningMean", Shape{}}, var{"runningVar", Shape{}};
  const std::pair<std::string, Setting> evaluation{"training", 0.0};
  Sample in_float{{weight, bias, mean, var, eps}};
  for (const char* name : {"weight", "bias", "runningMean", "runningVar", "saveMean", "saveInvstd",
                           "gradWeight", "gradBias"}) {
    in_float.settings.emplace_back(name, ACL_FLOAT);
  }
  in_float.is_gradient = false;  // of DOUBLE: the saved mean and variance are rounded
  return {{{weight, bias, eps}},
          {{{"input", Shape{kN, 5}}, weight, bias, eps}},
          {{{"input", Shape{kN, 2, 2, 3}}, eps}},
          {{weight, bias, evaluation, eps}},
          {{weight, bias, mean, var, eps, {"momentum", 0.1}}},
          {{weight, bias, mean, var, evaluation, eps}},
          {{evaluation, eps, {"saveMean", Shape{}}, {"saveInvstd", Shape{}}}, false},
          in_float};
}

// What the backward is given.
Arrays given_batch(const Arguments& a, const Arrays& x, const Arrays& y, const Array& g) {
  const auto has = [&a](size_t i) { return !a.parameters()[i].tensor()->optional; };
  Arrays given = {g, x[0]};
  if (has(2)) given.push_back(x[1]);
  if (has(3)) given.insert(given.end(), x.end() - 2, x.end());  // the running statistics
  if (has(5)) given.insert(given.end(), {y.at(y.size() - 2), y.back()});
  return given;
}

void add_batch_norm(std::vector<Operator>& all) {
  const auto image = [](Parameter parameter) {
    return any_dtype(shaped(std::move(parameter), {2, 3, 4}));
  };
  const auto vector = [](Parameter parameter) {
    return any_dtype(shaped(std::move(parameter), {3}));
  };
  const auto running = [&](const char* name, Number low) {
    Parameter parameter = optional(vector(in(name, low, 4)));
    std::get<TensorSpec>(parameter.spec).role = Role::kInPlace;
    return parameter;
  };
  const Operator forward{
      .call = ACLGRAD_CALL(
          aclnnBatchNorm, filled(image(in("input")), 3), optional(vector(in("weight"))),
          optional(vector(in("bias"))), running("runningMean", -4), running("runningVar", 0.5L),
          flag("training", true), {"momentum", 0.25}, {"eps", 0.25}, image(out("output")),
          vector(out("saveMean")), vector(out("saveInvstd"))),
      .domain = {.everywhere = kFloats,
                 .base_shape = {kN, 3, 4},
                 .arrange = arrange_batch,
                 .samples = batch_samples()},
      .results = {.reference = batch_norm<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 8},
                  .magnitude = batch_norm<true>},
      .words = {"(x − m)/√(v + eps)·weight + bias for every channel, with the mean "
                "and variance of the batch "
                "(training, which updates the running ones) or the running ones",
                "对每个通道求 (x − m)/√(v + eps)·weight + "
                "bias：训练时用批统计量（并更新滑动统计量），否则用滑动统计量",
                "batch_norm(x, weight, bias, running_mean, running_var, options)"}};

  const Operator backward{
      .call = ACLGRAD_CALL(
          aclnnBatchNormBackward, shaped(in("gradOut"), {2, 3, 4}),
          filled(shaped(in("input"), {2, 3, 4}), 3), optional(vector(in("weight"))),
          optional(vector(in("runningMean"))), optional(vector(in("runningVar", 0.5L, 4))),
          filled(vector(in("saveMean", -1, 1)), 3), vector(in("saveInvstd", 0.5L, 2)),
          flag("training", true), {"eps", 0.25}, {"outputMask", BoolsSpec{{1, 1, 1}}},
          image(out("gradInput")), vector(out("gradWeight")), vector(out("gradBias"))),
      .domain = {.everywhere = kFloats,
                 .base = "input",
                 .base_shape = forward.domain.base_shape,
                 .arrange = arrange_batch,
                 .samples =
                     batch_samples() + std::vector{with_mask(batch_samples()[0], {0, 1, 0})}},
      .results = {.reference = batch_norm_backward<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 16, .inner = 0.5},
                  .magnitude = batch_norm_backward<true>,
                  // Without training saveMean and saveInvstd do not count.
                  .nan_goes_through = false},
      .gradient = Gradient{.of = "aclnnBatchNorm", .inputs = given_batch, .count = 3},
      .words = {"the gradients of input, weight and bias, those that outputMask asks for",
                "input、weight、bias 的梯度，由 outputMask 选择",
                "batch_norm_backward(g, x, weight, running, saved, attributes, wanted)",
                "batch_norm"}};
  all.insert(all.end(), {forward, backward});
}

// ---- Groups -------------------------------------------------------------------------------------

void arrange_groups(Arguments& a) {
  const Shape input = a.shape(a.has("self") ? "self" : "input");
  const auto groups = static_cast<int64_t>(a.number("group"));
  if (input.size() < 2 || count_of(input) == 0 || groups < 1 || input[1] % groups != 0) {
    throw std::invalid_argument("the input needs channels that the groups divide, and elements");
  }
  for (Parameter& each : a.parameters()) {
    if (each.name == "N") each.spec = input[0];
    if (each.name == "C") each.spec = input[1];
    if (each.name == "HxW") each.spec = count_of(input) / input[0] / input[1];
  }
  a.reshape({"out", "gradOut", "gradInput"}, input);
  a.reshape({"gamma", "beta", "gradGammaOut", "gradBetaOut"}, {input[1]});
  a.reshape({"mean", "rstd", "meanOut", "rstdOut"}, {input[0], groups});
}

template <bool kMagnitude>
Arrays group_norm(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array& x = *given["self"];
  const Groups groups(static_cast<size_t>(a.number("group")), x.shape);
  const auto set = [&](size_t i) { return groups.group[i]; };
  const auto channel = [&](size_t i) { return groups.channel[i]; };
  const Shape& shape = a.shape("meanOut");
  const Moments m = moments_of(x, static_cast<size_t>(x.shape[0] * shape[1]), set);
  const auto scale = scales_of(m.variance, a.number("eps"));
  const Shape rows = {x.shape[0], shape[1]};
  return {normalized<kMagnitude>(x, m.mean, scale, set, channel, given["gamma"], given["beta"]),
          {rows, kMagnitude ? m.size : m.mean},
          {rows, scale}};
}

template <bool kMagnitude>
Arrays group_norm_backward(const Arguments& a, const Arrays& in) {
  const Given given(a, in);
  const Array& x = *given["input"];
  const Groups groups(static_cast<size_t>(a.number("group")), x.shape);
  const auto set = [&](size_t i) { return groups.group[i]; };
  const auto channel = [&](size_t i) { return groups.channel[i]; };
  return masked(a, gradients_of<kMagnitude>(*given["gradOut"], x, given["mean"]->values,
                                            given["rstd"]->values, set, channel, given["gamma"],
                                            static_cast<size_t>(x.shape[1]), true));
}

void add_group_norm(std::vector<Operator>& all) {
  const auto image = [](Parameter parameter) { return shaped(std::move(parameter), {2, 4, 3}); };
  const auto vector = [](Parameter parameter) { return shaped(std::move(parameter), {4}); };
  const auto rows = [](Parameter parameter) { return shaped(std::move(parameter), {2, 2}); };
  const auto size = [](const char* name, int64_t value) { return no_option(integer(name, value)); };
  const std::pair<std::string, Setting> gamma{"gamma", Shape{}}, beta{"beta", Shape{}};
  const std::vector<Sample> samples = {
      {{gamma, beta, {"group", 2.0}}},
      {{{"self", Shape{3, 6, 2, 3}}, {"input", Shape{3, 6, 2, 3}}, gamma, beta, {"group", 3.0}}},
      {{{"group", 1.0}}},
      {{gamma, beta, {"group", 4.0}}}};
  const Operator forward{
      .call =
          ACLGRAD_CALL(aclnnGroupNorm, filled(image(in("self")), 3), optional(vector(in("gamma"))),
                       optional(vector(in("beta"))), size("N", 2), size("C", 4), size("HxW", 3),
                       integer("group", 2), {"eps", 0.25}, image(out("out")), rows(out("meanOut")),
                       rows(out("rstdOut"))),
      .domain = {.everywhere = kFloats,
                 .max_rank = 25,
                 .grows = false,
                 // N is an attribute, too
                 .base_shape = {2, 4, 3},
                 .arrange = arrange_groups,
                 .samples = samples},
      .results = {.reference = group_norm<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 8},
                  .magnitude = group_norm<true>},
      .error_inputs = {refused("group", "= 3", int64_t{3}, "group 3"),
                       refused("group", "= 0", int64_t{0}, "group 0"),
                       refused("eps", "= 0", 0.0, "is 0")},
      .words = {"(x − mean)·rstd·gamma + beta for every group of channels of an image, rstd = "
                "1/√(variance + "
                "eps)",
                "对每个样本的每组通道求 (x − mean)·rstd·gamma + beta，rstd = 1/√(方差 + eps)",
                "group_norm(x, groups, weight, bias, eps)"}};

  const auto wanted = [](Parameter parameter) {
    std::get<TensorSpec>(parameter.spec).if_null = 161002;
    return parameter;
  };
  const auto given = [](const Arguments& a, const Arrays& x, const Arrays& y, const Array& g) {
    Arrays inputs = {g, x[0], y[1], y[2]};
    if (!a.parameters()[4].tensor()->optional) inputs.push_back(x[1]);
    return inputs;
  };
  const Operator backward{
      .call =
          ACLGRAD_CALL(aclnnGroupNormBackward, image(in("gradOut")), filled(image(in("input")), 3),
                       rows(in("mean", -1, 1)), filled(rows(in("rstd", 0.5L, 2)), 0.5),
                       optional(vector(in("gamma"))), size("N", 2), size("C", 4), size("HxW", 3),
                       integer("group", 2), {"outputMask", BoolsSpec{{1, 1, 1}, 161002}},
                       wanted(image(out("gradInput"))), wanted(vector(out("gradGammaOut"))),
                       wanted(vector(out("gradBetaOut")))),
      .domain = {.everywhere = kFloats,
                 .max_rank = 25,
                 .grows = false,
                 .base = "input",
                 .base_shape = forward.domain.base_shape,
                 .arrange = arrange_groups,
                 .samples = samples + std::vector{with_mask(samples[0], {0, 1, 0})}},
      .results = {.reference = group_norm_backward<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 16, .inner = 0.5},
                  .magnitude = group_norm_backward<true>},
      .gradient = Gradient{.of = "aclnnGroupNorm", .inputs = given, .count = 3},
      .error_inputs = {refused("group", "= 3", int64_t{3}, "group 3")},
      .words = {"the gradients of input, gamma and beta, those that outputMask asks for",
                "input、gamma、beta 的梯度，由 outputMask 选择",
                "group_norm_backward(g, x, mean, rstd, weight, groups, wanted)", "group_norm"}};
  all.insert(all.end(), {forward, backward});
}

}  // namespace

void add_channel_norm(std::vector<Operator>& all) {
  add_batch_norm(all);
  add_group_norm(all);
}

}  // namespace aclgrad::contract
