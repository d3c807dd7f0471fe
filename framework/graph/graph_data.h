// SPDX-License-Identifier: Apache-2.0
// What a Graph holds. Everything is numbered and stored in pieces that never move, so references
// stay good while the graph grows. A graph may have millions of nodes, so what many nodes or values
// have in common (shapes, strides) is kept once, and what few have (names) beside them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/checkpointed.h"

namespace aclgrad::detail {

/// How a tensor lies in its storage, but for the offset.
struct Layout {
  TensorSpec spec;
  std::vector<std::int64_t> strides;
  bool contiguous = true;

  std::size_t bytes() const {
    return static_cast<std::size_t>(spec.shape.numel()) * size_of(spec.dtype);
  }
};

/// Every layout once.
class LayoutTable {
 public:
  const Layout* find(TensorSpec spec, std::vector<std::int64_t> strides);

  /// The dense row-major layout.
  const Layout* find_dense(TensorSpec spec);

 private:
  std::deque<Layout> layouts_;
  std::unordered_multimap<std::size_t, const Layout*> by_hash_;
  const Layout* latest_ = nullptr;  // neighbours in a graph often look alike
};

/// Lists of ids, side by side.
class IdLists {
 public:
  std::span<ValueId> make(std::size_t count);

 private:
  static constexpr std::size_t kChunk = 8192;
  std::vector<std::unique_ptr<ValueId[]>> chunks_;
  std::span<ValueId> free_;
};

struct ValueRecord {
  const Layout* layout = nullptr;
  std::int64_t offset = 0;
  ValueId root = -1;         // whose storage it describes; itself for most
  NodeId node = -1;          // who makes it
  std::int32_t version = 0;  // how often the storage was overwritten before this value
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
  LayoutTable layouts;
  IdLists ids;
  std::unordered_map<ValueId, std::string> names;
  std::unordered_map<ValueId, VersionedStorage> storages;       // by root
  std::unordered_map<std::uintptr_t, ValueId> bound_variables;  // by identity, to the root
  std::vector<ValueId> inputs;
  std::unordered_map<std::string, ValueId> input_names;  // as they were made, whatever named() says
  std::vector<ValueId> variables;
  std::vector<RecomputedNodes> recomputed;
  Mode mode = Mode::training;
  Pass pass = Pass::forward;
  std::optional<std::source_location> where;  // overrides the caller's line inside a RecordScope
  NodeId differentiates = -1;

  const Node& node(NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }
  Node& node(NodeId id) { return nodes[static_cast<std::size_t>(id)]; }
  const ValueRecord& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
  ValueRecord& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }

  /// "" for a value without one.
  const std::string& name(ValueId id) const;

  /// The name in backquotes, or "value 7".
  std::string description(ValueId id) const;

  /// The variable that owns the storage of a root; null for other storage.
  const Variable* storage_variable(ValueId root) const;

  /// Whether a value is all of its storage, in the storage's own order.
  bool is_whole(ValueId id) const;
};

/// The call of a node; null for sources and views.
inline const CallOp* as_call(const Node& node) { return node.op->as_call(); }

/// The way from the public handle to what it stands for: for code that walks over whole graphs.
struct GraphAccess {
  static const GraphData& data(const Graph& graph) { return graph.data(); }
  static GraphData& record(const Graph& graph) { return graph.data(); }
  /// Another handle on the same graph. Throws ValueError for one that was moved from.
  static Graph handle(const Graph& graph) {
    graph.data();
    return Graph(graph.data_);
  }
};

}  // namespace aclgrad::detail
