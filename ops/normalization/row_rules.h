// SPDX-License-Identifier: Apache-2.0
// Checks of what normalizes rows: the last dimensions of x, whose sizes gamma has.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

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

/// The sizes of x before gamma's dimensions, and a 1 for each of these, for some of them or for
/// none: documents and clients differ.
inline Rule has_number_per_row(size_t tensor, size_t x, size_t gamma) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& numbers = arguments.shape(tensor);
    const size_t row = arguments.shape(gamma).size();
    Dims expected(arguments.shape(x).data(), arguments.shape(x).size() - row);
    const Dims shortest = expected;
    for (size_t ones = 0; ones < row && expected != numbers; ++ones) expected.push_back(1);
    if (expected == numbers) return std::nullopt;
    return fmt::format("tensor {} must have size {} or {}, but is {}.", arguments.name(tensor),
                       to_string(expected), to_string(shortest), to_string(numbers));
  });
}

inline Rules have_number_per_row(const std::vector<size_t>& tensors, size_t x, size_t gamma) {
  return of_each(tensors, [&](size_t tensor) { return has_number_per_row(tensor, x, gamma); });
}

}  // namespace aclgrad::ops
