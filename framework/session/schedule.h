// SPDX-License-Identifier: Apache-2.0
// Which nodes of a graph have to run for some values.
#ifndef ACLGRAD_FRAMEWORK_SESSION_SCHEDULE_H_
#define ACLGRAD_FRAMEWORK_SESSION_SCHEDULE_H_

#include <vector>

#include "graph/graph_data.h"

namespace aclgrad::detail {

/// The nodes that the values depend on, sources and views included, in the order of recording.
/// Linear in the size of the graph; no recursion.
std::vector<NodeId> needed_nodes(const GraphData& graph, const std::vector<ValueId>& values);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_SCHEDULE_H_
