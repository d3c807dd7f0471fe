// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/graph.h"

#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/graph/record.h"
#include "graph/graph_data.h"

namespace aclgrad {

Graph::Graph(Mode mode) : data_(std::make_shared<detail::GraphData>()) { data_->mode = mode; }

Mode Graph::mode() const { return data().mode; }

detail::GraphData& Graph::data() const {
  if (!data_) throw ValueError("this Graph was moved from");
  return *data_;
}

Value Graph::input(std::string name, Shape shape, DType dtype, std::source_location where) const {
  Recorder record("input", *this, where);
  if (const auto taken = data().input_names.find(name); taken != data().input_names.end()) {
    record.value_error(fmt::format("{} is already an input called `{}`",
                                   label(data().node(data().value(taken->second).node)), name));
  }
  const Value value = record.add(std::make_shared<InputOp>(), TensorSpec{std::move(shape), dtype});
  data().inputs.push_back(value.id());
  data().input_names.emplace(name, value.id());
  return value.named(std::move(name));
}

Value Graph::parameter(std::string name, const Tensor& initial, std::source_location where) const {
  data();
  return parameter(Variable(std::move(name), initial), where);
}

Value Graph::parameter(const Variable& variable, std::source_location where) const {
  const auto it = data().bound_variables.find(variable.identity());
  if (it != data().bound_variables.end()) return value(data().storages[it->second].newest);
  Recorder record("variable", *this, where);
  const Value value = record.add(std::make_shared<VariableOp>(variable),
                                 TensorSpec{variable.shape(), variable.dtype()});
  data().bound_variables.emplace(variable.identity(), value.id());
  data().storages[value.id()].newest = value.id();
  data().variables.push_back(value.id());
  return value.named(variable.name());
}

Value Graph::constant(Tensor tensor, std::source_location where) const {
  Recorder record("constant", *this, where);
  TensorSpec spec{tensor.shape(), tensor.dtype()};
  return record.add(std::make_shared<ConstantOp>(std::move(tensor)), std::move(spec));
}

std::size_t Graph::size() const { return data().nodes.size(); }

const Node& Graph::node(NodeId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= data().nodes.size()) {
    throw ValueError(fmt::format("no node {} in a graph of {} nodes", id, data().nodes.size()));
  }
  return data().node(id);
}

std::size_t Graph::value_count() const { return data().values.size(); }

Value Graph::value(ValueId id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= data().values.size()) {
    throw ValueError(fmt::format("no value {} in a graph of {} values", id, data().values.size()));
  }
  return Value(data_, id);
}

std::vector<Value> Graph::values(std::span<const ValueId> ids) const {
  std::vector<Value> result;
  result.reserve(ids.size());
  for (const ValueId id : ids) result.push_back(value(id));
  return result;
}

std::vector<Value> Graph::inputs() const { return values(data().inputs); }

std::vector<Variable> Graph::variables() const {
  std::vector<Variable> result;
  for (const ValueId id : data().variables) result.push_back(*value(id).variable());
  return result;
}

}  // namespace aclgrad
