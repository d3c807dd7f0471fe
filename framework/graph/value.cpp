// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/graph.h"
#include "graph/graph_data.h"

namespace aclgrad {

std::shared_ptr<detail::GraphData> Value::data() const {
  if (id_ < 0) throw ValueError("this Value is empty: it was not returned by a recording function");
  auto data = data_.lock();
  if (!data) throw ValueError(fmt::format("the graph of value {} is gone", id_));
  return data;
}

detail::ValueRecord& Value::record() const { return data()->value(id_); }

const Shape& Value::shape() const { return record().spec.shape; }
DType Value::dtype() const { return record().spec.dtype; }
const std::vector<std::int64_t>& Value::strides() const { return record().strides; }
std::int64_t Value::offset() const { return record().offset; }
const std::string& Value::name() const { return record().name; }

bool Value::is_contiguous() const {
  const detail::ValueRecord& value = record();
  const std::vector<std::int64_t> dense = value.spec.shape.strides();
  if (value.spec.shape.numel() < 2) return true;
  for (std::size_t axis = 0; axis < dense.size(); ++axis) {
    if (value.spec.shape.dims()[axis] != 1 && value.strides[axis] != dense[axis]) return false;
  }
  return true;
}

Value Value::root() const { return Value(data_, record().root); }

const Node& Value::node() const { return data()->node(record().node); }

Value Value::named(std::string name) const {
  record().name = std::move(name);
  return *this;
}

std::string Value::description() const {
  const std::string& given = name();
  return given.empty() ? fmt::format("value {}", id_) : fmt::format("`{}`", given);
}

const Variable* Value::variable() const {
  const auto graph = data();
  const detail::ValueRecord& value = graph->value(id_);
  const NodeId owner = graph->value(value.root).node;
  const auto* source = dynamic_cast<const VariableOp*>(graph->node(owner).op.get());
  // A view of a variable shares its storage but is not the variable.
  const bool whole = graph->storages.contains(value.root) && value.offset == 0 &&
                     value.spec.shape == graph->value(value.root).spec.shape && is_contiguous();
  return source != nullptr && whole ? &source->variable : nullptr;
}

Graph Value::graph() const { return Graph(data()); }

}  // namespace aclgrad
