// SPDX-License-Identifier: Apache-2.0
// Layer and root-mean-square normalization over the last dimensions, and their gradients; in
// double, rounded once (16-bit rows by way of float, which costs 2^-13 of the last place).
#pragma once

#include <optional>

#include "ops/engine/rowwise.h"

namespace aclgrad::ops {

// Parameters of the operator; those that are absent have no number.
struct LayerNormTensors {
  size_t input;
  size_t normalized;  // dimensions that a row stretches over, counted from the last
  std::optional<size_t> weight = std::nullopt, bias = std::nullopt;
  std::optional<size_t> mean = std::nullopt, rstd = std::nullopt;  // an element for each row
  bool centered = true;  // RMS normalization takes the mean for 0, and has none
};

// out = (x - mean) * rstd * weight + bias, rstd = 1 / sqrt(variance + eps); mean and rstd are
// written, where they are given.
Plan plan_layer_norm(const Arguments& arguments, const LayerNormTensors& tensors, double eps,
                     size_t out);

// With h = gradient * weight and n = (x - mean) * rstd, of the given mean and rstd:
// grad_input = rstd * (h - average(h) - n * average(h * n)) for every row, without average(h) where
// rows are not centered;
// grad_weight = the sum of gradient * n over the rows, grad_bias = the sum of gradient, in the
// order of tree_sum.h. Each is left out where it has no number. `tensors.bias` is not used.
struct LayerNormGradients {
  std::optional<size_t> input = std::nullopt, weight = std::nullopt, bias = std::nullopt;
};
Plan plan_layer_norm_backward(const Arguments& arguments, const LayerNormTensors& tensors,
                              size_t gradient, const LayerNormGradients& gradients);

}  // namespace aclgrad::ops
