// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session/memory_report.h"

#include <algorithm>

#include "session/program.h"

namespace aclgrad::detail {

MemoryReport report_memory(const Program& program, std::size_t workspace_bytes) {
  const GraphData& graph = *program.graph;
  const Arena& arena = program.arena;
  MemoryReport report;
  report.arena_bytes = arena.bytes;
  report.lower_bound = arena.lower_bound;
  report.workspace_bytes = workspace_bytes;
  for (const BoundVariable& bound : program.variables) {
    report.variable_bytes += graph.value(bound.root).layout->bytes();
  }
  report.nodes = program.end();
  report.live = live_bytes(arena.blocks, report.nodes);
  std::vector<std::int32_t> occupants(arena.blocks.size(), -1);  // positions in the intervals
  for_each_root(program, [&](ValueId root, std::int32_t position) {
    const std::size_t number = program.home_of(root).index;
    const ArenaBlock& block = program.block_of(root);
    const bool in_place = occupants[number] >= 0;
    // The one before died when this was made.
    if (in_place) report.intervals[at(occupants[number])].last = position - 1;
    occupants[number] = static_cast<std::int32_t>(report.intervals.size());
    const std::size_t bytes = graph.value(root).layout->bytes();
    report.sum_of_values += bytes;
    report.intervals.push_back({.value = root,
                                .name = graph.description(root),
                                .offset = block.offset,
                                .bytes = bytes,
                                .first = in_place ? position : block.first,
                                .last = block.last,
                                .pass = graph.node(graph.value(root).node).pass,
                                .in_place = in_place});
  });
  std::ranges::sort(report.intervals, {}, &MemoryReport::Interval::value);
  return report;
}

}  // namespace aclgrad::detail
