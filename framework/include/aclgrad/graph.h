// SPDX-License-Identifier: Apache-2.0
// Graph: a record of computation. Recording functions (ops.h) append a node and return a Value
// whose shape and dtype are known at once; nothing is computed until a Session runs part of the
// graph. backward() appends the gradient's nodes to the same graph.
//
//   Graph graph;
//   Value x = graph.input("x", {4, 2});
//   Value w = graph.parameter("w", init::normal({2, 3}, 1));
//   Value y = selu(matmul(x, w)).named("hidden");
//   std::cout << graph.to_string();
//
// Mistakes are reported by the call that makes them, as ShapeError, DTypeError or ValueError:
// "node 3 `geglu` (examples/x.cpp:41): last dimension must be even, got 7".
// A graph and its values are for one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/graph/op.h"
#include "aclgrad/shape.h"
#include "aclgrad/tensor.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// Numbers of nodes and of values in a graph, in the order of recording.
using NodeId = std::int32_t;
using ValueId = std::int32_t;

/// Which part of a training step a node belongs to.
enum class Pass : std::uint8_t { forward, backward, update };

/// "forward", "backward", "update".
std::string to_string(Pass pass);

/// One entry of a graph. Nodes are numbered in the order of recording, which is also the order of
/// execution. The lists of ids belong to the graph and live as long as it.
struct Node {
  NodeId id = 0;
  NodeId differentiates = -1;  // of what backward() records: the node whose gradient it belongs to
  std::shared_ptr<const Op> op;
  std::span<const ValueId> inputs;
  std::span<const ValueId> outputs;
  std::source_location where;  // the line of the program that caused it
  Pass pass = Pass::forward;
};

/// "node 3 `geglu` (examples/x.cpp:41)": how messages name a node. Of the path, the file and its
/// folder are shown.
std::string label(const Node& node);

namespace detail {
struct GraphAccess;
struct GraphData;
struct ValueRecord;
}  // namespace detail

class Graph;

/// A tensor in a graph: an output of a node. A cheap handle, empty when default constructed. Every
/// member but valid() throws ValueError on an empty handle and when the graph is gone.
class Value {
 public:
  Value() = default;
  Value(const Value&) = default;
  Value(Value&&) noexcept = default;
  Value& operator=(const Value&) = default;
  Value& operator=(Value&& other) noexcept {
    if (this == &other) return *this;  // as when the only element is swapped with the last one
    data_ = std::move(other.data_);
    id_ = other.id_;
    return *this;
  }
  ~Value() = default;

  /// False for an empty handle and after the graph has died.
  bool valid() const noexcept { return !data_.expired(); }
  explicit operator bool() const noexcept { return valid(); }

  ValueId id() const noexcept { return id_; }
  const Shape& shape() const;
  DType dtype() const;

  /// Strides and offset in elements within the storage of root(), which is dense.
  const std::vector<std::int64_t>& strides() const;
  std::int64_t offset() const;
  bool is_contiguous() const;

  /// The value whose storage this one describes: itself, unless it is a view or an updated
  /// variable.
  Value root() const;

  /// The node that makes it.
  const Node& node() const;

  /// The name given by named(), input() or parameter(); "" when there is none.
  const std::string& name() const;

  /// Gives the value a name for listings and messages; returns the same value.
  Value named(std::string name) const;

  /// The name in backquotes, or "value 7" without one.
  std::string description() const;

  /// The variable behind the value, or null when it is not one.
  const Variable* variable() const;

  /// The graph it belongs to, as another handle on the same graph.
  Graph graph() const;

  /// Whether it belongs to that graph; false for an empty handle and after its graph has died.
  bool is_of(const Graph& graph) const noexcept;

  friend bool operator==(const Value& a, const Value& b) noexcept {
    return a.id_ == b.id_ && !a.data_.owner_before(b.data_) && !b.data_.owner_before(a.data_);
  }

 private:
  friend class Graph;
  friend class Recorder;
  friend class RecordScope;
  Value(std::weak_ptr<detail::GraphData> data, ValueId id) : data_(std::move(data)), id_(id) {}
  std::shared_ptr<detail::GraphData> data() const;
  detail::ValueRecord& record() const;

  std::weak_ptr<detail::GraphData> data_;
  ValueId id_ = -1;
};

/// "`hidden` float32 [4, 2]".
std::string to_string(const Value& value);

/// A value as a recording function takes it first: with the line of the program that passed it,
/// which the node then shows. The conversion takes that line; `{x, where}` gives another one, and
/// an Operand that is passed on keeps its own.
class Operand : public Value {
 public:
  Operand(const Value& value,  // NOLINT: the implicit conversion is the point
          std::source_location caller = std::source_location::current())
      : Value(value), where(caller) {}

  std::source_location where;
};

/// Several values, as a recording function takes them.
class Operands : public std::vector<Value> {
 public:
  Operands(std::vector<Value> values,  // NOLINT: the implicit conversion is the point
           std::source_location caller = std::source_location::current())
      : vector(std::move(values)), where(caller) {}
  Operands(std::initializer_list<Value> values,
           std::source_location caller = std::source_location::current())
      : vector(values), where(caller) {}

  std::source_location where;
};

/// What a graph is recorded for: layers of dropout and batch normalization ask it.
enum class Mode : std::uint8_t { training, evaluation };

/// A handle on a record of computation: recording is possible through a const one.
class Graph {
 public:
  explicit Graph(Mode mode = Mode::training);

  Mode mode() const;
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;

  /// A tensor that every run must be fed. Throws ValueError when another input has this name.
  Value input(std::string name, Shape shape, DType dtype = DType::float32,
              std::source_location where = std::source_location::current()) const;

  /// Makes a Variable with these contents and refers to it.
  Value parameter(std::string name, const Tensor& initial,
                  std::source_location where = std::source_location::current()) const;

  /// Refers to a variable. A variable already in the graph gives its newest value: the same Value,
  /// or what the last update recorded for it returned.
  Value parameter(const Variable& variable,
                  std::source_location where = std::source_location::current()) const;

  /// A tensor that never changes.
  Value constant(Tensor tensor, std::source_location where = std::source_location::current()) const;

  std::size_t size() const;
  const Node& node(NodeId id) const;

  std::size_t value_count() const;
  Value value(ValueId id) const;

  /// The values of some ids of a node: graph.values(node.inputs).
  std::vector<Value> values(std::span<const ValueId> ids) const;

  /// Inputs in the order of recording.
  std::vector<Value> inputs() const;

  /// Variables in the order of binding.
  std::vector<Variable> variables() const;

  /// A table with a line for every node.
  std::string to_string() const;

  /// Whether both are handles on the same graph.
  friend bool operator==(const Graph& a, const Graph& b) { return a.data_ == b.data_; }

 private:
  friend class Value;
  friend class Recorder;
  friend class RecordScope;
  friend struct detail::GraphAccess;
  explicit Graph(std::shared_ptr<detail::GraphData> data) : data_(std::move(data)) {}
  detail::GraphData& data() const;

  std::shared_ptr<detail::GraphData> data_;
};

}  // namespace aclgrad

template <>
struct std::hash<aclgrad::Value> {
  std::size_t operator()(const aclgrad::Value& value) const noexcept {
    return std::hash<aclgrad::ValueId>{}(value.id());
  }
};
