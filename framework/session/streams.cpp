// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "session/program.h"

namespace aclgrad::detail {
namespace {

// Only async instructions move. What they need is what the last one before them left in its
// storage.
void schedule_early(Program& program) {
  const GraphData& graph = *program.graph;
  std::vector<Instruction>& instructions = program.instructions;
  std::vector<std::size_t> made(graph.values.size(), 0);  // by root: after so many instructions
  std::vector<std::vector<Instruction>> behind(instructions.size() + 1);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Node& node = graph.node(instructions[i].node);
    std::size_t place = i + 1;
    if (instructions[i].async) {
      place = 0;
      for (const ValueId input : node.inputs) {
        place = std::max(place, made[at(graph.value(input).root)]);
      }
      behind[place].push_back(instructions[i]);
    }
    for (const ValueId output : node.outputs) {
      made[at(graph.value(output).root)] = place;
    }
  }
  std::vector<Instruction> order = behind.front();
  order.reserve(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (!instructions[i].async) order.push_back(instructions[i]);
    order.insert(order.end(), behind[i + 1].begin(), behind[i + 1].end());
  }
  instructions = std::move(order);
}

class Partitioner {
 public:
  explicit Partitioner(Program& program) : program_(program) {}

  void run() {
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      Instruction& instruction = program_.instructions[i];
      instruction.joined_at = static_cast<std::int32_t>(i);
      if (instruction.async) {
        add_async(i);
      } else {
        add_first(i);
      }
    }
    // Nothing may be under way when the run ends.
    if (last_async_ > joined_) await(last_async_, program_.instructions.size());
    if (segments().empty()) segments().push_back({});
  }

 private:
  // Segments of the second stream by the root of what they make or read. A segment is counted here
  // from 1, so that 0 says that there is none.
  using ByRoot = std::unordered_map<ValueId, std::size_t>;

  std::vector<Segment>& segments() { return program_.segments; }
  ValueId root(ValueId value) const { return program_.graph->value(value).root; }

  void add_async(std::size_t position) {
    if (segments().empty() || !segments().back().async) {
      Segment segment{.begin = position, .async = true};
      if (!segments().empty()) {
        segment.awaited = segments().size() - 1;
        segments().back().is_awaited = true;
      }
      segments().push_back(segment);
    }
    segments().back().end = position + 1;
    last_async_ = segments().size();
    for (const ValueId input : program_.node(position).inputs) readers_[root(input)] = last_async_;
    for (const ValueId output : program_.node(position).outputs)
      makers_[root(output)] = last_async_;
  }

  void add_first(std::size_t position) {
    std::size_t needed = 0;
    const auto need = [&](const ByRoot& segments_by_root, ValueId value) {
      if (const auto it = segments_by_root.find(root(value)); it != segments_by_root.end()) {
        needed = std::max(needed, it->second);
      }
    };
    if (last_async_ > 0) {
      for (const ValueId input : program_.node(position).inputs) need(makers_, input);
      for (const ValueId output : program_.node(position).outputs) {
        if (root(output) != output) need(readers_, output);  // an updated variable
      }
    }
    if (needed > joined_) {
      await(needed, position);
    } else if (segments().empty() || segments().back().async) {
      segments().push_back({.begin = position});
    }
    segments().back().end = position + 1;
  }

  // Begins a segment of the first stream that waits for one of the second, and so for those before.
  void await(std::size_t segment, std::size_t position) {
    for (; joined_ < segment; ++joined_) {
      if (!segments()[joined_].async) continue;
      for (std::size_t i = segments()[joined_].begin; i < segments()[joined_].end; ++i) {
        program_.instructions[i].joined_at = static_cast<std::int32_t>(position);
      }
    }
    segments()[segment - 1].is_awaited = true;
    segments().push_back({.begin = position, .end = position, .awaited = segment - 1});
  }

  Program& program_;
  std::size_t last_async_ = 0;
  std::size_t joined_ = 0;  // so many segments the first stream has waited for, or they are its own
  ByRoot makers_;
  ByRoot readers_;
};

}  // namespace

void partition_streams(Program& program, bool two_streams) {
  if (std::ranges::any_of(program.instructions, &Instruction::async)) schedule_early(program);
  if (!two_streams) {
    for (Instruction& instruction : program.instructions) instruction.async = false;
  }
  Partitioner(program).run();
}

}  // namespace aclgrad::detail
