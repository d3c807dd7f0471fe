// SPDX-License-Identifier: Apache-2.0
// Normalization of the channels of a batch, over all else, and of groups of channels of each image.
// In double, with sums in the order of tree_sum.h, each result rounded once.
#pragma once

#include <optional>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// Numbers of the parameters; those that are absent have none.
struct BatchNormTensors {
  size_t input;
  size_t channel_axis;
  std::optional<size_t> weight, bias;
  std::optional<size_t> running_mean, running_var;
  std::optional<size_t> save_mean, save_invstd;
};

struct BatchNormAttributes {
  bool training;
  float momentum;
  float eps;
  bool saves_variance;  // in save_invstd, rather than 1 / sqrt(variance + eps)
};

// output = (input - mean) / sqrt(variance + eps) * weight + bias for every channel, with the mean
// and variance of the batch, which also go into the running ones and are saved, in training; with
// the running ones otherwise.
Plan plan_batch_norm(const Arguments& arguments, const BatchNormTensors& tensors,
                     const BatchNormAttributes& attributes, size_t output);

struct ChannelNormGradients {
  std::optional<size_t> input, weight, bias;
};
Plan plan_batch_norm_backward(const Arguments& arguments, const BatchNormTensors& tensors,
                              const BatchNormAttributes& attributes, size_t grad_output,
                              const ChannelNormGradients& gradients);

// A tensor as images of channels of `places` elements, whatever its shape is.
struct GroupNormShape {
  int64_t images, channels, places, groups;
};
struct GroupNormTensors {
  size_t input;
  std::optional<size_t> weight, bias;
  size_t mean, rstd;  // an element for each image and group
};

// With a swish, its factor, output is that of what is normalized, or its gradient arrived there.
Plan plan_group_norm(const Arguments& arguments, const GroupNormTensors& tensors,
                     const GroupNormShape& shape, double eps, size_t output,
                     std::optional<double> swish = {});
Plan plan_group_norm_backward(const Arguments& arguments, const GroupNormTensors& tensors,
                              const GroupNormShape& shape, size_t grad_output,
                              const ChannelNormGradients& gradients,
                              std::optional<double> swish = {});

// Fills tensors with a value each.
Plan plan_fill(const Arguments& arguments, std::vector<std::pair<size_t, double>> values);

}  // namespace aclgrad::ops
