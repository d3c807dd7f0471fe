// SPDX-License-Identifier: Apache-2.0
// How nodes get into a graph. A recording function makes a Recorder, checks its arguments with it,
// and adds the node:
//
//   Value leaky_relu(Operand x, double negative_slope) {
//     Recorder record("leaky_relu", {x}, x.where);
//     record.require_floating(0);
//     record.require_value(negative_slope >= 0, "the slope must not be negative, got {}",
//                          negative_slope);
//     return record.add<LeakyReluOp>({negative_slope}, record.like(0));
//   }
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

namespace detail {

// What stands for an argument in a message.
inline std::string in_message(const Value& value) { return value.description(); }
std::string in_message(const std::vector<std::int64_t>& numbers);
std::string in_message(double number);
inline std::string in_message(std::string_view text) { return std::string(text); }
template <std::integral Number>
std::string in_message(Number number) {
  return std::to_string(number);
}
template <class T>
concept HasText = !std::derived_from<T, Value> && requires(const T& other) {
  to_string(other);
};
template <HasText T>
std::string in_message(const T& other) {
  return to_string(other);
}

// A text with a {} for each of so many values.
template <std::size_t kValues>
struct Message {
  consteval Message(const char* given) : text(given) {  // NOLINT: converts
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find("{}", at)) != text.npos; at += 2) ++found;
    if (found != kValues) throw "a {} for each value";
  }
  std::string_view text;
};

}  // namespace detail

class Recorder {
 public:
  /// Begins a node. Throws ValueError when an input is empty, its graph is gone, the inputs belong
  /// to different graphs, or an input is a variable as it was before an update recorded since. That
  /// last message names both nodes.
  Recorder(std::string_view op, std::vector<Value> inputs, std::source_location where);

  /// Begins a node without inputs.
  Recorder(std::string_view op, const Graph& graph, std::source_location where);

  const Value& input(std::size_t index) const { return inputs_[index]; }

  /// The input's shape and dtype.
  TensorSpec like(std::size_t index) const;

  /// Throw the error with the coming node's label in front of the message.
  [[noreturn]] void shape_error(std::string_view message) const;
  [[noreturn]] void dtype_error(std::string_view message) const;
  [[noreturn]] void value_error(std::string_view message) const;

  /// Throw that error unless it holds. The message has a {} for each of the values, of which a
  /// Value is shown by its description, and a list of numbers as a shape is.
  template <class... Values>
  void require_shape(bool holds, detail::Message<sizeof...(Values)> message,
                     const Values&... values) const {
    if (!holds) shape_error(text(message.text, {detail::in_message(values)...}));
  }
  template <class... Values>
  void require_dtype(bool holds, detail::Message<sizeof...(Values)> message,
                     const Values&... values) const {
    if (!holds) dtype_error(text(message.text, {detail::in_message(values)...}));
  }
  template <class... Values>
  void require_value(bool holds, detail::Message<sizeof...(Values)> message,
                     const Values&... values) const {
    if (!holds) value_error(text(message.text, {detail::in_message(values)...}));
  }

  /// Throws DTypeError unless the input is of a floating type.
  void require_floating(std::size_t index) const;
  /// Throws DTypeError unless the two inputs are of one type.
  void require_same_dtype(std::size_t a, std::size_t b) const;
  /// Throws ShapeError unless the two inputs are of one shape.
  void require_same_shape(std::size_t a, std::size_t b) const;
  /// Throws unless the two inputs are of one type and one shape.
  void require_like(std::size_t a, std::size_t b) const;
  /// Throws ValueError, which names the number and the range, unless the dtype can hold the number,
  /// if need be rounded (see Tensor). `what` says what the number is: "alpha".
  void require_holds(DType dtype, double number, std::string_view what) const;
  /// require_holds() for a number that the operator takes as a float, whatever the tensors are; as
  /// a double beside float64.
  void require_holds_as_float(DType dtype, double number, std::string_view what) const;
  /// Turns an axis of a tensor of this rank into one counted from the front. Throws ShapeError.
  std::int64_t axis(std::int64_t axis, std::size_t rank) const;
  /// The shape that two shapes broadcast to. Throws ShapeError.
  Shape broadcast(const Shape& a, const Shape& b) const;

  /// Appends the node and returns its outputs. An input that is another view of a variable that an
  /// output overwrites is copied first. Throws ValueError when an output would overwrite something
  /// that is not a variable, or what another output overwrites.
  Value add(std::shared_ptr<const Op> op, TensorSpec output);
  std::vector<Value> add(std::shared_ptr<const Op> op, std::vector<TensorSpec> outputs);

  /// add() of a declared operator, made of its attributes.
  template <class OpType>
  Value add(typename OpType::Attributes attributes, TensorSpec output) {
    return add(make<OpType>(std::move(attributes)), std::move(output));
  }
  template <class OpType>
  std::vector<Value> add(typename OpType::Attributes attributes, std::vector<TensorSpec> outputs) {
    return add(make<OpType>(std::move(attributes)), std::move(outputs));
  }

  /// Appends a view of input 0's storage. It reads no other inputs; its gradient rule may.
  Value add_view(std::shared_ptr<const ViewOp> op, Shape shape, std::vector<std::int64_t> strides,
                 std::int64_t offset);

 private:
  friend class Graph;

  // Not by make_shared, whose code would be compiled for every operator.
  template <class OpType>
  static std::shared_ptr<const Op> make(typename OpType::Attributes attributes) {
    std::unique_ptr<const Op> op = std::make_unique<OpType>(std::move(attributes));
    return op;
  }
  static std::string text(std::string_view message, std::initializer_list<std::string> values);
  std::string next_label() const;
  void check_fresh(const Value& input) const;
  void copy_aliased_inputs(const std::vector<std::optional<std::size_t>>& updates);
  Node& append(std::shared_ptr<const Op> op, std::size_t outputs);
  Value output(const Node& node, detail::ValueRecord record);
  Value updated(const Node& node, std::size_t index);

  std::string_view op_;
  std::vector<Value> inputs_;
  std::source_location where_;
  std::shared_ptr<detail::GraphData> data_;
};

/// While it lives, nodes recorded into the graph belong to `pass`, and when a node is given to its
/// gradient and its line. Scopes nest.
class RecordScope {
 public:
  RecordScope(const Graph& graph, Pass pass, const Node* differentiated = nullptr);

  /// All nodes get this line, where no scope around this one has given them another. For functions
  /// that record several nodes for one line of the program.
  RecordScope(const Graph& graph, Pass pass, std::source_location where);
  RecordScope(const Graph& graph, std::source_location where);
  explicit RecordScope(const Operand& operand);

  ~RecordScope();
  RecordScope(const RecordScope&) = delete;
  RecordScope& operator=(const RecordScope&) = delete;

 private:
  RecordScope(std::shared_ptr<detail::GraphData> data, std::source_location where);

  std::shared_ptr<detail::GraphData> data_;
  Pass pass_;
  std::optional<std::source_location> where_;
  NodeId differentiates_;
};

}  // namespace aclgrad
