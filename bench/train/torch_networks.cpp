// SPDX-License-Identifier: Apache-2.0
#include "bench/train/torch_networks.h"

#include <cmath>
#include <limits>
#include <string>

#include "bench/resnet.h"
#include "examples/convolution/model.h"
#include "examples/mobilenet/model.h"

namespace aclgrad::bench {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

Tensor geglu(const Tensor& x) {
  const std::vector<Tensor> halves = x.chunk(2, -1);
  return halves[0] * torch::gelu(halves[1]);
}

struct Perceptron : TorchNetwork {
  explicit Perceptron(const Workload& workload) : kind(workload.kind) {
    for (const auto& [in, out] : workload.layers) {
      layers.push_back(
          register_module("layer" + std::to_string(layers.size() + 1), nn::Linear(in, out)));
    }
  }
  Tensor forward(Tensor x) override {
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      x = layers[layer](x);
      if (layer + 1 < layers.size()) x = activate(x);
    }
    return x;
  }
  Tensor activate(const Tensor& x) const {
    if (kind == Kind::elu_mse_sgd) return torch::elu(x);
    if (kind == Kind::selu_cross_entropy_adamw) return torch::selu(x);
    return geglu(x);
  }

  Kind kind;
  std::vector<nn::Linear> layers;
};

nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel));
}

struct ConvolutionBlock : TorchNetwork {
  ConvolutionBlock(int64_t in, int64_t out, int64_t kernel)
      : conv1(register_module("conv1", conv(in, out, kernel))),
        conv2(register_module("conv2", conv(out, out, kernel))),
        norm(register_module("norm", nn::BatchNorm2d(out))) {}
  Tensor forward(Tensor x) override {
    return torch::max_pool2d(norm(torch::elu(conv2(torch::elu(conv1(x))))), 2);
  }

  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d norm;
};

struct ConvolutionNetwork : TorchNetwork {
  explicit ConvolutionNetwork(const ::convolution::Sizes& s)
      : block1(register_module("block1", std::make_shared<ConvolutionBlock>(1, s.first, 5))),
        block2(register_module("block2", std::make_shared<ConvolutionBlock>(s.first, s.second, 3))),
        output(register_module("output", nn::Linear(s.second * 9, s.classes))) {}
  Tensor forward(Tensor x) override {
    return output(block2->forward(block1->forward(x)).flatten(1));
  }

  std::shared_ptr<ConvolutionBlock> block1, block2;
  nn::Linear output;
};

struct Attention : TorchNetwork {
  explicit Attention(const TransformerSizes& s)
      : sizes(s),
        qkv(register_module("qkv", nn::Linear(s.width, 3 * s.width))),
        projection(register_module("projection", nn::Linear(s.width, s.width))),
        later(torch::ones({s.context, s.context}, torch::kBool).triu(1)) {}
  Tensor forward(Tensor x) override {
    const int64_t batch = x.size(0), places = x.size(1), size = sizes.width / sizes.heads;
    const std::vector<Tensor> parts =
        qkv(x).view({batch, places, 3, sizes.heads, size}).permute({2, 0, 3, 1, 4}).unbind(0);
    Tensor scores = torch::matmul(parts[0], parts[1].transpose(-2, -1)) *
                    (1 / std::sqrt(static_cast<double>(size)));
    scores = scores.masked_fill(later, -std::numeric_limits<float>::infinity());
    const Tensor mixed = torch::matmul(torch::softmax(scores, -1), parts[2]);
    return projection(mixed.transpose(1, 2).reshape({batch, places, sizes.width}));
  }

  TransformerSizes sizes;
  nn::Linear qkv, projection;
  Tensor later;
};

struct FeedForward : TorchNetwork {
  explicit FeedForward(const TransformerSizes& s)
      : up(register_module("up", nn::Linear(s.width, 2 * s.hidden))),
        down(register_module("down", nn::Linear(s.hidden, s.width))) {}
  Tensor forward(Tensor x) override { return down(geglu(up(x))); }

  nn::Linear up, down;
};

nn::LayerNorm layer_norm(int64_t width) { return nn::LayerNorm(nn::LayerNormOptions({width})); }

struct TransformerBlock : TorchNetwork {
  explicit TransformerBlock(const TransformerSizes& s)
      : norm1(register_module("norm1", layer_norm(s.width))),
        norm2(register_module("norm2", layer_norm(s.width))),
        attention(register_module("attention", std::make_shared<Attention>(s))),
        feed_forward(register_module("feed_forward", std::make_shared<FeedForward>(s))) {}
  Tensor forward(Tensor x) override {
    x = x + attention->forward(norm1(x));
    return x + feed_forward->forward(norm2(x));
  }

  nn::LayerNorm norm1, norm2;
  std::shared_ptr<Attention> attention;
  std::shared_ptr<FeedForward> feed_forward;
};

struct Transformer : TorchNetwork {
  Transformer(int64_t characters, const TransformerSizes& s)
      : letters(register_module("letters", nn::Embedding(characters, s.width))),
        places(register_module("places", nn::Embedding(s.context, s.width))),
        norm(register_module("norm", layer_norm(s.width))) {
    for (int64_t i = 0; i < s.blocks; ++i) blocks->push_back(std::make_shared<TransformerBlock>(s));
    register_module("blocks", blocks);
  }
  Tensor forward(Tensor text) override {
    Tensor x = letters(text) + places(torch::arange(text.size(1)));
    for (const auto& block : *blocks) x = block->as<TransformerBlock>()->forward(x);
    return torch::matmul(norm(x), letters->weight.t());
  }

  nn::Embedding letters, places;
  nn::ModuleList blocks;
  nn::LayerNorm norm;
};

struct Convolved : TorchNetwork {
  Convolved(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t groups)
      : conv(register_module("conv", nn::Conv2d(nn::Conv2dOptions(in, out, kernel)
                                                    .stride(stride)
                                                    .padding(kernel / 2)
                                                    .groups(groups)
                                                    .bias(false)))),
        norm(register_module("norm", nn::BatchNorm2d(out))) {}
  Tensor forward(Tensor x) override { return norm(conv(x)); }

  nn::Conv2d conv;
  nn::BatchNorm2d norm;
};

struct SqueezeExcite : TorchNetwork {
  explicit SqueezeExcite(int64_t channels)
      : squeeze(register_module("squeeze", nn::Linear(channels, channels / 4))),
        excite(register_module("excite", nn::Linear(channels / 4, channels))) {}
  Tensor forward(Tensor x) override {
    const Tensor means = x.mean({2, 3});
    const Tensor gate = torch::hardsigmoid(excite(torch::relu(squeeze(means))));
    return x * gate.view({x.size(0), x.size(1), 1, 1});
  }

  nn::Linear squeeze, excite;
};

struct Bottleneck : TorchNetwork {
  explicit Bottleneck(const ::mobilenet::BottleneckSizes& s)
      : adds(s.stride == 1 && s.in == s.out),
        expand(register_module("expand", std::make_shared<Convolved>(s.in, s.expanded, 1, 1, 1))),
        depthwise(register_module(
            "depthwise",
            std::make_shared<Convolved>(s.expanded, s.expanded, s.kernel, s.stride, s.expanded))),
        attention(register_module("attention", std::make_shared<SqueezeExcite>(s.expanded))),
        project(
            register_module("project", std::make_shared<Convolved>(s.expanded, s.out, 1, 1, 1))) {}
  Tensor forward(Tensor x) override {
    const Tensor wide = torch::hardswish(depthwise->forward(torch::hardswish(expand->forward(x))));
    const Tensor y = project->forward(attention->forward(wide));
    return adds ? x + y : y;
  }

  bool adds;
  std::shared_ptr<Convolved> expand, depthwise;
  std::shared_ptr<SqueezeExcite> attention;
  std::shared_ptr<Convolved> project;
};

struct MobileNet : TorchNetwork {
  explicit MobileNet(const ::mobilenet::Sizes& s)
      : stem(register_module("stem", std::make_shared<Convolved>(1, s.stem, 3, 2, 1))),
        head(register_module(
            "head", std::make_shared<Convolved>(s.bottlenecks.back().out, s.head, 1, 1, 1))),
        scores(register_module("scores", nn::Linear(s.head, s.classes))) {
    for (const auto& sizes : s.bottlenecks) {
      bottlenecks->push_back(std::make_shared<Bottleneck>(sizes));
    }
    register_module("bottlenecks", bottlenecks);
  }
  Tensor forward(Tensor x) override {
    x = torch::hardswish(stem->forward(x));
    for (const auto& each : *bottlenecks) x = each->as<Bottleneck>()->forward(x);
    return scores(torch::hardswish(head->forward(x)).mean({2, 3}));
  }

  std::shared_ptr<Convolved> stem, head;
  nn::Linear scores;
  nn::ModuleList bottlenecks;
};

struct Residual : TorchNetwork {
  explicit Residual(const ::resnet::BlockSizes& s)
      : first(register_module("first", std::make_shared<Convolved>(s.in, s.out, 3, s.stride, 1))),
        second(register_module("second", std::make_shared<Convolved>(s.out, s.out, 3, 1, 1))) {
    if (s.changes()) {
      shortcut =
          register_module("shortcut", std::make_shared<Convolved>(s.in, s.out, 1, s.stride, 1));
    }
  }
  Tensor forward(Tensor x) override {
    const Tensor y = second->forward(torch::relu(first->forward(x)));
    return torch::relu(y + (shortcut ? shortcut->forward(x) : x));
  }

  std::shared_ptr<Convolved> first, second, shortcut;
};

struct ResNet : TorchNetwork {
  explicit ResNet(int64_t classes)
      : stem(register_module("stem", std::make_shared<Convolved>(3, ::resnet::kStem, 3, 1, 1))),
        scores(register_module("scores", nn::Linear(::resnet::all_sizes().back().out, classes))) {
    for (const ::resnet::BlockSizes& sizes : ::resnet::all_sizes()) {
      blocks->push_back(std::make_shared<Residual>(sizes));
    }
    register_module("blocks", blocks);
  }
  Tensor forward(Tensor x) override {
    x = torch::relu(stem->forward(x));
    for (const auto& block : *blocks) x = block->as<Residual>()->forward(x);
    return scores(x.mean({2, 3}));
  }

  std::shared_ptr<Convolved> stem;
  nn::Linear scores;
  nn::ModuleList blocks;
};

}  // namespace

std::shared_ptr<TorchNetwork> make_network(const Workload& workload) {
  switch (workload.kind) {
    case Kind::convolution:
      return std::make_shared<ConvolutionNetwork>(::convolution::Sizes());
    case Kind::transformer:
      return std::make_shared<Transformer>(workload.classes, workload.transformer);
    case Kind::mobilenet:
      return std::make_shared<MobileNet>(::mobilenet::Sizes());
    case Kind::resnet:
      return std::make_shared<ResNet>(workload.classes);
    default:
      return std::make_shared<Perceptron>(workload);
  }
}

}  // namespace aclgrad::bench
