// SPDX-License-Identifier: Apache-2.0
#include "engine/dependents.h"

#include <algorithm>

#include "aclgrad/ops/shape.h"

namespace aclgrad::detail {

std::unordered_set<ValueId> dependents(const Graph& graph, const std::vector<Value>& values,
                                       NodeId last) {
  std::unordered_set<ValueId> found;
  for (const Value& value : values) found.insert(value.id());
  for (NodeId id = 0; id <= last; ++id) {
    const Node& node = graph.node(id);
    const bool any =
        std::ranges::any_of(node.inputs, [&](ValueId input) { return found.contains(input); });
    if (!any || dynamic_cast<const StopGradientOp*>(node.op.get()) != nullptr) continue;
    for (const ValueId output : node.outputs) {
      if (is_floating(graph.value(output).dtype())) found.insert(output);
    }
  }
  return found;
}

}  // namespace aclgrad::detail
