// SPDX-License-Identifier: Apache-2.0
#include "session/lifetimes.h"

#include <algorithm>

namespace aclgrad::detail {
namespace {

std::size_t rounded(std::size_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

class Finder {
 public:
  Finder(const GraphData& graph, std::int32_t steps)
      : graph_(graph), uses_(graph.values.size(), kUnused) {
    found_.block_of.assign(graph.values.size(), kNoBlock);
    found_.steps = steps;
  }

  // Also of what a step writes on the second stream, where it may go on for a while.
  void use(ValueId value, std::int32_t step) {
    std::int32_t& last = uses_[at(graph_.value(value).root)];
    last = std::max(last, step);
  }

  // What exists before the run, or through it.
  void add_source(ValueId value, bool constant) {
    add_block(value, {rounded(bytes(value)), -1, constant ? found_.steps : last_use(value, -1)});
  }

  void add_outputs(const Node& node, const CallOp& op, std::int32_t step, bool in_place) {
    taken_.clear();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = node.outputs[i];
      if (graph_.value(output).root != output) continue;  // an updated variable
      const std::int32_t block = in_place ? overwritten(node, op, i, step) : kNoBlock;
      if (block == kNoBlock) {
        add_block(output, {rounded(bytes(output)), step, last_use(output, step)});
        continue;
      }
      found_.block_of[at(output)] = block;
      found_.blocks[at(block)].last = last_use(output, step);
      taken_.push_back(block);
    }
  }

  Lifetimes take() { return std::move(found_); }

 private:
  static constexpr std::int32_t kUnused = -2;
  static std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

  std::size_t bytes(ValueId value) const { return graph_.value(value).layout->bytes(); }

  // Whatever nobody reads lives while it is made.
  std::int32_t last_use(ValueId root, std::int32_t made) const {
    return std::max(uses_[at(root)], made);
  }

  void add_block(ValueId root, const Block& block) {
    found_.block_of[at(root)] = static_cast<std::int32_t>(found_.blocks.size());
    found_.blocks.push_back(block);
  }

  std::int32_t block_of(ValueId value) const {
    return found_.block_of[at(graph_.value(value).root)];
  }

  // Whether element i of the output and element i of the input would share an address, if the two
  // shared a block, and the operator allows that.
  bool fits(const Node& node, const CallOp& op, std::size_t output, std::size_t input) const {
    const ValueRecord& from = graph_.value(node.inputs[input]);
    const Layout& to = *graph_.value(node.outputs[output]).layout;
    return graph_.is_whole(node.inputs[input]) && from.layout->spec.dtype == to.spec.dtype &&
           from.layout->spec.shape == to.spec.shape && op.may_overwrite(output, input);
  }

  // The block of an input that dies here and that the output may have.
  std::int32_t overwritten(const Node& node, const CallOp& op, std::size_t output,
                           std::int32_t step) const {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::int32_t block = block_of(node.inputs[i]);
      if (block == kNoBlock || found_.blocks[at(block)].last != step) continue;
      if (std::find(taken_.begin(), taken_.end(), block) != taken_.end()) continue;
      bool all_fit = true;  // the same memory may be read through several inputs
      for (std::size_t k = 0; k < node.inputs.size() && all_fit; ++k) {
        all_fit = block_of(node.inputs[k]) != block || fits(node, op, output, k);
      }
      if (all_fit) return block;
    }
    return kNoBlock;
  }

  const GraphData& graph_;
  std::vector<std::int32_t> uses_;  // by root: the last step that reads it
  Lifetimes found_;
  std::vector<std::int32_t> taken_;  // blocks that outputs of the present node got from its inputs
};

}  // namespace

Lifetimes find_lifetimes(const GraphData& graph, const std::vector<NodeId>& nodes,
                         const std::vector<ValueId>& kept, const std::vector<std::int32_t>& over,
                         bool reuse) {
  const auto steps = static_cast<std::int32_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](NodeId id) { return as_call(graph.node(id)) != nullptr; }));
  Finder finder(graph, steps);
  std::int32_t step = 0;
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (as_call(node) == nullptr) continue;
    const std::int32_t end = over.empty() ? step : over[static_cast<std::size_t>(step)];
    for (const ValueId input : node.inputs) finder.use(input, end);
    if (end != step) {
      for (const ValueId output : node.outputs) finder.use(output, end);
    }
    ++step;
  }
  for (const ValueId value : kept) finder.use(value, steps);
  if (!reuse) {
    for (const NodeId id : nodes) {
      for (const ValueId output : graph.node(id).outputs) finder.use(output, steps);
    }
  }
  step = 0;
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (const CallOp* op = as_call(node)) {
      finder.add_outputs(node, *op, step++, reuse);
    } else if (node.inputs.empty() && graph.storage_variable(node.outputs.front()) == nullptr) {
      finder.add_source(node.outputs.front(),
                        !reuse || dynamic_cast<const ConstantOp*>(node.op.get()) != nullptr);
    }
  }
  Lifetimes found = finder.take();
  if (!reuse) {
    for (Block& block : found.blocks) block.first = -1;
  }
  return found;
}

}  // namespace aclgrad::detail
