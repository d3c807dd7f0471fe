// SPDX-License-Identifier: Apache-2.0
#include "session/schedule.h"

#include <algorithm>

namespace aclgrad::detail {

std::vector<NodeId> needed_nodes(const GraphData& graph, const std::vector<ValueId>& values) {
  // Nodes come after everything they use, so one sweep from the end finds all that is needed.
  std::vector<bool> needed(graph.nodes.size(), false);
  NodeId last = -1;
  for (const ValueId value : values) {
    const NodeId id = graph.value(value).node;
    needed[static_cast<std::size_t>(id)] = true;
    last = std::max(last, id);
  }
  std::vector<NodeId> order;
  for (NodeId id = last; id >= 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    order.push_back(id);
    for (const ValueId input : graph.node(id).inputs) {
      needed[static_cast<std::size_t>(graph.value(input).node)] = true;
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace aclgrad::detail
