// SPDX-License-Identifier: Apache-2.0
// Normalization of groups of channels with their swish, and of instances.
#include <cmath>
#include <stdexcept>

#include "aclnnop/aclnn_group_norm_swish.h"
#include "aclnnop/aclnn_group_norm_swish_grad.h"
#include "aclnnop/aclnn_instance_norm.h"
#include "ops/normalization/channel_norm_contract.h"

namespace aclgrad::contract {
namespace {

// ---- Groups -------------------------------------------------------------------------------------

void arrange_swish(Arguments& a) {
  const Shape shape = a.shape("x");
  const auto groups = static_cast<int64_t>(a.number("numGroups"));
  if (shape.size() < 2 || count_of(shape) == 0 || groups < 1 || shape[1] % groups != 0) {
    throw std::invalid_argument("x needs channels that the groups divide, and elements");
  }
  a.reshape({"dy", "yOut", "dxOut"}, shape);
  a.reshape({"gamma", "beta", "dgammaOut", "dbetaOut"}, {shape[1]});
  a.reshape({"mean", "rstd", "meanOut", "rstdOut"}, {shape[0], groups});
  if (!a.has("dgammaIsRequire")) return;
  for (const auto& [output, flag] :
       {std::pair{"dgammaOut", "dgammaIsRequire"}, {"dbetaOut", "dbetaIsRequire"}}) {
    a.tensor(output).optional = a.number(flag) == 0 && !a.is_set(output);
  }
}

Number logistic(Number x) { return 1 / (1 + std::exp(-x)); }

// Inputs: x, gamma, beta. Results: y, mean, rstd.
template <bool kMagnitude>
Arrays group_norm_swish(const Arguments& a, const Arrays& in) {
  const Shape& shape = a.shape("meanOut");
  const Groups groups(static_cast<size_t>(shape[1]), in[0].shape);
  const auto set = [&](size_t i) { return groups.group[i]; };
  const auto channel = [&](size_t i) { return groups.channel[i]; };
  const Moments m = moments_of(in[0], static_cast<size_t>(count_of(shape)), set);
  const auto scale = scales_of(m.variance, a.number("eps"));
  Array y = normalized<false>(in[0], m.mean, scale, set, channel, &in[1], &in[2]);
  const Array size = normalized<true>(in[0], m.mean, scale, set, channel, &in[1], &in[2]);
  for (size_t i = 0; i < y.values.size(); ++i) {
    const Number z = y.values[i];
    const Number share = a.number("activateSwish") == 0 ? 1 : logistic(a.number("swishScale") * z);
    y.values[i] = (kMagnitude ? size.values[i] : z) * share;
  }
  return {y, {shape, kMagnitude ? m.size : m.mean}, {shape, scale}};
}

// Inputs: dy, mean, rstd, x, gamma, beta. Results: dx, and dgamma and dbeta if they are required.
template <bool kMagnitude>
Arrays group_norm_swish_grad(const Arguments& a, const Arrays& in) {
  const Array& x = in[3];
  const Shape& shape = a.shape("mean");
  const Groups groups(static_cast<size_t>(shape[1]), x.shape);
  const auto set = [&](size_t i) { return groups.group[i]; };
  const auto channel = [&](size_t i) { return groups.channel[i]; };
  Array dz = normalized<false>(x, in[1].values, in[2].values, set, channel, &in[4], &in[5]);
  for (size_t i = 0; i < dz.values.size(); ++i) {
    const Number z = a.number("swishScale") * dz.values[i], share = logistic(z);
    const Number slope = dense::term<kMagnitude>(z) * logistic(-z);
    dz.values[i] = dense::term<kMagnitude>(in[0].values[i]) * share * (1 + slope);
  }
  const Arrays all =
      gradients_of<kMagnitude>(dz, x, in[1].values, in[2].values, set, channel, &in[4],
                               static_cast<size_t>(x.shape[1]), /*through=*/true);
  Arrays results = {all[0]};
  const auto add = [&](const char* flag, const char* output, Array result) {
    if (a.number(flag) == 0 && !a.is_set(output)) return;
    if (a.number(flag) == 0) result.values.clear();
    results.push_back(std::move(result));
  };
  add("dgammaIsRequire", "dgammaOut", all[1]);
  add("dbetaIsRequire", "dbetaOut", all[2]);
  return results;
}

void add_group_swish(std::vector<Operator>& all) {
  const auto image = [](Parameter parameter) { return shaped(std::move(parameter), {2, 4, 3}); };
  const auto vector = [](Parameter parameter) { return shaped(std::move(parameter), {4}); };
  const auto rows = [](Parameter parameter) { return shaped(std::move(parameter), {2, 2}); };
  const Parameter groups = integer("numGroups", 2), swish{"swishScale", 1.0};
  const Parameter format{"dataFormat", WordSpec{{"NCHW"}}};
  Sample mixed{{{"numGroups", 2.0}}, false};
  for (const char* name :
       {"gamma", "beta", "meanOut", "rstdOut", "mean", "rstd", "dgammaOut", "dbetaOut"}) {
    mixed.settings.emplace_back(name, ACL_FLOAT);
  }
  const std::vector<Sample> samples = {
      {{{"numGroups", 2.0}}},
      {{{"x", Shape{kN, 6, 2, 3}}, {"numGroups", 3.0}, {"swishScale", 0.5}}},
      {{{"x", Shape{kN, 4}}, {"numGroups", 1.0}, {"swishScale", -2.0}}},
      mixed};
  const std::vector<Sample> plain = {{{{"activateSwish", 0.0}, {"numGroups", 4.0}}, false}};
  const ErrorInput three = refused("numGroups", "= 3", int64_t{3}, "numGroups 3");
  all.push_back({
      .call = ACLGRAD_CALL(aclnnGroupNormSwish, filled(image(in("x")), 3), vector(in("gamma")),
                           vector(in("beta")), groups, format, {"eps", 0.25},
                           flag("activateSwish", true), swish, image(out("yOut")),
                           rows(out("meanOut")), rows(out("rstdOut"))),
      .domain = {.everywhere = kFloats,
                 .grows = false,
                 .base_shape = {kN, 4, 3},
                 .arrange = arrange_swish,
                 .samples = samples + plain},
      .results = {.reference = group_norm_swish<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 16},
                  .magnitude = group_norm_swish<true>},
      .error_inputs = {three, refused("numGroups", "= 0", int64_t{0}, "numGroups 0")},
      .words = {"z·σ(swishScale·z) of group_norm z, or z itself",
                "对 group_norm 的结果 z 求 z·σ(swishScale·z)，或 z 本身"},
  });
  const Sample some{{{"numGroups", 2.0}, {"dgammaIsRequire", 0.0}, {"dgammaOut", Shape{}}}, false};
  const Sample none{{{"numGroups", 2.0}, {"dgammaIsRequire", 0.0}, {"dbetaIsRequire", 0.0}}, false};
  all.push_back({
      .call = ACLGRAD_CALL(aclnnGroupNormSwishGrad, image(in("dy")), rows(in("mean", -1, 1)),
                           filled(rows(in("rstd", 0.5L, 2)), 0.5), filled(image(in("x")), 3),
                           vector(in("gamma")), vector(in("beta")), groups, format, swish,
                           flag("dgammaIsRequire", true), flag("dbetaIsRequire", true),
                           image(out("dxOut")), vector(out("dgammaOut")), vector(out("dbetaOut"))),
      .domain = {.everywhere = kFloats,
                 .grows = false,
                 .base = "x",
                 .base_shape = {kN, 4, 3},
                 .arrange = arrange_swish,
                 .samples = samples + std::vector{some, none}},
      .results = {.reference = group_norm_swish_grad<false>,
                  .bound = {.of_float = 0.51, .of_16_bits = 0.51, .of_double = 32, .inner = 0.5},
                  .magnitude = group_norm_swish_grad<true>},
      .gradient =
          Gradient{.of = "aclnnGroupNormSwish",
                   .inputs = [](const Arguments&, const Arrays& x, const Arrays& y,
                                const Array& g) { return Arrays{g, y[1], y[2], x[0], x[1], x[2]}; },
                   .count = 3},
      .error_inputs = {three},
      .words = {"the gradients of x, gamma and beta", "x、gamma、beta 的梯度", "",
                "group_norm_swish"},
  });
}

// ---- Instances ----------------------------------------------------------------------------------

bool channels_are_last(const Arguments& a) { return a.number("dataFormat") >= 2; }

void arrange_instances(Arguments& a) {
  const Shape shape = a.shape("x");
  if (shape.size() < 2 || shape.size() > 8 || count_of(shape) == 0) {
    throw std::invalid_argument("x needs 2 to 8 dimensions, and elements");
  }
  const size_t axis = channels_are_last(a) ? shape.size() - 1 : 1;
  Shape numbers(shape.size(), 1);
  numbers[0] = shape[0];
  numbers[axis] = shape[axis];
  a.reshape({"y"}, shape);
  a.reshape({"gamma", "beta"}, {shape[axis]});
  a.reshape({"mean", "variance"}, numbers);
}

// Inputs: x, gamma, beta. Results: y, mean, variance.
template <bool kMagnitude>
Arrays instance_norm(const Arguments& a, const Arrays& in) {
  const Shape &shape = in[0].shape, &numbers = a.shape("mean");
  const auto channels = static_cast<size_t>(count_of(in[1].shape));
  const auto all = static_cast<size_t>(count_of(shape) / shape[0]);
  const size_t places = channels_are_last(a) ? 1 : all / channels;
  const auto channel = [&](size_t i) { return i / places % channels; };
  const auto set = [&](size_t i) { return i / all * channels + channel(i); };
  const Moments m = moments_of(in[0], static_cast<size_t>(count_of(numbers)), set);
  const auto scale = scales_of(m.variance, a.number("eps"));
  return {normalized<kMagnitude>(in[0], m.mean, scale, set, channel, &in[1], &in[2]),
          {numbers, kMagnitude ? m.size : m.mean},
          {numbers, m.variance}};
}

void add_instance_norm(std::vector<Operator>& all) {
  const auto vector = [](Parameter parameter) {
    return any_dtype(shaped(std::move(parameter), {3}));
  };
  const auto rows = [](Parameter parameter) {
    return any_dtype(shaped(std::move(parameter), {2, 3, 1}));
  };
  all.push_back({
      .call = ACLGRAD_CALL(
          aclnnInstanceNorm, filled(shaped(in("x"), {2, 3, 4}), 3), vector(in("gamma")),
          vector(in("beta")), {"dataFormat", WordSpec{{"NCHW", "NCDHW", "NHWC", "NDHWC"}}},
          {"eps", 0.25}, shaped(out("y"), {2, 3, 4}), rows(out("mean")), rows(out("variance"))),
      .domain = {.everywhere = kFloats,
                 .base_shape = {kN, 3, 4},
                 .arrange = arrange_instances,
                 .samples = {{{{"eps", 0x1p-6}}},
                             {{{"dataFormat", 2.0}, {"x", Shape{kN, 2, 3, 4}}}},
                             {{{"dataFormat", 1.0}, {"x", Shape{kN, 3, 2, 2, 3}}}},
                             {{{"dataFormat", 3.0}, {"x", Shape{kN, 2, 1, 3, 5}}}}}},
      .results = {.reference = instance_norm<false>,
                  .bound = {.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 16},
                  .magnitude = instance_norm<true>},
      .error_inputs = {refused("x", "of rank 1", of_shape({3}), "has 1")},
      .words = {"(x − mean)/√(variance + eps)·gamma + beta for every channel of every image",
                "对每个样本的每个通道求 (x − mean)/√(variance + eps)·gamma + beta", "",
                "instance_norm"},
  });
}

}  // namespace

void add_group_swish_norm(std::vector<Operator>& all) {
  add_group_swish(all);
  add_instance_norm(all);
}

}  // namespace aclgrad::contract
