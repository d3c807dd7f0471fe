// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/graph/record.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/shape.h"
#include "graph/describe.h"
#include "graph/graph_data.h"
#include "tensor/at_least_float.h"
#include "tensor/number.h"

namespace aclgrad {

std::string detail::in_message(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string detail::in_message(double number) { return fmt::format("{}", number); }

std::string Recorder::text(std::string_view message, std::initializer_list<std::string> values) {
  std::string all;
  for (const std::string& value : values) {
    const std::size_t at = message.find("{}");
    all.append(message.substr(0, at)).append(value);
    message.remove_prefix(at + 2);
  }
  return all.append(message);
}

Recorder::Recorder(std::string_view op, std::vector<Value> inputs, std::source_location where)
    : op_(op), inputs_(std::move(inputs)), where_(where) {
  for (const Value& input : inputs_) {
    if (input.id() < 0) {
      throw ValueError(
          fmt::format("`{}` ({}): an input is an empty Value", op_, detail::place(where)));
    }
    if (!input.valid()) {
      throw ValueError(fmt::format("`{}` ({}): the graph of an input (value {}) is gone", op_,
                                   detail::place(where), input.id()));
    }
  }
  if (inputs_.empty()) throw ValueError(fmt::format("`{}` needs an input", op_));
  data_ = inputs_.front().data();
  if (data_->where) where_ = *data_->where;
  for (const Value& input : inputs_) {
    if (input.data() != data_) {
      value_error(fmt::format("inputs come from different graphs: {} and {}",
                              inputs_.front().description(), input.description()));
    }
    check_fresh(input);
  }
}

Recorder::Recorder(std::string_view op, const Graph& graph, std::source_location where)
    : op_(op), where_(where) {
  graph.data();  // throws for a graph that was moved from
  data_ = graph.data_;
  if (data_->where) where_ = *data_->where;
}

TensorSpec Recorder::like(std::size_t index) const {
  return {input(index).shape(), input(index).dtype()};
}

std::string Recorder::next_label() const {
  return detail::node_label(static_cast<NodeId>(data_->nodes.size()), op_, where_);
}

void Recorder::shape_error(std::string_view message) const {
  throw ShapeError(fmt::format("{}: {}", next_label(), message));
}
void Recorder::dtype_error(std::string_view message) const {
  throw DTypeError(fmt::format("{}: {}", next_label(), message));
}
void Recorder::value_error(std::string_view message) const {
  throw ValueError(fmt::format("{}: {}", next_label(), message));
}

void Recorder::check_fresh(const Value& input) const {
  const detail::ValueRecord& record = input.record();
  const auto storage = data_->storages.find(record.root);
  if (storage == data_->storages.end() || storage->second.version == record.version) return;
  value_error(
      fmt::format("{} is {} as it was before {} updated it; use the value that the update "
                  "returned, or record this node before it",
                  input.description(), label(data_->node(record.node)),
                  label(data_->node(storage->second.updated_by))));
}

void Recorder::require_floating(std::size_t index) const {
  const Value& value = input(index);
  require_dtype(is_floating(value.dtype()), "{} must be of a floating type, got {}", value,
                value.dtype());
}

void Recorder::require_same_dtype(std::size_t a, std::size_t b) const {
  require_dtype(input(a).dtype() == input(b).dtype(),
                "{} is {} and {} is {}, they must be the same", input(a), input(a).dtype(),
                input(b), input(b).dtype());
}

void Recorder::require_same_shape(std::size_t a, std::size_t b) const {
  require_shape(input(a).shape() == input(b).shape(),
                "{} has shape {} and {} has shape {}, they must be the same", input(a),
                input(a).shape(), input(b), input(b).shape());
}

void Recorder::require_like(std::size_t a, std::size_t b) const {
  require_same_dtype(a, b);
  require_same_shape(a, b);
}

void Recorder::require_holds(DType dtype, double number, std::string_view what) const {
  const std::string problem = detail::problem_of(number, dtype);
  if (problem.empty()) return;
  const bool can_cast = !is_floating(dtype) && !inputs_.empty();
  value_error(fmt::format("{} {}{}{}", what, number, problem,
                          can_cast ? "; cast() the tensor to a floating dtype" : ""));
}

void Recorder::require_holds_as_float(DType dtype, double number, std::string_view what) const {
  require_holds(detail::at_least_float(dtype), number, what);
}

std::int64_t Recorder::axis(std::int64_t axis, std::size_t rank) const {
  // As for the operators, a scalar counts as one axis.
  const auto count = static_cast<std::int64_t>(rank == 0 ? 1 : rank);
  require_shape(axis >= -count && axis < count, "axis {} is out of range for rank {}", axis, rank);
  return axis < 0 ? axis + count : axis;
}

Shape Recorder::broadcast(const Shape& a, const Shape& b) const {
  try {
    return aclgrad::broadcast(a, b);
  } catch (const ShapeError&) {
    shape_error(fmt::format("shapes {} and {} do not broadcast", a, b));
  }
}

Node& Recorder::append(std::shared_ptr<const Op> op, std::size_t outputs) {
  Node& node = data_->nodes.emplace_back();
  node.id = static_cast<NodeId>(data_->nodes.size() - 1);
  node.op = std::move(op);
  node.where = where_;
  node.pass = data_->pass;
  node.differentiates = data_->differentiates;
  const std::span<ValueId> input_ids = data_->ids.make(inputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) input_ids[i] = inputs_[i].id();
  const std::span<ValueId> output_ids = data_->ids.make(outputs);
  std::iota(output_ids.begin(), output_ids.end(), static_cast<ValueId>(data_->values.size()));
  node.inputs = input_ids;
  node.outputs = output_ids;
  return node;
}

Value Recorder::output(const Node& node, detail::ValueRecord record) {
  const auto id = static_cast<ValueId>(data_->values.size());
  record.node = node.id;
  if (record.root < 0) record.root = id;
  data_->values.push_back(record);
  return Value(data_, id);
}

Value Recorder::updated(const Node& node, std::size_t index) {
  const Value& target = inputs_[index];
  detail::ValueRecord record = target.record();
  detail::VersionedStorage& storage = data_->storages.at(record.root);
  record.version = ++storage.version;
  storage.updated_by = node.id;
  const Value result = output(node, record);
  if (const auto named = data_->names.find(target.id()); named != data_->names.end()) {
    data_->names.emplace(result.id(), std::string(named->second));
  }
  storage.newest = result.id();
  return result;
}

// Operators may read exactly what they write, element by element. Another view of it they would
// read half old, half new.
void Recorder::copy_aliased_inputs(const std::vector<std::optional<std::size_t>>& updates) {
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (!updates[i]) continue;
    const std::size_t target = *updates[i];
    const ValueId root = input(target).record().root;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      if (k == target || input(k).record().root != root) continue;
      if (std::ranges::find(updates, std::optional(k)) != updates.end()) {
        value_error(fmt::format("updates {} twice", input(target).description()));
      }
      if (input(k).variable() == nullptr) inputs_[k] = copy({input(k), where_});
    }
  }
}

Value Recorder::add(std::shared_ptr<const Op> op, TensorSpec output) {
  return add(std::move(op), std::vector<TensorSpec>{std::move(output)}).front();
}

std::vector<Value> Recorder::add(std::shared_ptr<const Op> op, std::vector<TensorSpec> outputs) {
  const auto* call = op->as_call();
  std::vector<std::optional<std::size_t>> updates(outputs.size());
  for (std::size_t i = 0; call != nullptr && i < outputs.size(); ++i) {
    updates[i] = call->updated_input(i);
    if (!updates[i]) continue;
    require_value(input(*updates[i]).variable() != nullptr,
                  "updates {} in place, which is not a variable", input(*updates[i]));
  }
  copy_aliased_inputs(updates);
  const Node& node = append(std::move(op), outputs.size());
  std::vector<Value> result;
  result.reserve(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (updates[i]) {
      result.push_back(updated(node, *updates[i]));
    } else {
      detail::ValueRecord record;
      record.layout = data_->layouts.find_dense(std::move(outputs[i]));
      result.push_back(output(node, record));
    }
  }
  return result;
}

Value Recorder::add_view(std::shared_ptr<const ViewOp> op, Shape shape,
                         std::vector<std::int64_t> strides, std::int64_t offset) {
  const detail::ValueRecord& viewed = input(0).record();
  detail::ValueRecord record;
  record.layout =
      data_->layouts.find({std::move(shape), viewed.layout->spec.dtype}, std::move(strides));
  record.offset = offset;
  record.root = viewed.root;
  record.version = viewed.version;
  return output(append(std::move(op), 1), record);
}

RecordScope::RecordScope(const Graph& graph, Pass pass, const Node* differentiated)
    : data_(graph.data_) {
  graph.data();  // throws for a graph that was moved from
  pass_ = data_->pass;
  where_ = data_->where;
  differentiates_ = data_->differentiates;
  data_->pass = pass;
  if (differentiated == nullptr) return;
  data_->where = differentiated->where;
  data_->differentiates = differentiated->id;
}

RecordScope::RecordScope(const Graph& graph, Pass pass, std::source_location where)
    : RecordScope(graph, where) {
  data_->pass = pass;
}

RecordScope::RecordScope(const Graph& graph, std::source_location where)
    : RecordScope((graph.data(), graph.data_), where) {}

// An empty value is refused by the recorder that gets it, which can name the operator.
RecordScope::RecordScope(const Operand& operand)
    : RecordScope(operand.data_.lock(), operand.where) {}

RecordScope::RecordScope(std::shared_ptr<detail::GraphData> data, std::source_location where)
    : data_(std::move(data)) {
  if (!data_) return;
  pass_ = data_->pass;
  where_ = data_->where;
  differentiates_ = data_->differentiates;
  if (!data_->where) data_->where = where;
}

RecordScope::~RecordScope() {
  if (!data_) return;
  data_->pass = pass_;
  data_->where = where_;
  data_->differentiates = differentiates_;
}

}  // namespace aclgrad
