// SPDX-License-Identifier: Apache-2.0
// What was added to a VizPage, and the parts that its HTML is made of.
#ifndef ACLGRAD_FRAMEWORK_VIZ_GRAPH_VIEW_H_
#define ACLGRAD_FRAMEWORK_VIZ_GRAPH_VIEW_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "aclgrad/viz.h"

namespace aclgrad::viz {

struct GraphView {
  Graph graph;
  VizOptions options = {};
  std::map<ValueId, nlohmann::json> tensors = {};         // what summary_of() made of them
  std::vector<NodeId> order = {};                         // shown operators in the order of running
  std::unordered_map<ValueId, ValueId> gradient_of = {};  // a value to its gradient
  std::optional<Profile> profile = {};
  std::optional<MemoryReport> memory = {};

  /// How many of the graph's nodes are shown.
  std::size_t shown() const;

  /// For each shown node how many operators must have run before it is done: 0 for sources; -1 for
  /// nodes that did not run.
  std::vector<std::int32_t> steps() const;
};

/// For the page: range, mean and counts over all elements, and as many of the elements as `edge`
/// allows.
nlohmann::json summary_of(const Tensor& tensor, std::int64_t edge);

/// All that the page's script needs.
nlohmann::json page_data(const GraphView& view);

/// The module whose call recorded each shown node, "blocks.0.norm", by the variables that are read;
/// "" for none.
std::vector<std::string> modules_of(const GraphView& view);

/// The tables and pictures below the graph; "" without a profile or memory report.
std::string times_markup(const GraphView& view);
std::string memory_markup(const GraphView& view);

}  // namespace aclgrad::viz

#endif  // ACLGRAD_FRAMEWORK_VIZ_GRAPH_VIEW_H_
