// SPDX-License-Identifier: Apache-2.0
// ResNet-20 for images of 3 x 32 x 32 (He et al. 2016, section 4.2): three stages of three blocks
// of two convolutions of 3 x 3, 16 to 64 channels. Where sizes change, the shortcut is a
// convolution of 1 x 1.
#pragma once

#include <aclgrad/aclgrad.h>

#include <optional>
#include <string>
#include <vector>

#include "examples/mobilenet/model.h"

namespace resnet {

// Of the optimizer that trains it.
inline constexpr double kMomentum = 0.9;

inline constexpr std::int64_t kStem = 16;

struct BlockSizes {
  std::int64_t in, out, stride;

  bool changes() const { return in != out || stride != 1; }
};

inline std::vector<BlockSizes> all_sizes() {
  std::vector<BlockSizes> all;
  std::int64_t in = kStem;
  for (const std::int64_t out : {16, 32, 64}) {
    for (int block = 0; block < 3; ++block) {
      all.push_back({in, out, in == out ? 1 : 2});
      in = out;
    }
  }
  return all;
}

struct Block : aclgrad::Module {
  Block(const Name& name, const BlockSizes& sizes, std::uint64_t seed)
      : Module(name),
        first(child("first"), sizes.in, sizes.out, 3, sizes.stride, 1, seed),
        second(child("second"), sizes.out, sizes.out, 3, 1, 1, seed + 1) {
    if (sizes.changes()) {
      shortcut.emplace(child("shortcut"), sizes.in, sizes.out, 1, sizes.stride, 1, seed + 2);
    }
  }
  aclgrad::Value operator()(const aclgrad::Value& x) const {
    return relu(second(relu(first(x))) + (shortcut ? (*shortcut)(x) : x));
  }

  mobilenet::Convolved first, second;
  std::optional<mobilenet::Convolved> shortcut;
};

struct Network : aclgrad::Module {
  Network(std::int64_t classes, std::uint64_t seed)
      : stem(child("stem"), 3, kStem, 3, 1, 1, seed),
        scores(child("scores"), all_sizes().back().out, classes, {.seed = seed + 1}) {
    for (const BlockSizes& sizes : all_sizes()) {
      const std::size_t i = blocks.size();
      blocks.emplace_back(child("blocks." + std::to_string(i)), sizes, seed + 10 * (i + 1));
    }
  }
  aclgrad::Value operator()(const aclgrad::Value& images) const {
    aclgrad::Value x = relu(stem(images));
    for (const Block& block : blocks) x = block(x);
    return scores(aclgrad::GlobalAvgPool2d{}(x));
  }

  mobilenet::Convolved stem;
  aclgrad::Linear scores;
  std::vector<Block> blocks;
};

}  // namespace resnet
