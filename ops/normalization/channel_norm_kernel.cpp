// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/channel_norm_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/normalization/channel_plan.h"

namespace aclgrad::ops {
Plan plan_batch_norm(const Arguments& arguments, const BatchNormTensors& t,
                     const BatchNormAttributes& a, size_t output) {
  const Channels channels(arguments, t.input, t.channel_axis);
  const Channels out(arguments, output, t.channel_axis);
  const RunningStatistics running(arguments, t.running_mean, t.running_var, a.momentum);
  const ChannelNumbers save_mean(arguments, t.save_mean), save_invstd(arguments, t.save_invstd);
  const ChannelNumbers weight(arguments, t.weight, 1), bias(arguments, t.bias, 0);
  return plan_channels(channels.count, channels.size, 0, [=](const Run& run, int64_t c) {
    const Moments moments = a.training
                                ? moments_of(run, channels.rows, channels[c])
                                : Moments{running.mean.get(run, c), running.variance.get(run, c)};
    if (a.training) running.update(run, c, moments, static_cast<double>(channels.size));
    const double invstd = a.training ? inverse_deviation(moments.variance, a.eps)
                                     : 1 / std::sqrt(moments.variance + a.eps);
    if (a.training) {
      save_mean.set(run, c, moments.mean);
      save_invstd.set(run, c, a.saves_variance ? moments.variance : invstd);
    }
    normalize_rows(run, channels.rows, channels[c], out[c], moments.mean,
                   {invstd * weight.get(run, c), bias.get(run, c)});
  });
}

Plan plan_batch_norm_backward(const Arguments& arguments, const BatchNormTensors& t,
                              const BatchNormAttributes& a, size_t grad_output,
                              const ChannelNormGradients& gradients) {
  const Channels channels(arguments, t.input, t.channel_axis);
  const Channels from(arguments, grad_output, t.channel_axis);
  const auto to = gradients.input ? std::optional<Channels>(std::in_place, arguments,
                                                            *gradients.input, t.channel_axis)
                                  : std::nullopt;
  const ChannelNumbers means(arguments, a.training ? t.save_mean : t.running_mean, 0);
  const ChannelNumbers spreads(arguments, a.training ? t.save_invstd : t.running_var, 1);
  const ChannelNumbers weight(arguments, t.weight, 1);
  const ChannelNumbers grad_weight(arguments, gradients.weight),
      grad_bias(arguments, gradients.bias);
  return plan_channels(channels.count, channels.size, 0, [=](const Run& run, int64_t c) {
    const double mean = means.get(run, c), spread = spreads.get(run, c);
    const double invstd = !a.training        ? 1 / std::sqrt(spread + a.eps)
                          : a.saves_variance ? inverse_deviation(spread, a.eps)
                                             : spread;
    const GradientSums sums = sums_of(run, channels.rows, from[c], channels[c], mean);
    grad_weight.set(run, c, sums.along * invstd);
    grad_bias.set(run, c, sums.plain);
    if (!to) return;
    const auto n = static_cast<double>(channels.size);
    map_gradients(run, channels.rows, from[c], channels[c], (*to)[c], mean,
                  {.weight = 1,
                   .depends_on_means = a.training,
                   .plain = sums.plain / n,
                   .along = sums.along * invstd * invstd / n,
                   .scale = weight.get(run, c) * invstd});
  });
}

Plan plan_group_norm(const Arguments& arguments, const GroupNormTensors& t,
                     const GroupNormShape& shape, double eps, size_t output,
                     std::optional<double> swish) {
  const Elements input(arguments, t.input), out(arguments, output);
  const ChannelNumbers weight(arguments, t.weight, 1), bias(arguments, t.bias, 0);
  const ChannelNumbers means(arguments, t.mean), rstds(arguments, t.rstd);
  const int64_t channels = shape.channels / shape.groups;
  const int64_t size = channels * shape.places;
  return plan_channels(shape.images * shape.groups, size, 0, [=](const Run& run, int64_t row) {
    const Moments moments =
        moments_of(run, Rows::of(row * size, channels, shape.places), {input, 0});
    const double rstd = 1 / std::sqrt(moments.variance + eps);
    means.set(run, row, moments.mean);
    rstds.set(run, row, rstd);
    for (int64_t k = 0; k < channels; ++k) {
      const int64_t channel = row % shape.groups * channels + k;
      const int64_t begin = row * size + k * shape.places;
      normalize_rows(run, {begin, 1, shape.places}, {input, 0}, {out, 0}, moments.mean,
                     {rstd * weight.get(run, channel), bias.get(run, channel), swish});
    }
  });
}

Plan plan_group_norm_backward(const Arguments& arguments, const GroupNormTensors& t,
                              const GroupNormShape& shape, size_t grad_output,
                              const ChannelNormGradients& gradients, std::optional<double> swish) {
  const Elements input(arguments, t.input), from(arguments, grad_output);
  const auto to = gradients.input
                      ? std::optional<Elements>(std::in_place, arguments, *gradients.input)
                      : std::nullopt;
  const ChannelNumbers weight(arguments, t.weight, 1), bias(arguments, t.bias, 0);
  const ChannelNumbers means(arguments, t.mean), rstds(arguments, t.rstd);
  const ChannelNumbers grad_weight(arguments, gradients.weight),
      grad_bias(arguments, gradients.bias);
  const int64_t channels = shape.channels / shape.groups;
  const int64_t size = channels * shape.places;
  const int64_t lines = shape.images * shape.channels;
  const auto workspace = static_cast<uint64_t>(
      saturating_product({lines, static_cast<int64_t>(sizeof(GradientSums))}));
  // The sums of every channel of every image, and the input's gradient of each group.
  const auto group = [=](const Run& run, int64_t row) {
    auto* const sums = static_cast<GradientSums*>(run.workspace()) + row * channels;
    const double mean = means.get(run, row), rstd = rstds.get(run, row);
    const auto weight_of = [&](int64_t k) {
      return weight.get(run, row % shape.groups * channels + k);
    };
    const auto line_of = [&](int64_t k) {
      const double shift = bias.get(run, row % shape.groups * channels + k);
      return Line{rstd * weight_of(k), shift, swish};
    };
    double plain = 0, along = 0;
    for (int64_t k = 0; k < channels; ++k) {
      const int64_t begin = row * size + k * shape.places;
      sums[k] = sums_of(run, {begin, 1, shape.places}, {from, 0}, {input, 0}, mean, line_of(k));
      sums[k].along *= rstd;
      plain += sums[k].plain * weight_of(k);
      along += sums[k].along * weight_of(k);
    }
    plain /= static_cast<double>(size);
    along *= rstd / static_cast<double>(size);
    for (int64_t k = 0; to && k < channels; ++k) {
      const int64_t begin = row * size + k * shape.places;
      map_gradients(run, {begin, 1, shape.places}, {from, 0}, {input, 0}, {*to, 0}, mean,
                    {.weight = weight_of(k),
                     .depends_on_means = true,
                     .plain = plain,
                     .along = along,
                     .scale = rstd,
                     .line = line_of(k)});
    }
  };
  const auto over_images = [=](const Run& run) {
    const auto* const sums = static_cast<const GradientSums*>(run.workspace());
    for (int64_t c = 0; c < shape.channels; ++c) {
      double plain = 0, along = 0;
      for (int64_t image = 0; image < shape.images; ++image) {
        plain += sums[image * shape.channels + c].plain;
        along += sums[image * shape.channels + c].along;
      }
      grad_weight.set(run, c, along);
      grad_bias.set(run, c, plain);
    }
  };
  return plan_channels(shape.images * shape.groups, size, workspace, group, over_images);
}

Plan plan_fill(const Arguments& arguments, std::vector<std::pair<size_t, double>> values) {
  std::vector<std::pair<Elements, double>> fills;
  for (const auto& [tensor, value] : values) fills.emplace_back(Elements(arguments, tensor), value);
  return {[fills = std::move(fills)](const Run& run) -> aclError {
    for (const auto& [elements, value] : fills) {
      alignas(64) double block[kBlock];
      std::fill_n(block, kBlock, value);
      for_blocks(0, elements.index.count(),
                 [&](int64_t begin, int64_t end) { elements.write(run, block, begin, end); });
    }
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
