// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/channel_norm_kernel.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "ops/normalization/channel_rows_kernel.h"

namespace aclgrad::ops {
namespace {

constexpr int64_t kMinPerThread = 1 << 13;  // elements

// A tensor with one element for each channel or row; a value in its place where there is none.
struct Numbers {
  std::optional<Elements> elements;
  double otherwise = 0;

  Numbers(const Arguments& arguments, std::optional<size_t> tensor, double value = 0)
      : otherwise(value) {
    if (tensor) elements.emplace(arguments, *tensor);
  }

  double get(const Run& run, int64_t i) const {
    double value = otherwise;
    if (elements) elements->read(run, i, i + 1, &value);
    return value;
  }
  void set(const Run& run, int64_t i, double value) const {
    if (elements) elements->write(run, &value, i, i + 1);
  }
};

// A plan that runs body(run, i) for `count` numbers i of `elements` elements each.
template <class Body>
Plan plan_each(int64_t count, int64_t elements, uint64_t workspace, Body body,
               std::function<void(const Run&)> after = nullptr) {
  const int64_t grain = std::max<int64_t>(1, kMinPerThread / std::max<int64_t>(elements, 1));
  return {[=, all = std::make_shared<const Body>(std::move(body)),
           last = std::move(after)](const Run& run) -> aclError {
            parallel_pieces(count, grain, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) (*all)(run, i);
            });
            if (last) last(run);
            return ACL_SUCCESS;
          },
          workspace};
}

// What batch normalization is of, channel by channel.
struct Channels {
  Slices elements;
  int64_t count;  // of channels
  int64_t size;   // elements of one
  Rows rows;      // of one

  Channels(const Arguments& arguments, size_t tensor, size_t axis)
      : elements(arguments, tensor, all_but(axis)),
        count(arguments.shape(tensor)[axis]),
        size(elements.index.count()) {
    int64_t length = 1;
    const Dims& shape = arguments.shape(tensor);
    for (size_t d = axis + 1; d < shape.size(); ++d) length *= shape[d];
    rows = Rows::of(0, length == 0 ? 0 : size / length, length);
  }

  View operator[](int64_t channel) const { return {elements, elements.starts.offset(channel)}; }

 private:
  static DimSet all_but(size_t axis) {
    DimSet others = dimensions(0, kMaxRank);
    others[axis] = false;
    return others;
  }
};

// Of a batch: 0 for a channel of equal numbers without eps, as in PyTorch. Their differences from
// the mean are 0, and what they are scaled by must not make NaN of that.
double inverse_deviation(double variance, double eps) {
  const double square = variance + eps;
  return square == 0 ? 0 : 1 / std::sqrt(square);
}

struct Statistics {
  Numbers running_mean, running_var, save_mean, save_invstd;

  Statistics(const Arguments& arguments, const BatchNormTensors& t)
      : running_mean(arguments, t.running_mean, 0),
        running_var(arguments, t.running_var, 1),
        save_mean(arguments, t.save_mean),
        save_invstd(arguments, t.save_invstd) {}
};

}  // namespace

Plan plan_batch_norm(const Arguments& arguments, const BatchNormTensors& t,
                     const BatchNormAttributes& a, size_t output) {
  const Channels channels(arguments, t.input, t.channel_axis);
  const Channels out(arguments, output, t.channel_axis);
  const Statistics statistics(arguments, t);
  const Numbers weight(arguments, t.weight, 1), bias(arguments, t.bias, 0);
  return plan_each(channels.count, channels.size, 0, [=](const Run& run, int64_t c) {
    Moments moments{statistics.running_mean.get(run, c), statistics.running_var.get(run, c)};
    if (a.training) {
      const Moments running = moments;
      moments = moments_of(run, channels.rows, channels[c]);
      const auto n = static_cast<double>(channels.size);
      const double unbiased = n > 1 ? moments.variance * (n / (n - 1)) : moments.variance;
      const double share = a.momentum;
      const auto mixed = [&](double old, double now) { return (1 - share) * old + share * now; };
      statistics.running_mean.set(run, c, mixed(running.mean, moments.mean));
      statistics.running_var.set(run, c, mixed(running.variance, unbiased));
    }
    const double invstd = a.training ? inverse_deviation(moments.variance, a.eps)
                                     : 1 / std::sqrt(moments.variance + a.eps);
    if (a.training) {
      statistics.save_mean.set(run, c, moments.mean);
      statistics.save_invstd.set(run, c, a.saves_variance ? moments.variance : invstd);
    }
    const double scale = invstd * weight.get(run, c), shift = bias.get(run, c);
    normalize_rows(run, channels.rows, channels[c], out[c], moments.mean, scale, shift);
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
  const Statistics statistics(arguments, t);
  const Numbers weight(arguments, t.weight, 1);
  const Numbers grad_weight(arguments, gradients.weight), grad_bias(arguments, gradients.bias);
  return plan_each(channels.count, channels.size, 0, [=](const Run& run, int64_t c) {
    const Numbers& means = a.training ? statistics.save_mean : statistics.running_mean;
    const Numbers& spreads = a.training ? statistics.save_invstd : statistics.running_var;
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
                     const GroupNormShape& shape, double eps, size_t output) {
  const Elements input(arguments, t.input), out(arguments, output);
  const Numbers weight(arguments, t.weight, 1), bias(arguments, t.bias, 0);
  const Numbers means(arguments, t.mean), rstds(arguments, t.rstd);
  const int64_t channels = shape.channels / shape.groups;
  const int64_t size = channels * shape.places;
  return plan_each(shape.images * shape.groups, size, 0, [=](const Run& run, int64_t row) {
    const Moments moments =
        moments_of(run, Rows::of(row * size, channels, shape.places), {input, 0});
    const double rstd = 1 / std::sqrt(moments.variance + eps);
    means.set(run, row, moments.mean);
    rstds.set(run, row, rstd);
    for (int64_t k = 0; k < channels; ++k) {
      const int64_t channel = row % shape.groups * channels + k;
      const int64_t begin = row * size + k * shape.places;
      const double scale = rstd * weight.get(run, channel), shift = bias.get(run, channel);
      normalize_rows(run, {begin, 1, shape.places}, {input, 0}, {out, 0}, moments.mean, scale,
                     shift);
    }
  });
}

Plan plan_group_norm_backward(const Arguments& arguments, const GroupNormTensors& t,
                              const GroupNormShape& shape, size_t grad_output,
                              const ChannelNormGradients& gradients) {
  const Elements input(arguments, t.input), from(arguments, grad_output);
  const auto to = gradients.input
                      ? std::optional<Elements>(std::in_place, arguments, *gradients.input)
                      : std::nullopt;
  const Numbers weight(arguments, t.weight, 1);
  const Numbers means(arguments, t.mean), rstds(arguments, t.rstd);
  const Numbers grad_weight(arguments, gradients.weight), grad_bias(arguments, gradients.bias);
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
    double plain = 0, along = 0;
    for (int64_t k = 0; k < channels; ++k) {
      const int64_t begin = row * size + k * shape.places;
      sums[k] = sums_of(run, {begin, 1, shape.places}, {from, 0}, {input, 0}, mean);
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
                     .scale = rstd});
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
  return plan_each(shape.images * shape.groups, size, workspace, group, over_images);
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
