// SPDX-License-Identifier: Apache-2.0
// Gated recurrent units (Cho et al. 2014): one whose last state a linear layer reads, and one that
// guesses characters.
#pragma once

#include <aclgrad/aclgrad.h>

namespace recurrent {

struct Adder : aclgrad::Module {
  explicit Adder(std::int64_t hidden = 64)
      : gru(child("gru"), 2, hidden, {.seed = 1}), out(child("out"), hidden, 1, {.seed = 2}) {}

  // A number [N, 1] of every sequence [N, T, 2].
  aclgrad::Value operator()(const aclgrad::Value& x) const {
    const aclgrad::Value states = gru(x);
    const std::int64_t last = x.shape()[1] - 1;
    return out(reshape(slice(states, 1, last, last + 1), {x.shape()[0], states.shape()[2]}));
  }

  aclgrad::Gru gru;
  aclgrad::Linear out;
};

struct Sizes {
  std::int64_t width = 128, hidden = 440;
};

struct CharacterModel : aclgrad::Module {
  CharacterModel(std::int64_t characters, const Sizes& sizes, aclgrad::DType computed_in,
                 std::uint64_t seed)
      : dtype(computed_in),
        letters(child("letters"), characters, sizes.width, seed),
        gru(child("gru"), sizes.width, sizes.hidden, {.seed = seed + 1}),
        next(child("next"), sizes.hidden, characters, {.seed = seed + 3}) {}

  // Scores [N, T, characters] of the character after each place of text [N, T].
  aclgrad::Value operator()(const aclgrad::Value& text) const {
    return cast(next(gru(cast(letters(text), dtype))), aclgrad::DType::float32);
  }

  aclgrad::DType dtype;  // of the activations
  aclgrad::Embedding letters;
  aclgrad::Gru gru;
  aclgrad::Linear next;
};

}  // namespace recurrent
