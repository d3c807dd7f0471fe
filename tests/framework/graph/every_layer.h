// SPDX-License-Identifier: Apache-2.0
// A network for each kind of layer, in any dtype.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"

namespace aclgrad::every_layer {

struct Case {
  std::string name;
  std::function<Sequential(DType)> make;
  Shape input;
  bool of_indices = false;
};

// A layer that reads its own input as memory.
template <class Layer>
struct OfItself : Module {
  explicit OfItself(const Layer& given) : layer(given) { adopt(layer); }
  Value operator()(const Value& x) const { return layer(x, x); }
  Layer layer;
};

inline Sequential attending(DType dtype) {
  Sequential network(SelfAttention("attention", 4, 2, {.causal = true, .seed = 3, .dtype = dtype}));
  return network;
}

inline std::vector<Case> layers() {
  using D = DType;
  return {
      {"Linear",
       [](D d) { return Sequential(Linear("a", 4, 3, {.seed = 1, .dtype = d})); },
       {3, 4}},
      {"Linear without bias",
       [](D d) { return Sequential(Linear("a", 4, 3, {.seed = 1, .bias = false, .dtype = d})); },
       {2, 3, 4}},
      {"activations",
       [](D d) {
         return Sequential(Linear("a", 4, 6, {.seed = 1, .dtype = d}), Selu{}, Elu{}, Hardswish{},
                           Gelu{}, Gelu{Approximate::tanh}, Relu{}, Tanh{}, Sigmoid{}, Silu{},
                           LeakyRelu{}, Softplus{}, Mish{}, Prelu("b", {.channels = 6, .dtype = d}),
                           Geglu{});
       },
       {3, 4}},
      {"convolution",
       [](D d) {
         return Sequential(Conv2d("a", 2, 4, 3, {.padding = 1, .groups = 2, .seed = 2, .dtype = d}),
                           BatchNorm2d("b", 4, {.dtype = d}), MaxPool2d{2},
                           GroupNorm("c", 2, 4, 1e-5, d), AvgPool2d{2, {.stride = 1}},
                           AdaptiveAvgPool2d{2}, Flatten{},
                           Linear("d", 16, 2, {.seed = 3, .dtype = d}));
       },
       {3, 2, 6, 6}},
      {"other convolutions",
       [](D d) {
         return Sequential(
             ConvTranspose2d("a", 2, 4, 3, {.stride = 2, .bias = false, .seed = 2, .dtype = d}),
             InstanceNorm("b", 4, {.affine = true, .dtype = d}), Upsample{{1, 2}},
             Conv2d("c", 4, 2, 3, {.stride = 2, .seed = 3, .dtype = d}));
       },
       {2, 2, 3, 3}},
      {"global pooling",
       [](D d) {
         return Sequential(Conv2d("a", 2, 4, 3, {.seed = 2, .dtype = d}), GlobalAvgPool2d{});
       },
       {2, 2, 4, 4}},
      {"decoder",
       [](D d) {
         Sequential network(SinusoidalPositions{});
         const TransformerDecoderBlock block(
             "a", 4, 2, 3, {.causal = true, .seed = 1, .dtype = d, .rotary = true});
         network.add(OfItself<TransformerDecoderBlock>(block));
         return network;
       },
       {2, 3, 4}},
      {"recurrent ones",
       [](D d) {
         return Sequential(
             Lstm("a", 4, 3, {.num_layers = 2, .bidirectional = true, .seed = 7, .dtype = d}));
       },
       {2, 3, 4}},
      {"norms",
       [](D d) { return Sequential(LayerNorm("a", 5, 1e-5, d), Tanh{}, RmsNorm("b", 5, 1e-6, d)); },
       {4, 5}},
      {"dropout",
       [](D d) {
         return Sequential(Dropout("a", 0.25, 1), AlphaDropout("b", 0.25, 2),
                           Linear("c", 4, 2, {.seed = 3, .dtype = d}));
       },
       {5, 4}},
      {"feed forward",
       [](D d) { return Sequential(Residual(GegluFeedForward("a", 4, 3, 4, 1, {}, d))); },
       {3, 4}},
      {"attention", attending, {2, 3, 4}},
      {"transformer",
       [](D d) { return Sequential(TransformerBlock("a", 4, 2, 3, {.seed = 1, .dtype = d})); },
       {2, 3, 4}},
      {"recurrent",
       [](D d) { return Sequential(Gru("a", 4, 3, {.seed = 7, .dtype = d})); },
       {2, 3, 4}},
      {"embedding",
       [](D d) { return Sequential(Embedding("a", 5, 3, {.seed = 1, .dtype = d}), Tanh{}); },
       {2, 4},
       true},
      {"bags",
       [](D d) { return Sequential(EmbeddingBag("a", 5, 3, {.seed = 1, .dtype = d}), Tanh{}); },
       {2, 4},
       true},
  };
}

inline Tensor input_of(const Case& test, DType dtype) {
  if (!test.of_indices) return init::normal(test.input, 11, 1, DType::float64).to(dtype);
  return Tensor::arange(test.input.numel(), 0, 0.5, DType::float64)
      .to(DType::int64)
      .reshape(test.input);
}

}  // namespace aclgrad::every_layer
