// SPDX-License-Identifier: Apache-2.0
// Checks of what normalizes rows: the last dimensions of x, whose sizes gamma has.
#ifndef ACLGRAD_OPS_NORMALIZATION_ROW_RULES_H_
#define ACLGRAD_OPS_NORMALIZATION_ROW_RULES_H_

#include <fmt/format.h>

#include <algorithm>

#include "ops/meta/rules.h"

namespace aclgrad::ops {

/// gamma has the last dimensions of x, at least one.
inline Rule is_row_of(size_t gamma, size_t x) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& row = arguments.shape(gamma);
    const Dims& shape = arguments.shape(x);
    if (!row.empty() && row.size() <= shape.size() &&
        row == Dims(shape.data() + shape.size() - row.size(), row.size())) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have the last sizes of tensor {} {}, but is {}.",
                       arguments.name(gamma), arguments.name(x), to_string(shape), to_string(row));
  });
}

/// The shape of x, with 1 in the dimensions of gamma.
inline Rule has_number_per_row(size_t tensor, size_t x, size_t gamma) {
  return [=](const Arguments& arguments) {
    Dims shape = arguments.shape(x);
    const size_t row = arguments.shape(gamma).size();
    std::fill(shape.data() + (shape.size() - row), shape.data() + shape.size(), 1);
    return has_shape(tensor, shape)(arguments);
  };
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_NORMALIZATION_ROW_RULES_H_
