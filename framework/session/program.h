// SPDX-License-Identifier: Apache-2.0
// Program: what a session runs: part of a graph, compiled. Plain data, worked out once, before
// anything is allocated. All that a session needs to know of nodes and values is sorted here.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aclgrad/session/fetch.h"
#include "aclgrad/session/memory_report.h"
#include "graph/graph_data.h"

namespace aclgrad::detail {

/// A number of a node, a value or a block, or a position, as an index.
inline std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

enum class RunMode : std::uint8_t {
  eager,     ///< phase one in every run; every value has memory of its own
  launched,  ///< phase one once, phase two in every run
  replayed,  ///< phase two once too, while the stream is captured; `launched` where the runtime
             ///< cannot capture
  replayed_apart,  ///< the same, but every value has memory of its own
};

/// The position of what exists before the first instruction.
inline constexpr std::int32_t kBeforeFirst = -1;

/// A call of an operator. Its position is its number, from 0, in the order of running; what is read
/// after the last lives until Program::end().
struct Instruction {
  NodeId node = -1;
  bool async = false;  // on the second stream (StreamOp::is_async)

  /// The first position before which the first stream has waited for this one, which is what its
  /// memory must outlive; its own position on the first stream.
  std::int32_t joined_at = 0;
};

inline constexpr std::size_t kNoSegment = SIZE_MAX;

/// Instructions that follow each other on one stream without a wait between them.
struct Segment {
  std::size_t begin = 0;  // positions [begin, end); none for a mere wait
  std::size_t end = 0;
  bool async = false;                // on the second stream
  std::size_t awaited = kNoSegment;  // the latest segment of the other stream that must be over
  bool is_awaited = false;           // by a later segment
};

/// One piece of memory: the storage of a value, or of several that take turns in it, each
/// overwriting in place the one before.
struct ArenaBlock {
  std::size_t bytes = 0;   // a multiple of kArenaAlignment
  std::int32_t first = 0;  // positions; both ends belong to the life
  std::int32_t last = 0;
  std::size_t offset = 0;
};

struct Arena {
  std::vector<ArenaBlock> blocks;
  std::size_t bytes = 0;
  std::size_t lower_bound = 0;  // the largest sum of blocks that live at a time
};

/// Where the storage of a value lies: in block number `index` of the arena, or in variable number
/// `index`.
struct Home {
  enum class Kind : std::uint8_t { block, variable };
  Kind kind = Kind::block;
  std::size_t index = 0;

  friend auto operator<=>(const Home&, const Home&) = default;
};

struct BoundVariable {
  ValueId root;
  Variable variable;
  NodeId updated_by = -1;  // the last that updates it; -1 for none
  DType dtype = variable.dtype();
};

/// Throws ValueError: the variable was converted (Module::to) since the graph was recorded.
[[noreturn]] void refuse_converted(const BoundVariable& bound);

struct Program {
  const GraphData* graph = nullptr;  // may grow, but must live
  std::vector<ValueId> inputs;       // in the order of recording, as the next two
  std::vector<BoundVariable> variables;
  std::vector<ValueId> constants;
  std::vector<ValueId> fetched;  // read after a run
  std::vector<Instruction> instructions;
  std::vector<Segment> segments;  // in the order in which they are launched; at least one
  Arena arena;

  std::vector<Home> homes;   // by root of a value of the program
  std::vector<bool> unread;  // by root: nothing looks at it, during a run or after it

  /// The position behind the last instruction.
  std::int32_t end() const { return static_cast<std::int32_t>(instructions.size()); }
  const Node& node(std::size_t position) const { return graph->node(instructions[position].node); }

  /// Where the storage lies that a value describes.
  const Home& home_of(ValueId value) const { return homes[at(graph->value(value).root)]; }
  bool in_arena(ValueId value) const { return home_of(value).kind == Home::Kind::block; }
  /// Of a value in the arena, and of one in a variable.
  const ArenaBlock& block_of(ValueId value) const { return arena.blocks[home_of(value).index]; }
  std::size_t variable_of(ValueId value) const { return home_of(value).index; }
  bool has_two_streams() const { return segments.size() > 1; }
};

/// Whether values that never live at the same time share memory.
inline bool reuses_memory(RunMode mode) {
  return mode == RunMode::launched || mode == RunMode::replayed;
}

/// Compiles what some fetches need. Linear in the size of the graph, but for the arena (n log n).
/// Throws ValueError when nothing is fetched, for a value of another graph, and for one that a node
/// needed here overwrites.
Program compile(const Graph& graph, const std::vector<Fetch>& fetches, RunMode mode);

/// Moves async instructions to right behind the last one that each needs, and partitions all
/// instructions between two streams. Operators run on the first, in order. What is async runs on
/// the second, also in order; the first waits for it where it needs its outputs, or is about to
/// overwrite a variable that it reads. Without `two_streams` nothing is async.
void partition_streams(Program& program, bool two_streams);

/// Of every block's address; what vector instructions like.
inline constexpr std::size_t kArenaAlignment = 64;

/// Sets the blocks' offsets, of a program that ends at this position. n log n in the number of
/// blocks, with an additional search of bounded effort for few. The same for the same blocks.
void place_blocks(Arena& arena, std::int32_t end);

/// Bytes alive at every position from kBeforeFirst to `end`, at index position + 1.
std::vector<std::size_t> live_bytes(const std::vector<ArenaBlock>& blocks, std::int32_t end);

/// What lies where when.
MemoryReport report_memory(const Program& program, std::size_t workspace_bytes);

/// Calls see(root, position) for every value with memory in the arena, in the order of running.
template <typename See>
void for_each_root(const Program& program, See&& see) {
  for (const auto* sources : {&program.inputs, &program.constants}) {
    for (const ValueId source : *sources) see(source, kBeforeFirst);
  }
  for (std::size_t position = 0; position < program.instructions.size(); ++position) {
    for (const ValueId output : program.node(position).outputs) {
      if (program.graph->value(output).root == output) see(output, static_cast<int>(position));
    }
  }
}

}  // namespace aclgrad::detail
