// SPDX-License-Identifier: Apache-2.0
// Drawing a graph with Graphviz: write to_dot(graph) to a file and run "dot -Tsvg".
#pragma once

#include <string>

#include "aclgrad/graph.h"

namespace aclgrad {

/// The graph in the DOT language: a box for every node, with the aclnn call behind it, coloured by
/// pass (forward blue, backward orange, update green; inputs, variables and constants are
/// ellipses, views dashed), an arrow with dtype and shape for every use of a value.
std::string to_dot(const Graph& graph);

}  // namespace aclgrad
