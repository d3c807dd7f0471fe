// SPDX-License-Identifier: Apache-2.0
// Records the nodes of a model's graph, one after the other.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/onnx.h"
#include "onnx/import/item.h"
#include "onnx/import/node_call.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {

using Functions = std::map<std::pair<std::string, std::string>, const proto::FunctionProto*>;

/// The version of ONNX's operators among those that a model or function imports; 1 for none.
std::int64_t standard_opset(
    const google::protobuf::RepeatedPtrField<proto::OperatorSetIdProto>& imports);

/// Whether that is the domain of ONNX's own operators.
bool is_standard(const std::string& domain);

struct Model::Data {
  proto::ModelProto proto;  // without the initializers of its graph
  std::filesystem::path folder;
  std::int64_t opset = 1;
  Functions functions;
  std::vector<Port> inputs, outputs;
  // What initializers have become: tensors, or variables by their place in the model.
  std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> tensors;
  std::map<std::string, std::size_t, std::less<>> variables;
  std::map<std::string, std::size_t, std::less<>> generators;  // of nodes
};

class Importer {
 public:
  Importer(const Model::Data& model, Recording& recording);

  /// The outputs of the whole graph, for what its names stand for beforehand.
  Items run(std::map<std::string, Item, std::less<>> named);

 private:
  using Names = std::map<std::string, Item, std::less<>>;
  struct Scope {
    const Scope* outer;
    Names items;
    std::int64_t opset;
    const Item* find(const std::string& name) const;
  };

  void count_node();
  Items run_graph(const proto::GraphProto& graph, Scope& scope);
  void run_node(const proto::NodeProto& node, Scope& scope);
  Items inputs_of(const proto::NodeProto& node, const Scope& scope) const;
  Items call_function(const proto::FunctionProto& function, const proto::NodeProto& node,
                      Items inputs);
  Items record(const proto::NodeProto& node, const Operator& op, Items inputs, Scope& scope);
  Items fold(const proto::NodeProto& node, const Operator& op, Items inputs, std::int64_t opset);
  std::vector<std::string> origins(const std::string& name) const;

  const Model::Data& model_;
  Recording& recording_;
  std::size_t nodes_ = 0;    // recorded so far
  std::size_t depth_ = 0;    // of functions in functions
  std::int64_t growth_ = 0;  // of constants, in elements
};

/// "node `conv1` (Conv, opset 13)".
std::string label(const proto::NodeProto& node, std::int64_t opset);

}  // namespace aclgrad::onnx
