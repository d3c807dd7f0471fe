// SPDX-License-Identifier: Apache-2.0
// Do all ranks mean the same?
#pragma once

#include <string>
#include <vector>

#include "aclgrad/distributed/communicator.h"
#include "aclgrad/gradients.h"
#include "aclgrad/graph.h"

namespace aclgrad::detail {

/// Throws ValueError on all ranks, with the same message, unless all call it with the same lines.
/// The message has the first line in which some rank differs from rank 0.
void require_agreement(const Communicator& communicator, const std::vector<std::string>& lines);

/// What data-parallel training begins with: requires that all ranks have gradients of the same
/// values, have recorded the same graph where `same_graph` says so, and mean the same by `options`;
/// then gives all of them rank 0's values of the variables that the gradients are for. Nothing in a
/// group of one.
void start_training(const Communicator& communicator, const Graph& graph,
                    const Gradients& gradients, const std::string& options, bool same_graph);

}  // namespace aclgrad::detail
