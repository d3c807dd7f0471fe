// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "session/program.h"

namespace aclgrad::detail {
namespace {

// The values that some fetches run for.
std::vector<ValueId> wanted_values(const Graph& graph, const std::vector<Fetch>& fetches,
                                   std::vector<ValueId>& read) {
  std::vector<ValueId> wanted;
  for (const Fetch& fetch : fetches) {
    for (const Value& value : fetch.values()) {
      if (!(value.graph() == graph)) {
        throw ValueError(
            fmt::format("cannot fetch {}: it belongs to another graph than the "
                        "session's",
                        value.description()));
      }
      wanted.push_back(value.id());
      if (fetch.readable()) read.push_back(value.id());
    }
  }
  if (wanted.empty()) throw ValueError("a session needs something to fetch");
  return wanted;
}

// Sorts the nodes that some values depend on by what they are. Nodes come after everything that
// they use, so one walk from the end meets them all.
void classify(Program& program, const std::vector<ValueId>& values) {
  const GraphData& graph = *program.graph;
  std::vector<bool> needed(graph.nodes.size(), false);
  NodeId id = -1;
  for (const ValueId value : values) {
    needed[at(graph.value(value).node)] = true;
    id = std::max(id, graph.value(value).node);
  }
  for (; id >= 0; --id) {
    if (!needed[at(id)]) continue;
    const Node& node = graph.node(id);
    for (const ValueId input : node.inputs) needed[at(graph.value(input).node)] = true;
    switch (node.op->kind()) {
      case OpKind::input:
        program.inputs.push_back(node.outputs.front());
        break;
      case OpKind::variable:
        program.variables.push_back(
            {node.outputs.front(), static_cast<const VariableOp&>(*node.op).variable});
        break;
      case OpKind::constant:
        program.constants.push_back(node.outputs.front());
        break;
      case OpKind::view:
        break;
      case OpKind::aclnn:
        program.instructions.push_back({id});
        break;
      case OpKind::stream:
        program.instructions.push_back({id, static_cast<const StreamOp&>(*node.op).is_async()});
        break;
    }
  }
  std::ranges::reverse(program.inputs);
  std::ranges::reverse(program.variables);
  std::ranges::reverse(program.constants);
  std::ranges::reverse(program.instructions);
}

// When each value needs memory, which values take turns in a block, and who updates variables.
class Lifetimes {
 public:
  // Without reuse every value has memory of its own for the whole run.
  Lifetimes(Program& program, bool reuse)
      : program_(program),
        graph_(*program.graph),
        reuse_(reuse),
        uses_(graph_.values.size(), kUnused) {}

  void find() {
    program_.homes.resize(graph_.values.size());
    program_.unread.assign(graph_.values.size(), true);
    for (std::size_t i = 0; i < program_.variables.size(); ++i) {
      program_.homes[at(program_.variables[i].root)] = {Home::Kind::variable, i};
    }
    for (const Instruction& instruction : program_.instructions) {
      const Node& node = graph_.node(instruction.node);
      for (const ValueId input : node.inputs) read(input, instruction.joined_at);
      for (const ValueId output : node.outputs) {
        use(output, instruction.joined_at);  // on the second stream it may be written for a while
        if (program_.in_arena(output)) continue;
        program_.variables[program_.variable_of(output)].updated_by = instruction.node;
      }
    }
    for (const ValueId value : program_.fetched) read(value, program_.end());
    for (const ValueId constant : program_.constants) use(constant, program_.end());
    for_each_root(program_, [&](ValueId root, std::int32_t position) {
      const std::optional<std::size_t> block = overwritten(root, position);
      if (!block) return add_block(root, position);
      program_.homes[at(root)].index = *block;
      blocks()[*block].last = uses_[at(root)];
    });
  }

 private:
  static constexpr std::int32_t kUnused = kBeforeFirst - 1;

  std::vector<ArenaBlock>& blocks() { return program_.arena.blocks; }

  void use(ValueId value, std::int32_t position) {
    std::int32_t& last = uses_[at(graph_.value(value).root)];
    last = std::max(last, position);
  }

  void read(ValueId value, std::int32_t position) {
    use(value, position);
    program_.unread[at(graph_.value(value).root)] = false;
  }

  void add_block(ValueId root, std::int32_t position) {
    const std::size_t bytes = graph_.value(root).layout->bytes();
    program_.homes[at(root)].index = blocks().size();
    blocks().push_back({.bytes = (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment,
                        .first = reuse_ ? position : kBeforeFirst,
                        .last = reuse_ ? std::max(uses_[at(root)], position) : program_.end()});
  }

  // Whether element i of the output and element i of the input would share an address, if the two
  // shared a block, and the operator allows that.
  bool fits(const Node& node, std::size_t output, std::size_t input) const {
    const TensorSpec& from = graph_.value(node.inputs[input]).layout->spec;
    const TensorSpec& to = graph_.value(node.outputs[output]).layout->spec;
    return graph_.is_whole(node.inputs[input]) && from.dtype == to.dtype &&
           from.shape == to.shape && as_call(node)->may_overwrite(output, input);
  }

  // The block of an input that dies at this position and that the output may have. A node may have
  // thousands of inputs and outputs: none of them is looked at for each of the others.
  std::optional<std::size_t> overwritten(ValueId output, std::int32_t position) {
    if (!reuse_ || position == kBeforeFirst) return std::nullopt;
    const Node& node = program_.node(at(position));
    if (dying_at_ != position) find_dying(node, position);
    const auto output_index = at(output - node.outputs.front());  // outputs are numbered in a row
    while (free_ < dying_.size() && dying_[free_].is_taken) ++free_;
    for (std::size_t i = free_; i < dying_.size(); ++i) {
      if (dying_[i].is_taken || !all_fit(node, output_index, i)) continue;
      dying_[i].is_taken = true;
      return dying_[i].block;
    }
    return std::nullopt;
  }

  // One memory may be read through several inputs.
  bool all_fit(const Node& node, std::size_t output, std::size_t dying) const {
    for (std::size_t i = dying; i != kLast; i = dying_[i].next) {
      if (!fits(node, output, dying_[i].input)) return false;
    }
    return true;
  }

  void find_dying(const Node& node, std::int32_t position) {
    dying_.clear();
    dying_at_ = position;
    free_ = 0;
    latest_.resize(blocks().size());
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (!program_.in_arena(node.inputs[k])) continue;
      const std::size_t block = program_.home_of(node.inputs[k]).index;
      if (blocks()[block].last != position) continue;
      std::size_t& latest = latest_[block];  // what an earlier node left there is no entry of it
      const bool is_again = latest < dying_.size() && dying_[latest].block == block;
      if (is_again) dying_[latest].next = dying_.size();
      latest = dying_.size();
      dying_.push_back({.input = k, .block = block, .is_taken = is_again});
    }
  }

  Program& program_;
  const GraphData& graph_;
  bool reuse_;
  std::vector<std::int32_t> uses_;  // by root: the last position that needs it

  // Of one node: inputs whose memory an output may have. Those of one block are linked, and only
  // the first of them stands for it.
  static constexpr std::size_t kLast = SIZE_MAX;
  struct Dying {
    std::size_t input;
    std::size_t block;
    bool is_taken;
    std::size_t next = kLast;
  };
  std::vector<Dying> dying_;
  std::int32_t dying_at_ = kBeforeFirst;
  std::size_t free_ = 0;             // none before it is free
  std::vector<std::size_t> latest_;  // by block: the entry that was made of it last
};

// A variable fetched as it was before an update is lost.
void check_fetched(const Program& program) {
  const GraphData& graph = *program.graph;
  for (const ValueId wanted : program.fetched) {
    if (program.in_arena(wanted)) continue;
    const NodeId maker = graph.value(wanted).node;
    const NodeId update = program.variables[program.variable_of(wanted)].updated_by;
    if (update <= maker) continue;
    throw ValueError(fmt::format("cannot fetch {} as {} left it: {} overwrites it in the same run",
                                 graph.description(wanted), label(graph.node(maker)),
                                 label(graph.node(update))));
  }
}

}  // namespace

void refuse_converted(const BoundVariable& bound) {
  throw ValueError(
      fmt::format("parameter `{}` was converted to {} (to()) since the graph was recorded: record "
                  "and plan anew, with a new Trainer or Session",
                  bound.variable.name(), bound.variable.dtype()));
}

Program compile(const Graph& graph, const std::vector<Fetch>& fetches, RunMode mode) {
  Program program;
  program.graph = &GraphAccess::data(graph);
  classify(program, wanted_values(graph, fetches, program.fetched));
  partition_streams(program, mode != RunMode::eager);
  Lifetimes(program, reuses_memory(mode)).find();
  check_fetched(program);
  place_blocks(program.arena, program.end());
  return program;
}

}  // namespace aclgrad::detail
