// SPDX-License-Identifier: Apache-2.0
// A small MobileNetV3 (Howard et al. 2019): bottlenecks of a depthwise convolution between two of
// 1 x 1, with squeeze-and-excite, batch normalization and Hardswish (or ReLU).
#pragma once

#include <aclgrad/aclgrad.h>

#include <string>
#include <vector>

namespace mobilenet {

// Convolution without bias, batch normalization.
struct Convolved : aclgrad::Module {
  Convolved(const Name& name, std::int64_t in, std::int64_t out, std::int64_t kernel,
            std::int64_t stride, std::int64_t groups, std::uint64_t seed)
      : Module(name),
        conv(child("conv"), in, out, kernel,
             {.stride = stride,
              .padding = kernel / 2,
              .groups = groups,
              .bias = false,
              .init_for = aclgrad::Activation::hardswish,
              .seed = seed}),
        norm(child("norm"), out) {}
  aclgrad::Value operator()(const aclgrad::Value& x) const { return norm(conv(x)); }

  aclgrad::Conv2d conv;
  aclgrad::BatchNorm2d norm;
};

// Every channel times a number from 0 to 1 that depends on the means of all (Hu et al. 2018).
struct SqueezeExcite : aclgrad::Module {
  SqueezeExcite(const Name& name, std::int64_t channels, std::uint64_t seed)
      : Module(name),
        squeeze(child("squeeze"), channels, channels / 4,
                {.init_for = aclgrad::Activation::relu, .seed = seed}),
        excite(child("excite"), channels / 4, channels, {.seed = seed + 1}) {}
  aclgrad::Value operator()(const aclgrad::Value& x) const {
    using namespace aclgrad;
    const Value y = excite(relu(squeeze(GlobalAvgPool2d{}(x))));
    const Value gate = clamp((y + 3) * (1.0 / 6), {.min = 0, .max = 1});
    return x * reshape(gate, {x.shape()[0], x.shape()[1], 1, 1});
  }

  aclgrad::Linear squeeze, excite;
};

struct BottleneckSizes {
  std::int64_t in, expanded, out, kernel, stride;
};

struct Bottleneck : aclgrad::Module {
  Bottleneck(const Name& name, const BottleneckSizes& sizes, aclgrad::Activation kind,
             std::uint64_t seed)
      : Module(name),
        activate{kind},
        adds(sizes.stride == 1 && sizes.in == sizes.out),
        expand(child("expand"), sizes.in, sizes.expanded, 1, 1, 1, seed),
        depthwise(child("depthwise"), sizes.expanded, sizes.expanded, sizes.kernel, sizes.stride,
                  sizes.expanded, seed + 1),
        attention(child("attention"), sizes.expanded, seed + 2),
        project(child("project"), sizes.expanded, sizes.out, 1, 1, 1, seed + 4) {}
  aclgrad::Value operator()(const aclgrad::Value& x) const {
    const aclgrad::Value wide = activate(depthwise(activate(expand(x))));
    const aclgrad::Value y = project(attention(wide));
    return adds ? x + y : y;
  }

  aclgrad::Activate activate;
  bool adds;
  Convolved expand, depthwise;
  SqueezeExcite attention;
  Convolved project;
};

struct Sizes {
  std::int64_t stem = 16, head = 160, classes = 10;
  std::vector<BottleneckSizes> bottlenecks = {
      {16, 64, 24, 3, 1}, {24, 72, 24, 3, 1}, {24, 96, 40, 5, 2}, {40, 160, 40, 5, 1}};
};

// Scores [n, classes] of grey images [n, 1, height, width].
struct MobileNet : aclgrad::Module {
  MobileNet(const Sizes& sizes, aclgrad::Activation kind, std::uint64_t seed)
      : activate{kind},
        stem(child("stem"), 1, sizes.stem, 3, 2, 1, seed),
        head(child("head"), sizes.bottlenecks.back().out, sizes.head, 1, 1, 1, seed + 1),
        scores(child("scores"), sizes.head, sizes.classes, {.seed = seed + 2}) {
    for (std::size_t i = 0; i < sizes.bottlenecks.size(); ++i) {
      bottlenecks.emplace_back(child("bottlenecks." + std::to_string(i)), sizes.bottlenecks[i],
                               kind, seed + 10 * (i + 1));
    }
  }
  aclgrad::Value operator()(const aclgrad::Value& images) const {
    aclgrad::Value x = activate(stem(images));
    for (const Bottleneck& bottleneck : bottlenecks) x = bottleneck(x);
    return scores(aclgrad::GlobalAvgPool2d{}(activate(head(x))));
  }

  aclgrad::Activate activate;
  Convolved stem, head;
  aclgrad::Linear scores;
  std::vector<Bottleneck> bottlenecks;
};

}  // namespace mobilenet
