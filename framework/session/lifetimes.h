// SPDX-License-Identifier: Apache-2.0
// When each value of a plan needs memory. Steps are the operator calls of the plan, numbered from
// 0; what exists before the first has step -1, what is read after the last lives until the number
// of steps.
#ifndef ACLGRAD_FRAMEWORK_SESSION_LIFETIMES_H_
#define ACLGRAD_FRAMEWORK_SESSION_LIFETIMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/graph_data.h"

namespace aclgrad::detail {

/// One piece of memory: the storage of a value, or of several that take turns in it, each
/// overwriting in place the one before.
struct Block {
  std::size_t bytes = 0;   // a multiple of kArenaAlignment
  std::int32_t first = 0;  // both ends belong to the life
  std::int32_t last = 0;
};

/// Of every block's address; what vector instructions like.
inline constexpr std::size_t kArenaAlignment = 64;

inline constexpr std::int32_t kNoBlock = -1;

struct Lifetimes {
  std::vector<Block> blocks;
  std::vector<std::int32_t> block_of;  // by value; only of roots, kNoBlock for all others
  std::int32_t steps = 0;
};

/// `nodes` in the order of running; `kept` are values that are read after the run; `over` is
/// StreamPartition::over. Without `reuse` every value has memory of its own for the whole run.
/// Linear.
Lifetimes find_lifetimes(const GraphData& graph, const std::vector<NodeId>& nodes,
                         const std::vector<ValueId>& kept, const std::vector<std::int32_t>& over,
                         bool reuse);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_LIFETIMES_H_
