// SPDX-License-Identifier: Apache-2.0
// A convolutional network without padding: two convolutions of 5 x 5, two of 3 x 3, with ELU
// (Clevert et al. 2015) or ReLU after each, batch normalization and pooling after each pair.
#pragma once

#include <aclgrad/aclgrad.h>

namespace convolution {

struct Sizes {
  std::int64_t side = 28, first = 32, second = 64, classes = 10;
};

// conv, activation, conv, activation, normalization, pooling.
struct Block : aclgrad::Module {
  Block(const Name& name, std::int64_t in, std::int64_t out, std::int64_t kernel,
        aclgrad::Activation kind, std::uint64_t seed)
      : Module(name),
        activate{kind},
        conv1(child("conv1"), in, out, kernel, {.init_for = kind, .seed = seed}),
        conv2(child("conv2"), out, out, kernel, {.init_for = kind, .seed = seed + 1}),
        norm(child("norm"), out) {}

  aclgrad::Value operator()(const aclgrad::Value& x) const {
    return max_pool2d(norm(activate(conv2(activate(conv1(x))))), 2);
  }

  aclgrad::Activate activate;
  aclgrad::Conv2d conv1, conv2;
  aclgrad::BatchNorm2d norm;
};

struct Network : aclgrad::Module {
  Network(const Sizes& sizes, aclgrad::Activation kind, std::uint64_t seed)
      : block1(child("block1"), 1, sizes.first, 5, kind, seed),
        block2(child("block2"), sizes.first, sizes.second, 3, kind, seed + 2),
        output(child("output"), sizes.second * pooled(sizes) * pooled(sizes), sizes.classes,
               {.seed = seed + 4}) {}

  // Scores [N, classes] of images [N, 1, side, side].
  aclgrad::Value operator()(const aclgrad::Value& x) const {
    return output(aclgrad::Flatten()(block2(block1(x))));
  }

  // The side of what the linear layer gets: 28, 24, 20, 10, 8, 6, 3.
  static std::int64_t pooled(const Sizes& sizes) { return ((sizes.side - 8) / 2 - 4) / 2; }

  Block block1, block2;
  aclgrad::Linear output;
};

}  // namespace convolution
