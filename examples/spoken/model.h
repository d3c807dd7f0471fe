// SPDX-License-Identifier: Apache-2.0
// Which digit is spoken: two convolutions over a spectrogram, a long short-term memory that reads
// what they see along time in both directions, the mean of what it says, a linear layer.
#pragma once

#include <aclgrad/aclgrad.h>

namespace spoken {

struct Sizes {
  std::int64_t bands = 32, first = 16, second = 32, hidden = 64, classes = 10;
};

struct Listener : aclgrad::Module {
  Listener(const Sizes& sizes, std::uint64_t seed)
      : conv1(child("conv1"), 1, sizes.first, 3, options(seed)),
        norm1(child("norm1"), sizes.first),
        conv2(child("conv2"), sizes.first, sizes.second, 3, options(seed + 1)),
        norm2(child("norm2"), sizes.second),
        lstm(child("lstm"), sizes.second * (sizes.bands / 4), sizes.hidden,
             {.bidirectional = true, .seed = seed + 2}),
        out(child("out"), 2 * sizes.hidden, sizes.classes, {.seed = seed + 20}) {}

  // Scores [N, classes] of spectrograms [N, 1, bands, T].
  aclgrad::Value operator()(const aclgrad::Value& x) const {
    using namespace aclgrad;
    const Value y = max_pool2d(relu(norm1(conv1(x))), 2);
    const Value z = max_pool2d(relu(norm2(conv2(y))), 2);
    const Shape& shape = z.shape();  // [N, second, bands / 4, T / 4]
    const Value in_time = permute(z, {0, 3, 1, 2});
    return out(mean(lstm(reshape(in_time, {shape[0], shape[3], shape[1] * shape[2]})), {1}));
  }

  aclgrad::Conv2d conv1;
  aclgrad::BatchNorm2d norm1;
  aclgrad::Conv2d conv2;
  aclgrad::BatchNorm2d norm2;
  aclgrad::Lstm lstm;
  aclgrad::Linear out;

 private:
  static aclgrad::Conv2dOptions options(std::uint64_t seed) {
    return {.padding = 1, .init_for = aclgrad::Activation::relu, .seed = seed};
  }
};

}  // namespace spoken
