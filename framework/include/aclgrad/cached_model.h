// SPDX-License-Identifier: Apache-2.0
// Causal models that write: what attention made of earlier tokens is kept, so that each new token
// costs one place, not all of them.
//
//   struct Writer : Module {
//     Embedding letters{child("letters"), 256, 64};
//     TransformerBlock block{child("block"), 64, 4, 172, {.causal = true, .rotary = true}};
//     Linear out{child("out"), 64, 256};
//     Value operator()(const Value& text) const { return out(block(letters(text))); }
//     Value operator()(const Value& token, AttentionCache& cache) const {
//       return out(block(letters(token), cache));
//     }
//   };
//   CachedModel model(writer, /*places=*/1024);
//   const Tensor text = generate(std::ref(model), prompt, random, {.length = 100});
#ifndef ACLGRAD_CACHED_MODEL_H_
#define ACLGRAD_CACHED_MODEL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/nn_attention.h"
#include "aclgrad/session.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

/// Scores of texts by a model that is recorded for one token, in Mode::evaluation. It is a function
/// of the tokens alone, as Predictor is: of those that begin as the ones before did, only what is
/// new is computed.
class CachedModel {
 public:
  /// Records scores [N, 1, C] of a token, int64 [N, 1], at cache.place(). A model with places of
  /// its own looks them up there: positions(cache.place()).
  using Step = std::function<Value(const Value& token, AttentionCache& cache)>;

  /// For texts of up to `places` tokens, at least 1. Throws ValueError.
  CachedModel(Step step, std::int64_t places);

  /// Scores [N, 1, C] of the last token of [N, T]. Throws ShapeError for other tokens, also of more
  /// than `places`, and for other scores; and what recording and running throw.
  Tensor operator()(const Tensor& tokens);

  /// Forgets what it kept: after training, or loading, has changed the weights.
  void forget() { session_.reset(); }

 private:
  void record(std::int64_t rows);
  std::size_t known_places(const Tensor& tokens) const;

  Step step_;
  std::int64_t places_;
  std::optional<Session> session_;  // for so many rows:
  std::int64_t rows_ = 0;
  std::vector<std::pair<std::string, Tensor>> kept_;  // by the names of inputs
  std::vector<std::vector<std::int64_t>> seen_;       // a column for each place
  Tensor scores_;                                     // of the last of these
};

}  // namespace aclgrad

#endif  // ACLGRAD_CACHED_MODEL_H_
