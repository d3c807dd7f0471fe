// SPDX-License-Identifier: Apache-2.0
// Scores of classes in rows: [C], [N, C] or, of pictures, [N, C, H, W] with rows in the order of
// [N, H, W].
#pragma once

#include <fmt/format.h>

#include "ops/engine/iterate.h"
#include "ops/loss/loss_reduction.h"

namespace aclgrad::ops {

inline size_t class_dimension(const Dims& scores) {
  return scores.size() > 2 ? 1 : scores.size() - 1;
}

// The rows of a tensor of scores: over the classes.
inline Slices rows_of_scores(const Arguments& arguments, size_t tensor) {
  return {arguments, tensor, dimensions(class_dimension(arguments.shape(tensor)), 1)};
}

// A number for each row: a target, or a loss that is not reduced.
inline Dims rows_shape(const Dims& scores) {
  return selected(scores, dimensions(class_dimension(scores), 1), false);
}

// The loss, or its gradient: one per row when nothing is reduced, else a single one of rank 0 or 1.
inline Rule has_loss_shape(size_t tensor, size_t scores, size_t reduction) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (!reduces(arguments, reduction) && arguments.shape(scores).size() > 1) {
      const Dims expected = rows_shape(arguments.shape(scores));
      if (shape == expected) return std::nullopt;
      return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(tensor),
                         to_string(expected), to_string(shape));
    }
    if (shape.size() <= 1 && count_elements(shape) == 1) return std::nullopt;
    return fmt::format("tensor {} must have size [] or [1], but is {}.", arguments.name(tensor),
                       to_string(shape));
  });
}

}  // namespace aclgrad::ops
