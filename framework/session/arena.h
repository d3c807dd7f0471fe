// SPDX-License-Identifier: Apache-2.0
// Where blocks lie in one piece of memory, so that no two that live at the same time overlap and
// the whole is small. To find the smallest is NP-hard; several cheap ways are tried and the best is
// taken, and for small plans an improving search as well. Where there is room under the largest sum
// of blocks, memory rests for some steps before it is used again.
#ifndef ACLGRAD_FRAMEWORK_SESSION_ARENA_H_
#define ACLGRAD_FRAMEWORK_SESSION_ARENA_H_

#include <cstddef>
#include <vector>

#include "session/lifetimes.h"

namespace aclgrad::detail {

struct ArenaLayout {
  std::vector<std::size_t> offsets;  // by block
  std::size_t bytes = 0;
  std::size_t lower_bound = 0;  // the largest sum of blocks that live at one step
};

/// The layout of all blocks, of a plan with this many steps. n log n in their number, with an
/// additional search of bounded effort for few blocks. The same for the same blocks.
ArenaLayout place_blocks(const std::vector<Block>& blocks, std::int32_t steps);

/// Bytes alive at every step from -1 to `steps`, at index step + 1.
std::vector<std::size_t> live_bytes(const std::vector<Block>& blocks, std::int32_t steps);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_ARENA_H_
