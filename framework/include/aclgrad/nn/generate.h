// SPDX-License-Identifier: Apache-2.0
// Sequences that a model writes: a class drawn from scores, and one after the other.
//
//   Predictor predictor(model);
//   RandomSequence random(1);
//   const Tensor text = generate(std::ref(predictor), prompt, random, {.length = 100});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "aclgrad/random.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

struct SampleOptions {
  double temperature = 1;  ///< Divides the scores: at least 0, finite; 0 takes the best class.
  std::int64_t top_k = 0;  ///< Only the best so many classes; at least 0, where 0 takes all.
  double top_p = 1;  ///< In (0, 1]: only the best classes that together are so probable, the one
                     ///< that reaches it too.
};

/// A class for each row of scores (logits) [..., C] of a floating dtype: int64 [...], drawn by
/// softmax(scores / temperature) of the classes that options leave. Of equal scores the first class
/// is the better one. A row takes one number of the sequence. Throws ValueError for options out of
/// their range, C = 0, and for a row with a NaN, an infinity above, or nothing but -infinities;
/// DTypeError for scores that are not floating.
Tensor sample(const Tensor& scores, RandomSequence& random, const SampleOptions& options = {});

struct GenerateOptions {
  std::int64_t length = 100;  ///< How many classes are appended; at least 0.
  /// Ends a row, whose rest is filled with it; when all rows have ended, so does the result.
  std::optional<std::int64_t> end = std::nullopt;
  /// The model is given the latest so many, always as many, with zeros behind them where there are
  /// fewer: for causal models, which do not look at what comes later; one shape is planned. 0 gives
  /// it all there are.
  std::int64_t context = 0;
  double temperature = 1;  ///< This and the following: as in SampleOptions.
  std::int64_t top_k = 0;
  double top_p = 1;
};

/// Goes on from a prompt [N, T], int64, T at least 1: [N, T + up to length]. The model gives scores
/// [N, S, C] of tokens [N, S], of which those of the last one count, or without `context` those
/// alone, [N, 1, C]. A Predictor computes all places anew for every step, a CachedModel
/// (cached_model.h) keeps what it can. Throws as sample(), ShapeError for another prompt or other
/// scores.
using TokenModel = std::function<Tensor(const Tensor& tokens)>;
Tensor generate(const TokenModel& model, const Tensor& prompt, RandomSequence& random,
                const GenerateOptions& options = {});

}  // namespace aclgrad
