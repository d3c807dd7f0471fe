// SPDX-License-Identifier: Apache-2.0
// An ONNX graph that is being written: its nodes, initializers and names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "aclgrad/tensor.h"
#include "onnx/tensors.h"

namespace aclgrad::onnx::saving {

using Ints = std::vector<std::int64_t>;
using Attribute = std::variant<std::int64_t, double, std::string, Ints, std::vector<double>>;
using Attributes = std::vector<std::pair<std::string_view, Attribute>>;

class Builder {
 public:
  explicit Builder(proto::GraphProto& graph) : graph_(graph) {}

  /// The name, or the name with a number where it is taken; taken from now on.
  std::string unique(const std::string& wanted);

  /// Appends a node, and returns its outputs, which are called by the place that is being written
  /// (begin()). An input without a name is one that is left out.
  std::vector<std::string> add(std::string_view op, const std::vector<std::string>& inputs,
                               const Attributes& attributes, std::size_t outputs);

  /// A tensor of the file; the same one again for the same numbers.
  std::string constant(const Tensor& tensor);
  /// One of a name that is to be kept, as far as it is free.
  std::string initializer(const std::string& name, const Tensor& tensor);

  /// What follows belongs to a node of this name.
  void begin(std::string scope);
  /// Gives an output of the nodes since begin() another name, or that with a number, and returns
  /// it; the old one where none of these nodes makes it.
  std::string rename(const std::string& from, const std::string& wanted);

  /// Names of what is written once and used often, by what it is.
  std::map<std::string, std::string>& shared() { return shared_; }

  proto::GraphProto& graph() { return graph_; }

 private:
  proto::GraphProto& graph_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> node_names_;
  std::map<std::string, std::string> constants_;  // by dtype, shape and bytes
  std::map<std::string, std::string> shared_;
  std::string scope_;
  int first_ = 0;  // node since begin()
};

}  // namespace aclgrad::onnx::saving
