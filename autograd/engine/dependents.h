// SPDX-License-Identifier: Apache-2.0
// What gradients can pass on their way back.
#pragma once

#include <unordered_set>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad::detail {

/// These values, and the floating ones that a change of them can reach by nodes up to `last`, but
/// for what lies behind a stop_gradient().
std::unordered_set<ValueId> dependents(const Graph& graph, const std::vector<Value>& values,
                                       NodeId last);

}  // namespace aclgrad::detail
