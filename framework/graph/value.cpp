// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
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

const Shape& Value::shape() const { return record().layout->spec.shape; }
DType Value::dtype() const { return record().layout->spec.dtype; }
const std::vector<std::int64_t>& Value::strides() const { return record().layout->strides; }
std::int64_t Value::offset() const { return record().offset; }
const std::string& Value::name() const { return data()->name(id_); }

bool Value::is_contiguous() const { return record().layout->contiguous; }

Value Value::root() const { return Value(data_, record().root); }

const Node& Value::node() const { return data()->node(record().node); }

Value Value::named(std::string name) const {
  data()->names[id_] = std::move(name);
  return *this;
}

std::string Value::description() const { return data()->description(id_); }

const Variable* Value::variable() const {
  const auto graph = data();
  const detail::ValueRecord& value = graph->value(id_);
  // A view of a variable shares its storage but is not the variable.
  const bool same = graph->is_whole(id_) &&
                    value.layout->spec.shape == graph->value(value.root).layout->spec.shape;
  return same ? graph->storage_variable(value.root) : nullptr;
}

std::string to_string(const Value& value) {
  return fmt::format("{} {} {}", value.description(), value.dtype(), value.shape());
}

Graph Value::graph() const { return Graph(data()); }

bool Value::is_of(const Graph& graph) const noexcept {
  return graph.data_ && !data_.owner_before(graph.data_) && !graph.data_.owner_before(data_);
}

}  // namespace aclgrad
