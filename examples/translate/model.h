// SPDX-License-Identifier: Apache-2.0
// An encoder that reads words, and a decoder that reads what the encoder made (cross-attention) and
// writes digits (Vaswani et al. 2017, pre-norm, with GEGLU).
#pragma once

#include <aclgrad/aclgrad.h>

#include <cmath>
#include <string>
#include <vector>

namespace translate {

struct Sizes {
  std::int64_t letters = 31, digits = 12;  // what may stand in a source, where 0 is padding; target
  std::int64_t width = 64, heads = 4, hidden = 128, blocks = 2;
};

struct Translator : aclgrad::Module {
  Translator(const Sizes& sizes, aclgrad::DType computed_in, std::uint64_t seed)
      : dtype(computed_in),
        width(sizes.width),
        letters(child("letters"), sizes.letters, sizes.width, {.seed = seed, .padding_idx = 0}),
        digits(child("digits"), sizes.digits, sizes.width, seed + 1),
        encoder_norm(child("encoder_norm"), sizes.width),
        norm(child("norm"), sizes.width),
        out(child("out"), sizes.width, sizes.digits, {.seed = seed + 2}) {
    for (std::int64_t i = 0; i < sizes.blocks; ++i) {
      const std::uint64_t own = seed + 100 * static_cast<std::uint64_t>(i + 1);
      encoder.emplace_back(child("encoder." + std::to_string(i)), sizes.width, sizes.heads,
                           sizes.hidden, aclgrad::SelfAttentionOptions{.seed = own});
      decoder.emplace_back(child("decoder." + std::to_string(i)), sizes.width, sizes.heads,
                           sizes.hidden,
                           aclgrad::SelfAttentionOptions{.causal = true, .seed = own + 50});
    }
  }

  // What a decoder reads, [N, S, width], of a source [N, S].
  aclgrad::Value encode(const aclgrad::Value& source) const {
    aclgrad::Value x = placed(letters, source);
    for (const aclgrad::TransformerBlock& block : encoder) x = block(x, padding(source));
    return encoder_norm(x);
  }

  // Scores [N, T, digits] of the digit after each place of what is begun, [N, T].
  aclgrad::Value decode(const aclgrad::Value& memory, const aclgrad::Value& source,
                        const aclgrad::Value& begun) const {
    aclgrad::Value x = placed(digits, begun);
    for (const aclgrad::TransformerDecoderBlock& block : decoder) {
      x = block(x, memory, padding(source));
    }
    return cast(out(norm(x)), aclgrad::DType::float32);
  }

  // The same of a batch with "source" and "begun".
  aclgrad::Value operator()(const aclgrad::BatchValues& batch) const {
    return decode(encode(batch["source"]), batch["source"], batch["begun"]);
  }

  aclgrad::DType dtype;  // of the activations
  std::int64_t width;
  aclgrad::Embedding letters, digits;
  std::vector<aclgrad::TransformerBlock> encoder;
  aclgrad::LayerNorm encoder_norm;
  std::vector<aclgrad::TransformerDecoderBlock> decoder;
  aclgrad::LayerNorm norm;
  aclgrad::Linear out;

 private:
  // Embedded, with the size of the sines of its places.
  aclgrad::Value placed(const aclgrad::Embedding& embedding, const aclgrad::Value& text) const {
    const aclgrad::Value x = embedding(text) * std::sqrt(static_cast<double>(width));
    return cast(aclgrad::SinusoidalPositions{}(x), dtype);
  }

  // [N, 1, 1, S]: the places that attention does not see.
  static aclgrad::Value padding(const aclgrad::Value& source) {
    return reshape(eq(source, 0.0), {source.shape()[0], 1, 1, source.shape()[1]});
  }
};

}  // namespace translate
