// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "onnx/import/importer.h"

namespace aclgrad::onnx {
namespace {

// An input that a call gives, checked against what the file says of it.
Item item_of(const Port& port, const Argument& argument) {
  const bool is_value = std::holds_alternative<Value>(argument);
  const DType dtype =
      is_value ? std::get<Value>(argument).dtype() : std::get<Tensor>(argument).dtype();
  const Shape& shape =
      is_value ? std::get<Value>(argument).shape() : std::get<Tensor>(argument).shape();
  // A floating input may be of another floating type: the model may have been converted.
  if (port.dtype && dtype != *port.dtype && !(is_floating(dtype) && is_floating(*port.dtype))) {
    throw DTypeError(
        fmt::format("the input `{}` of the model is {}, got {}", port.name, *port.dtype, dtype));
  }
  if (port.dims && port.dims->size() != shape.rank()) {
    throw ShapeError(fmt::format("the input `{}` of the model has {} dimensions, got {}", port.name,
                                 port.dims->size(), shape));
  }
  if (is_value) return std::get<Value>(argument);
  return std::get<Tensor>(argument);
}

}  // namespace

Model::Model(const Name& name, std::shared_ptr<const Data> data)
    : Module(name, "onnx"), data_(std::move(data)) {}

const std::vector<Port>& Model::inputs() const { return data_->inputs; }
const std::vector<Port>& Model::outputs() const { return data_->outputs; }
std::int64_t Model::opset() const { return data_->opset; }
const std::vector<Module>& Model::parts() const { return parts_; }

Value Model::operator()(Operand x) const {
  const std::vector<Value> outputs = (*this)(x.graph(), {x}, x.where);
  if (outputs.size() != 1) {
    throw ValueError(
        fmt::format("the model has {} outputs: call it with a list of inputs", outputs.size()));
  }
  return outputs[0];
}

std::vector<Value> Model::operator()(Operands inputs) const {
  if (inputs.empty()) throw ValueError("a model without inputs is called with a graph");
  return (*this)(inputs[0].graph(), {inputs.begin(), inputs.end()}, inputs.where);
}

std::vector<Value> Model::operator()(const Graph& graph, const std::vector<Argument>& inputs,
                                     std::source_location where) const {
  const Data& data = *data_;
  if (inputs.size() != data.inputs.size()) {
    std::vector<std::string> names;
    for (const Port& port : data.inputs) names.push_back(port.name);
    throw ValueError(fmt::format("the model takes {} inputs ({}), got {}", data.inputs.size(),
                                 fmt::join(names, ", "), inputs.size()));
  }
  const RecordScope scope(graph, where);
  std::map<std::string, Item, std::less<>> named;
  for (const auto& [name, tensor] : data.tensors) named[name] = tensor;
  for (const auto& [name, number] : data.variables) {
    named[name] = graph.parameter(variables_[number], where);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    named[data.inputs[i].name] = item_of(data.inputs[i], inputs[i]);
  }
  Recording recording{graph, is_training(graph)};
  recording.generator = [&](const std::string& node) {
    const auto found = data.generators.find(node);
    if (found == data.generators.end()) throw ValueError("nodes of inner graphs draw no numbers");
    return generators_[found->second];
  };
  std::vector<Value> outputs;
  Items items = Importer(data, recording).run(std::move(named));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const Value* const value = items[i].value()) {
      outputs.push_back(*value);
    } else if (items[i].tensor() != nullptr) {
      outputs.push_back(graph.constant(*items[i].tensor(), where));
    } else {
      throw ValueError(fmt::format("the output `{}` of the model is a {}, and no tensor",
                                   data.outputs[i].name, data.outputs[i].type));
    }
  }
  return outputs;
}

}  // namespace aclgrad::onnx
