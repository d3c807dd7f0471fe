// SPDX-License-Identifier: Apache-2.0
// What a backward pass computes again (aclgrad/graph/checkpointed.h).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/checkpointed.h"

namespace aclgrad::detail {

/// Goes through a graph with a backward pass, from the last node to the first. Nodes that are
/// recorded again belong to Pass::backward and to the line of the first ones. Those that nothing
/// reads are run by no session.
class Recomputation {
 public:
  /// Of what the graph has so far.
  explicit Recomputation(const Graph& graph);

  /// To be told every node before it is differentiated: records what is to be computed again where
  /// this is the last node of it.
  void reach(const Node& node);

  /// What stands for the values of a node that was reached.
  std::vector<Value> values(std::span<const ValueId> ids) const;

 private:
  /// Nodes that are computed again, and what stands for what they make.
  struct Region {
    RecomputedNodes nodes;
    std::unordered_map<ValueId, Value> again;
  };

  Value value(ValueId id) const;
  void record(const Node& node);
  void record_view(const Node& node, std::vector<Value> inputs);
  void record_call(const Node& node, std::vector<Value> inputs);
  bool is_stale(Value value) const;
  bool is_kept(const Node& node) const;

  const Graph& graph_;
  std::vector<RecomputedNodes> ahead_;  // by their ends; the outer one of two behind the other
  std::vector<Region> open_;            // the node reached is in all of them; inner ones last
};

}  // namespace aclgrad::detail
