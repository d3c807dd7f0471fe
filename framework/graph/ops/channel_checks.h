// SPDX-License-Identifier: Apache-2.0
// Checks of what normalizes the channels of a batch [N, C, ...].
#pragma once

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad::detail {

/// x, which is an input, is [N, C, ...], and the inputs from `first` on are floating vectors [C].
inline void check_channels(const Recorder& record, std::size_t x, std::size_t first,
                           std::size_t end) {
  record.require_floating(x);
  const Shape& shape = record.input(x).shape();
  record.require_shape(shape.rank() >= 2 && shape.rank() <= 8, "{} must have rank 2 to 8, got {}",
                       record.input(x), shape);
  for (std::size_t i = first; i < end; ++i) {
    record.require_floating(i);
    record.require_shape(record.input(i).shape() == Shape{shape[1]},
                         "{} must have shape {}, the channels of {}, got {}", record.input(i),
                         Shape{shape[1]}, shape, record.input(i).shape());
  }
}

inline void check_batch_options(const Recorder& record, double momentum, double eps) {
  require_epsilon(record, eps);
  record.require_value(momentum >= 0 && momentum <= 1, "momentum must be within [0, 1], got {}",
                       momentum);
}

}  // namespace aclgrad::detail
