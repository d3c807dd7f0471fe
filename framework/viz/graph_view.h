// SPDX-License-Identifier: Apache-2.0
// What was added to a VizPage, and the parts that its HTML is made of.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "aclgrad/viz.h"

namespace aclgrad::viz {

/// All elements of a tensor, as base64 of float32, or of float64 where they are wide.
struct Elements {
  std::int64_t count;
  bool wide;
  std::string text;
};

struct GraphView {
  Graph graph;
  VizOptions options = {};
  std::map<ValueId, nlohmann::json> tensors = {};         // range, mean, the corner's elements
  std::map<ValueId, Elements> elements = {};              // of those that are more than the corner
  std::vector<NodeId> order = {};                         // shown operators in the order of running
  std::unordered_map<ValueId, ValueId> gradient_of = {};  // a value to its gradient
  std::optional<Profile> profile = {};
  std::optional<MemoryReport> memory = {};

  /// Sets what is known of a value, of its elements as many as the options allow.
  void keep(ValueId value, const Tensor& tensor);

  /// How many of the graph's nodes are shown.
  std::size_t shown() const;

  /// For each shown node how many operators must have run before it is done: 0 for sources; -1 for
  /// nodes that did not run.
  std::vector<std::int32_t> positions() const;
};

/// A tensor's shape, range, mean and counts, and the elements of so many rows and columns: of its
/// corner, or from another row and column on, as far as there are enough.
nlohmann::json tensor_data(const Tensor& tensor, std::int64_t edge, std::int64_t row = 0,
                           std::int64_t column = 0);

/// The bytes of a tensor as text, four characters for three of them.
std::string base64(const Tensor& tensor);

/// All that the page's script needs.
nlohmann::json page_data(const GraphView& view);

/// The module whose call recorded each shown node, "blocks.0.norm", by the variables that are read;
/// "" for none.
std::vector<std::string> modules_of(const GraphView& view);

/// The tables and pictures below the graph; "" without a profile or memory report.
std::string times_markup(const GraphView& view);
std::string memory_markup(const GraphView& view);

}  // namespace aclgrad::viz
