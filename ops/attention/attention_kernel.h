// SPDX-License-Identifier: Apache-2.0
// Attention in tiles (Dao et al. 2022): scores are made a block at a time and never stored, so that
// memory grows with the number of places, not with its square. The forward keeps a running maximum
// and sum of every row; the gradient makes the shares again from what they were at last.
//
// Blocks are cut by the sizes alone, and every sum goes through them in one order, whatever runs on
// which thread: the same bits with any number of threads.
#pragma once

#include <optional>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// A tensor as [batch, head, place, column]. Strides in elements, 0 where it is broadcast.
struct HeadsView {
  size_t parameter;
  aclDataType dtype;
  int64_t batch, head, place, column;
};

struct AttentionProblem {
  int64_t batch, heads, key_heads;  // key_heads divides heads
  int64_t queries, keys;            // places
  int64_t size, value_size;         // columns
  aclDataType dtype;                // DOUBLE, or another that is computed in float
  HeadsView query, key, value, output;
  // Of the shares of a row, where they are kept; the last dimension repeats them.
  std::optional<HeadsView> largest = std::nullopt, sum = std::nullopt;
  std::optional<HeadsView> shift = std::nullopt;   // added to the products before they are scaled,
  bool shifts_scores = false;                      // or after that
  std::optional<HeadsView> hidden = std::nullopt;  // bytes: not 0 where a place is not seen
  std::optional<size_t> dropped = std::nullopt;    // by dropout: the bits of all scores
  StridedIndex bytes = {};                         // of their tensor
  std::optional<int64_t> diagonal = std::nullopt;  // place j > i + diagonal is not seen
  double scale = 1, kept = 1;                      // kept: the probability of the mask's bits
};

// output = dropout(softmax(scale (query key^T + shift))) value, and largest and sum of every row;
// rows that see nothing have output 0, sum 0 and the lowest float. A shift of -infinity hides, if
// scale is above 0 or it is added after that. What a query does not see does not reach it, be it
// infinite or NaN.
Plan plan_attention(const AttentionProblem& problem);

// From all of the problem's tensors, which are inputs and there, the shift before the scale, and
// the gradient of output. The gradient of
// shift has its strides: what is broadcast is summed. What a query does not see has no part in any
// of them, nor has a query whose output has a gradient of 0.
struct AttentionGradients {
  HeadsView of_output;
  HeadsView query, key, value;
  std::optional<HeadsView> shift = std::nullopt;
};
Plan plan_attention_backward(const AttentionProblem& problem, const AttentionGradients& gradients);

}  // namespace aclgrad::ops
