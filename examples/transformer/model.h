// SPDX-License-Identifier: Apache-2.0
// A causal transformer over characters (Vaswani et al. 2017, pre-norm), whose feed-forward blocks
// are GEGLU (Shazeer 2020), or GELU or ReLU with as many parameters.
#ifndef ACLGRAD_EXAMPLES_TRANSFORMER_MODEL_H_
#define ACLGRAD_EXAMPLES_TRANSFORMER_MODEL_H_

#include <aclgrad/aclgrad.h>

#include <string>
#include <vector>

namespace transformer {

constexpr std::int64_t kContext = 64, kWidth = 128, kHeads = 4, kBlocks = 4;

struct FeedForward : aclgrad::Module {
  // GEGLU halves what it is given: three products of 344 are two of 516.
  FeedForward(const Name& name, const std::string& kind, std::uint64_t seed)
      : Module(name),
        activation(kind),
        up(child("up"), kWidth, kind == "geglu" ? 2 * 344 : 516, {.seed = seed}),
        down(child("down"), kind == "geglu" ? 344 : 516, kWidth, {.seed = seed + 1}) {}

  aclgrad::Value operator()(const aclgrad::Value& x) const {
    const aclgrad::Value y = up(x);
    if (activation == "geglu") return down(geglu(y));
    return down(activation == "gelu" ? gelu(y) : relu(y));
  }

  std::string activation;
  aclgrad::Linear up, down;
};

struct Block : aclgrad::Module {
  Block(const Name& name, const std::string& kind, std::uint64_t seed)
      : Module(name),
        attention(child("attention"), kWidth, kHeads, {.causal = true, .seed = seed}),
        feed_forward(child("feed_forward"), kind, seed + 1000) {}

  aclgrad::Value operator()(const aclgrad::Value& x) const {
    const aclgrad::Value y = x + attention(norm1(x));
    return y + feed_forward(norm2(y));
  }

  aclgrad::LayerNorm norm1{child("norm1"), kWidth}, norm2{child("norm2"), kWidth};
  aclgrad::SelfAttention attention;
  FeedForward feed_forward;
};

struct Transformer : aclgrad::Module {
  Transformer(std::int64_t characters, const std::string& kind, aclgrad::DType computed_in,
              std::uint64_t seed)
      : dtype(computed_in),
        letters(child("letters"), characters, kWidth, seed),
        places(child("places"), kContext, kWidth, seed + 1) {
    for (int i = 0; i < kBlocks; ++i) {
      blocks.emplace_back(child("blocks." + std::to_string(i)), kind, seed + 10 * (i + 1));
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
  aclgrad::LayerNorm norm{child("norm"), kWidth};
};

}  // namespace transformer

#endif  // ACLGRAD_EXAMPLES_TRANSFORMER_MODEL_H_
