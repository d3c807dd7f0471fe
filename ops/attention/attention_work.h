// SPDX-License-Identifier: Apache-2.0
// How attention is cut, and what a thread needs for its part.
#pragma once

#include "ops/attention/attention_kernel.h"
#include "ops/engine/function_ref.h"
#include "ops/engine/thread_scratch.h"

namespace aclgrad::ops {

// Rows and columns of scores that are worked on together: what they need stays in a second-level
// cache. A row of scores is longer, so that rows do not chase each other out of the first.
inline constexpr int64_t kQueryBlock = 64;
inline constexpr int64_t kKeyBlock = 256;
inline constexpr int64_t kGradientBlock = 128;  // of queries and keys
inline constexpr int64_t kScoreGap = 16;

constexpr int64_t blocks_of(int64_t places, int64_t block) { return (places + block - 1) / block; }

struct AttentionBuffers {
  GrowingMemory keys_by_column, values_by_column, keys, values, queries, outputs, slopes, scores,
      slopes_of_scores, row, of_query, of_key, of_value, of_shift, finite_keys, finite_values,
      finite_queries, finite_slopes;
};

// What a thread takes of a gradient: heads of keys, each with all its queries and of so many
// batches, or blocks of the queries or the keys of one, which make one gradient or two.
struct AttentionUnits {
  enum class Of { kHeads, kQueries, kKeys };

  Of of;
  int64_t batches;
  int64_t per_head;
};

// Calls body(begin, end) for units [0, count), on as many threads as there are where that is worth
// it.
void share_attention(const AttentionProblem& problem, int64_t count,
                     FunctionRef<void(int64_t begin, int64_t end)> body);

}  // namespace aclgrad::ops
