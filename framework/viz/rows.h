// SPDX-License-Identifier: Apache-2.0
// The first half of the layout: which row every block stands in, and where within its lane.
#ifndef ACLGRAD_FRAMEWORK_VIZ_ROWS_H_
#define ACLGRAD_FRAMEWORK_VIZ_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "viz/layout.h"

namespace aclgrad::viz {

/// A row for every block, the uppermost 0.
std::vector<std::int32_t> rows_of(std::span<const Block> blocks);

/// A place in a row: a block, or a point where a line within the lane passes by.
struct Item {
  std::size_t lane = 0;
  std::int32_t row = 0;
  bool passes = false;
  double centre = 0;  ///< within the lane
};

/// A line within a lane: the items from its source to its reader.
struct Chain {
  std::size_t from = 0;
  std::size_t to = 0;
  std::vector<std::size_t> items;
};

struct Placement {
  std::vector<std::int32_t> rows;  ///< of the blocks
  std::int32_t row_count = 0;
  std::vector<Item> items;  ///< the blocks first
  std::vector<Chain> chains;
  std::array<double, kLanes> lane_widths = {};
};

/// Orders the items of each row so that few lines cross, and moves them close to their neighbours.
Placement place(std::span<const Block> blocks);

}  // namespace aclgrad::viz

#endif  // ACLGRAD_FRAMEWORK_VIZ_ROWS_H_
