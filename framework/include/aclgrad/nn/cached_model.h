// SPDX-License-Identifier: Apache-2.0
// Causal models that write: what attention made of earlier tokens is kept, so that each new token
// costs one place, not all of them, and a prompt one run.
//
//   struct Writer : Module {
//     Embedding letters{child("letters"), 256, 64};
//     TransformerBlock block{child("block"), 64, 4, 172, {.causal = true, .rotary = true}};
//     Linear out{child("out"), 64, 256};
//     Value operator()(const Value& text) const { return out(block(letters(text))); }
//     Value operator()(const Value& tokens, AttentionCache& cache) const {
//       return out(block(letters(tokens), cache));
//     }
//   };
//   CachedModel model(writer, /*places=*/1024);
//   const Tensor text = generate(std::ref(model), prompt, random, {.length = 100});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "aclgrad/nn/attention.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

/// Scores of texts by a model in Mode::evaluation that is recorded for tokens and a cache. It is a
/// function of the tokens alone, as Predictor is: of those that begin as the ones before did, only
/// what is new is computed, in one run. Time and memory of a run grow with the tokens written, not
/// with the places there are: the cache doubles when it is full.
class CachedModel {
 public:
  /// Records scores [N, T, C] of tokens, int64 [N, T], at cache.place(), T at least 1. A model with
  /// places of its own looks them up there: positions(cache.place()). It is recorded for several T,
  /// and for more tokens than there are, whose scores are not looked at: nothing in it may look at
  /// later ones, nor at other places but through the cache.
  using Step = std::function<Value(const Value& tokens, AttentionCache& cache)>;

  /// For texts of up to `places` tokens, at least 1. Throws ValueError.
  CachedModel(Step step, std::int64_t places);
  CachedModel(CachedModel&&) noexcept;
  CachedModel& operator=(CachedModel&&) noexcept;
  ~CachedModel();

  /// Scores [N, 1, C] of the last token of [N, T]. Throws ShapeError for other tokens, also of more
  /// than `places`, and for other scores; and what recording and running throw.
  Tensor operator()(const Tensor& tokens);

  /// Forgets what it kept: after training, or loading, has changed the weights.
  void forget();

 private:
  class Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace aclgrad
