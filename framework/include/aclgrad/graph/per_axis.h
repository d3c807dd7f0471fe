// SPDX-License-Identifier: Apache-2.0
// A number for each spatial axis of an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace aclgrad {

/// A number for each spatial axis, or one for all of them: `2`, `{2, 1}`.
struct PerAxis {
  PerAxis(std::int64_t all) : values{all} {}
  PerAxis(std::initializer_list<std::int64_t> each) : values(each) {}
  PerAxis(std::vector<std::int64_t> each) : values(std::move(each)) {}

  /// One for each of so many axes; those that were given, where they are as many or none.
  std::vector<std::int64_t> over(std::size_t axes) const {
    return values.size() == 1 ? std::vector<std::int64_t>(axes, values[0]) : values;
  }

  std::vector<std::int64_t> values;
};

}  // namespace aclgrad
