// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/graph/checkpointed.h"

#include "graph/graph_data.h"

namespace aclgrad {

std::vector<RecomputedNodes> recomputed_nodes(const Graph& graph) {
  return detail::GraphAccess::data(graph).recomputed;
}

RecomputeScope::RecomputeScope(const Value& x) {
  if (!x) return;
  graph_.emplace(x.graph());
  begin_ = static_cast<NodeId>(graph_->size());
}

RecomputeScope::~RecomputeScope() {
  if (!graph_) return;
  const auto end = static_cast<NodeId>(graph_->size());
  if (end > begin_) detail::GraphAccess::record(*graph_).recomputed.push_back({begin_, end});
}

}  // namespace aclgrad
