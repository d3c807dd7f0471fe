// SPDX-License-Identifier: Apache-2.0
// Exact numbers, for references and checks.
#pragma once

#include <cstdint>
#include <vector>

namespace aclgrad::contract {

using Number = long double;
using Shape = std::vector<int64_t>;

// A dense tensor of exact numbers, row-major.
struct Array {
  Shape shape = {};
  std::vector<Number> values = {};
};
using Arrays = std::vector<Array>;

// Product of the extents.
inline int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

}  // namespace aclgrad::contract
