// SPDX-License-Identifier: Apache-2.0
// A node of an ONNX graph as the function sees it that records it: inputs, attributes, and the
// graph to record into.
#pragma once

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/graph.h"
#include "aclgrad/ops/random.h"
#include "onnx/import/item.h"
#include "onnx/tensors.h"

namespace aclgrad::onnx {

/// Thrown where an input must be known and is not; the importer says by which inputs of the model.
struct NotKnown {
  std::size_t input;
  std::string why;
};

/// What one call of a model shares among its nodes.
struct Recording {
  const Graph& graph;
  /// Whether what is for training only is done.
  bool is_training = false;
  /// Random masks of a node.
  std::function<Generator(const std::string& node)> generator = {};
  /// Records a graph that is an attribute: its outputs, for inputs in its order. It sees the names
  /// of the graph around it.
  std::function<Items(const proto::GraphProto& graph, Items inputs)> subgraph = {};
  /// Tensors that have become constants of the graph.
  std::map<const Tensor*, std::pair<std::shared_ptr<const Tensor>, Value>> uploaded = {};
};

class NodeCall {
 public:
  NodeCall(const proto::NodeProto& node, std::int64_t opset, Items inputs, Recording& recording)
      : node_(node), opset_(opset), inputs_(std::move(inputs)), recording_(recording) {}

  std::int64_t opset() const { return opset_; }
  const Graph& graph() const { return recording_.graph; }
  bool is_training() const { return recording_.is_training; }
  Generator generator() const { return recording_.generator(name()); }
  Items run(const proto::GraphProto& graph, Items inputs) const {
    return recording_.subgraph(graph, std::move(inputs));
  }

  /// The node's name, or that of its first output.
  std::string name() const;

  // ---- Inputs and outputs ----

  std::size_t inputs() const { return inputs_.size(); }
  /// How many outputs are named, and whether one is.
  std::size_t outputs() const { return static_cast<std::size_t>(node_.output_size()); }
  bool wants(std::size_t output) const;

  /// Whether the input is there.
  bool has(std::size_t input) const { return input < inputs_.size() && inputs_[input]; }
  const Item& item(std::size_t input) const;
  /// A known tensor becomes a constant. Throws ValueError where the input is missing.
  Value value(std::size_t input) const { return as_value(item(input)); }
  Value as_value(const Item& item) const;
  /// value(), or an empty one.
  Value value_or_none(std::size_t input) const { return has(input) ? value(input) : Value{}; }
  std::vector<Value> values() const;  ///< of all inputs

  const Shape& shape(std::size_t input) const;
  DType dtype(std::size_t input) const;

  /// What no run is needed for. Throws NotKnown.
  bool is_known(std::size_t input) const;
  const Tensor& known(std::size_t input, std::string_view why) const;
  Dims known_numbers(std::size_t input, std::string_view why) const;
  double known_number(std::size_t input, std::string_view why) const;

  /// A constant of the graph.
  Value constant(Tensor tensor) const { return recording_.graph.constant(std::move(tensor)); }
  Value constant(double number, DType dtype) const {
    return constant(Tensor::scalar(number, dtype));
  }

  // ---- Attributes ----

  bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double number(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  Dims integers(std::string_view name, Dims otherwise = {}) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::optional<Tensor> tensor(std::string_view name) const;
  /// Throw ValueError where it is missing.
  std::int64_t integer(std::string_view name) const;
  const proto::GraphProto& subgraph(std::string_view name) const;

  /// The numbers of an attribute, or of an input, as later opsets have them; nothing without both.
  std::optional<Dims> numbers_of(std::string_view attribute, std::size_t input) const;

  /// Throws ValueError for what there is no node for.
  template <class... Values>
  [[noreturn]] void unsupported(fmt::format_string<Values...> message, Values&&... values) const {
    throw ValueError(fmt::format(message, std::forward<Values>(values)...));
  }
  /// Throws unless an attribute is what alone there is a node for.
  void require(bool holds, std::string_view what) const {
    if (!holds) throw ValueError(std::string(what));
  }

 private:
  const proto::AttributeProto* find(std::string_view name) const;

  const proto::NodeProto& node_;
  std::int64_t opset_;
  Items inputs_;
  Recording& recording_;
};

}  // namespace aclgrad::onnx
