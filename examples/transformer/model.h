// SPDX-License-Identifier: Apache-2.0
// A causal transformer over characters (Vaswani et al. 2017, pre-norm), whose feed-forward blocks
// are GEGLU (Shazeer 2020), or GELU or ReLU with as many parameters.
#pragma once

#include <aclgrad/aclgrad.h>

#include <string>
#include <vector>

namespace transformer {

struct Sizes {
  std::int64_t context = 64, width = 128, heads = 4, blocks = 4;
  // GEGLU has three matrices, GELU and ReLU have two: 3 x 344 = 2 x 516.
  std::int64_t geglu_hidden = 344, hidden = 516;
};

struct FeedForward : aclgrad::Module {
  FeedForward(const Name& name, const Sizes& sizes, aclgrad::Activation kind, std::uint64_t seed)
      : Module(name),
        activate{kind},
        gated(kind == aclgrad::Activation::geglu),
        hidden(gated ? sizes.geglu_hidden : sizes.hidden),
        up(child("up"), sizes.width, gated ? 2 * hidden : hidden, {.seed = seed}),
        down(child("down"), hidden, sizes.width, {.seed = seed + 1}) {}

  aclgrad::Value operator()(const aclgrad::Value& x) const { return down(activate(up(x))); }

  aclgrad::Activate activate;
  bool gated;
  std::int64_t hidden;
  aclgrad::Linear up, down;
};

struct Block : aclgrad::Module {
  Block(const Name& name, const Sizes& sizes, aclgrad::Activation kind, std::uint64_t seed)
      : Module(name),
        norm1(child("norm1"), sizes.width),
        attention(child("attention"), sizes.width, sizes.heads, {.causal = true, .seed = seed}),
        norm2(child("norm2"), sizes.width),
        feed_forward(child("feed_forward"), sizes, kind, seed + 1000) {}

  aclgrad::Value operator()(const aclgrad::Value& x) const {
    const aclgrad::Value y = x + attention(norm1(x));
    return y + feed_forward(norm2(y));
  }

  aclgrad::LayerNorm norm1;
  aclgrad::SelfAttention attention;
  aclgrad::LayerNorm norm2;
  FeedForward feed_forward;
};

struct Transformer : aclgrad::Module {
  Transformer(std::int64_t characters, const Sizes& sizes, aclgrad::Activation kind,
              aclgrad::DType computed_in, std::uint64_t seed)
      : dtype(computed_in),
        letters(child("letters"), characters, sizes.width, seed),
        places(child("places"), sizes.context, sizes.width, seed + 1),
        norm(child("norm"), sizes.width) {
    for (std::int64_t i = 0; i < sizes.blocks; ++i) {
      blocks.emplace_back(child("blocks." + std::to_string(i)), sizes, kind,
                          seed + 10 * static_cast<std::uint64_t>(i + 1));
    }
  }

  // Scores [N, T, characters] of the character after each place of text [N, T]. The weights of the
  // output are those of the embedding.
  aclgrad::Value operator()(const aclgrad::Value& text) const {
    using namespace aclgrad;
    Graph graph = text.graph();
    const Tensor numbers = Tensor::arange(text.shape()[1], 0, 1, DType::int64);
    Value x = cast(letters(text) + places(graph.constant(numbers)), dtype);
    for (const Block& block : blocks) x = block(x);
    const Value output = transpose(cast(graph.parameter(letters.weight()), dtype), 0, 1);
    return cast(matmul(norm(x), output), DType::float32);
  }

  aclgrad::DType dtype;  // of the activations
  aclgrad::Embedding letters, places;
  std::vector<Block> blocks;
  aclgrad::LayerNorm norm;
};

}  // namespace transformer
