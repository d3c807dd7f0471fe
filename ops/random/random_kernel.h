// SPDX-License-Identifier: Apache-2.0
// Filling a tensor with random numbers: element i, in row-major order, is a function of seed,
// offset and i alone. The public headers state the formulas.
#pragma once

#include <optional>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

struct RandomStream {
  uint64_t seed;
  uint64_t offset;
  // INT64 tensors of one element, read when the work runs: the seed, and what is added to offset.
  std::optional<size_t> seed_tensor = std::nullopt;
  std::optional<size_t> offset_tensor = std::nullopt;
};

// By attributes, or by tensors and what is added to their offset.
inline RandomStream stream_of(const Arguments& arguments, size_t seed, size_t offset) {
  return {static_cast<uint64_t>(arguments.integer(seed)),
          static_cast<uint64_t>(arguments.integer(offset))};
}
inline RandomStream stream_in_tensors(const Arguments& arguments, size_t seed, size_t offset,
                                      size_t extra_offset) {
  return {0, static_cast<uint64_t>(arguments.integer(extra_offset)), seed, offset};
}

// The stream with its tensors' values in it.
RandomStream resolved(RandomStream stream, const Run& run);

// A number for all elements, or a tensor that broadcasts to the result. An element of it that is
// out of range ends the task, with an exception that names it, before anything is written.
struct RandomOperand {
  double number = 0;
  std::optional<size_t> tensor = std::nullopt;
};

Plan plan_normal(const Arguments& arguments, size_t out, RandomOperand mean, RandomOperand stddev,
                 RandomStream stream);

Plan plan_uniform(const Arguments& arguments, size_t out, double from, double to,
                  RandomStream stream);

// 1 with this probability, else 0.
Plan plan_bernoulli(const Arguments& arguments, size_t out, RandomOperand probability,
                    RandomStream stream);

// from + a number below `count`.
Plan plan_integers(const Arguments& arguments, size_t out, int64_t from, uint64_t count,
                   RandomStream stream);

// The numbers below n in an order that is any with the same probability; out has n elements.
Plan plan_permutation(const Arguments& arguments, size_t out, RandomStream stream);

// Rows of numbers of classes, drawn by the rows of weights: with replacement, or not.
struct Draws {
  size_t weights;  // the last dimension has the classes
  size_t out;      // the last dimension has the draws
  bool with_replacement;
};
Plan plan_draws(const Arguments& arguments, const Draws& draws, RandomStream stream);

}  // namespace aclgrad::ops
