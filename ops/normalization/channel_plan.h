// SPDX-License-Identifier: Apache-2.0
// What plans of normalized channels are made of: the channels of a tensor, a number for each, and
// threads that share them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ops/normalization/channel_rows_kernel.h"

namespace aclgrad::ops {

// A tensor with one element for each channel or row; a value in its place where there is none.
struct ChannelNumbers {
  std::optional<Elements> elements;
  double otherwise = 0;

  ChannelNumbers(const Arguments& arguments, std::optional<size_t> tensor, double value = 0)
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
Plan plan_channels(int64_t count, int64_t elements, uint64_t workspace, Body body,
                   std::function<void(const Run&)> after = nullptr) {
  constexpr int64_t kMinPerThread = 1 << 13;  // elements
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
inline double inverse_deviation(double variance, double eps) {
  const double square = variance + eps;
  return square == 0 ? 0 : 1 / std::sqrt(square);
}

// What training leaves of batches for evaluation: a running mean and variance for each channel.
struct RunningStatistics {
  ChannelNumbers mean, variance;
  double momentum;  // the share of the newest batch

  RunningStatistics(const Arguments& arguments, std::optional<size_t> running_mean,
                    std::optional<size_t> running_var, double share)
      : mean(arguments, running_mean, 0), variance(arguments, running_var, 1), momentum(share) {}

  // Takes in a batch of n elements, whose variance is the biased one.
  void update(const Run& run, int64_t channel, const Moments& batch, double n) const {
    const double unbiased = n > 1 ? batch.variance * (n / (n - 1)) : batch.variance;
    const auto mix = [&](const ChannelNumbers& of, double now) {
      of.set(run, channel, (1 - momentum) * of.get(run, channel) + momentum * now);
    };
    mix(mean, batch.mean);
    mix(variance, unbiased);
  }
};

}  // namespace aclgrad::ops
