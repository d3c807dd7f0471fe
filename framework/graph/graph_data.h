// SPDX-License-Identifier: Apache-2.0
// What a Graph holds. Everything is numbered and stored in deques, so references stay good while
// the graph grows.
#ifndef ACLGRAD_FRAMEWORK_GRAPH_GRAPH_DATA_H_
#define ACLGRAD_FRAMEWORK_GRAPH_GRAPH_DATA_H_

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad::detail {

struct ValueRecord {
  TensorSpec spec;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  ValueId root = -1;         // whose storage it describes; itself for most
  NodeId node = -1;          // who makes it
  std::int32_t version = 0;  // how often the storage was overwritten before this value
  std::string name;
};

/// Storage that updates overwrite: kept for variables only.
struct VersionedStorage {
  std::int32_t version = 0;
  NodeId updated_by = -1;
  ValueId newest = -1;
};

struct GraphData {
  std::deque<Node> nodes;
  std::deque<ValueRecord> values;
  std::unordered_map<ValueId, VersionedStorage> storages;       // by root
  std::unordered_map<std::uintptr_t, ValueId> bound_variables;  // by identity, to the root
  std::vector<ValueId> inputs;
  std::vector<ValueId> variables;
  Phase phase = Phase::forward;
  std::optional<std::source_location> where;  // overrides the caller's line inside a RecordScope

  Node& node(NodeId id) { return nodes[static_cast<std::size_t>(id)]; }
  ValueRecord& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }
};

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_GRAPH_GRAPH_DATA_H_
