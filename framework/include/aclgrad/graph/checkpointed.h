// SPDX-License-Identifier: Apache-2.0
// Recomputation of activations (gradient checkpointing, Chen et al. 2016): what a block computes on
// its way is not kept for backward, but computed again there, so that a deep network trains in less
// memory for about one more forward. Of PyTorch it is torch.utils.checkpoint.
//
//   Sequential net(checkpointed(TransformerBlock("0", 64, 4, 172)),
//                  checkpointed(TransformerBlock("1", 64, 4, 172)), Linear("out", 64, 10));
//
// or where a block is called, which leaves the type of a member as it is:
//
//   Value operator()(const Value& x) const { return
//   out(checkpointed(second)(checkpointed(first)(x))); }
//
// Loss, gradients and all that a step updates have the bits that they have without it: the second
// pass has the random masks of the first, and batch normalization counts a batch once.
// Session::memory_report() says what it saves; docs/how-to/train.md has figures.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

/// Nodes [begin, end) of a graph that backward() computes again.
struct RecomputedNodes {
  NodeId begin = 0;
  NodeId end = 0;
};

/// All of a graph, those within others before them.
std::vector<RecomputedNodes> recomputed_nodes(const Graph& graph);

/// The nodes that are recorded while it lives are RecomputedNodes. Scopes nest: what an inner one
/// records is not kept while the outer one's are there again. For what is no call of a block.
class RecomputeScope {
 public:
  /// The graph of x; none for an empty Value, which the operator refuses that is called with it.
  explicit RecomputeScope(const Value& x);
  ~RecomputeScope();
  RecomputeScope(const RecomputeScope&) = delete;
  RecomputeScope& operator=(const RecomputeScope&) = delete;

 private:
  std::optional<Graph> graph_;
  NodeId begin_ = 0;
};

/// A block, with its members and, for a module, its name and variables, whose call is within a
/// RecomputeScope. Its first argument is a Value; what it may return is what the block returns.
///
/// What is kept are the tensors that go into the block and come out of it; and what a node has made
/// of a variable that was updated since, as the masks, a bit an element, of a Dropout that is
/// called several times. backward() throws ValueError, naming the node, for one within that updates
/// a variable and has no form that does not; only batch normalization and dropout do so of the
/// layers, and have one.
template <class Block>
class Checkpointed : public Block {
 public:
  explicit Checkpointed(Block block) : Block(std::move(block)) {}

  template <class... Others>
  auto operator()(Operand x, const Others&... others) const {
    const RecomputeScope scope(x);
    return Block::operator()(x, others...);
  }
};

/// A module, another layer, or a function of Values.
template <class Block>
auto checkpointed(Block block) {
  if constexpr (std::is_class_v<Block> && !std::is_final_v<Block>) {
    return Checkpointed<Block>(std::move(block));
  } else {
    return checkpointed(
        [call = std::move(block)](const auto&... inputs) { return call(inputs...); });
  }
}

}  // namespace aclgrad
