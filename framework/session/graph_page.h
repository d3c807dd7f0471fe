// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradients.h"
#include "aclgrad/session/fetch.h"

namespace aclgrad::detail {

/// Makes a page of a graph that is run for these fetches; variables are left as they were.
using GraphPage = std::function<std::string(const Graph& graph, const Gradients& gradients,
                                            const std::vector<Fetch>& fetches,
                                            std::span<const Feed> feeds, const std::string& title)>;

/// What provide_step_pages() (viz.h) sets: what trains is not linked with pages. Empty without.
GraphPage& graph_page();

}  // namespace aclgrad::detail
