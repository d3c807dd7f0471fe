// SPDX-License-Identifier: Apache-2.0
// Filling a tensor with random numbers: element i, in row-major order, is a function of seed,
// offset and i alone. The public headers aclnn_normal.h and aclnn_uniform.h state the formulas.
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

// The stream with its tensors' values in it.
RandomStream resolved(RandomStream stream, const Run& run);

Plan plan_normal(const Arguments& arguments, size_t out, double mean, double stddev,
                 RandomStream stream);

Plan plan_uniform(const Arguments& arguments, size_t out, double from, double to,
                  RandomStream stream);

}  // namespace aclgrad::ops
