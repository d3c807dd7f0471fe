// SPDX-License-Identifier: Apache-2.0
#include "onnx/export/exporter.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "aclgrad/error.h"

namespace aclgrad::onnx::saving {
namespace {

// The inputs of a node that its writing reads.
std::vector<ValueId> read_inputs(const Node& node) {
  std::vector<ValueId> all(node.inputs.begin(), node.inputs.end());
  const Table::Row* row = table().find(*node.op);
  if (row == nullptr || row->reads.empty()) return all;
  std::vector<ValueId> read;
  for (const std::size_t k : row->reads) {
    if (k < all.size()) read.push_back(all[k]);
  }
  return read;
}

std::string name_of(const Value& value) {
  if (!value.name().empty()) return value.name();
  return fmt::format("{}_{}", value.node().op->name(), value.id());
}

}  // namespace

Exporter::Exporter(const std::vector<Recording>& recordings, proto::GraphProto& graph)
    : recordings_(recordings),
      builder_(graph),
      needed_nodes_(first().size()),
      needed_values_(first().value_count()) {}

void Exporter::write(const std::vector<std::string>& output_names) {
  find_needed();
  check_recordings();
  declare_inputs();
  for (std::size_t k = 0; k < needed_nodes_.size(); ++k) {
    if (needed_nodes_[k]) write_node(first().node(static_cast<NodeId>(k)));
  }
  if (!unsayable_.empty()) {
    throw ValueError(fmt::format("{} node{} cannot be written as ONNX:\n  {}", unsayable_.size(),
                                 unsayable_.size() == 1 ? "" : "s", fmt::join(unsayable_, "\n  ")));
  }
  declare_outputs(output_names);
}

void Exporter::find_needed() {
  for (const Value& output : recordings_.front().outputs) {
    needed_values_[static_cast<std::size_t>(output.id())] = true;
  }
  for (std::size_t k = needed_nodes_.size(); k-- > 0;) {
    const Node& node = first().node(static_cast<NodeId>(k));
    const bool is_needed = std::ranges::any_of(
        node.outputs, [&](ValueId id) { return needed_values_[static_cast<std::size_t>(id)]; });
    if (!is_needed) continue;
    needed_nodes_[k] = true;
    for (const ValueId id : read_inputs(node)) needed_values_[static_cast<std::size_t>(id)] = true;
  }
}

// A node has one place in all recordings.
void Exporter::check_recordings() const {
  for (std::size_t k = 0; k < needed_nodes_.size(); ++k) {
    if (!needed_nodes_[k]) continue;
    const Node& node = first().node(static_cast<NodeId>(k));
    for (const Recording& other : recordings_) {
      const bool is_there = k < other.graph.size();
      const Node& same = is_there ? other.graph.node(node.id) : node;
      const Op &a = *node.op, &b = *same.op;
      if (is_there && typeid(a) == typeid(b) && std::ranges::equal(node.inputs, same.inputs)) {
        continue;
      }
      throw ValueError(fmt::format(
          "the network is recorded with other nodes for a batch of {} than for one of {}, from "
          "{} on: save it with dynamic_batch = false",
          other.batch, recordings_.front().batch, label(node)));
    }
  }
}

void Exporter::declare_inputs() {
  for (const Value& input : recordings_.front().inputs) {
    const std::string name = builder_.unique(input.name());
    terms_[input.id()] = {&builder_, name, input.dtype()};
    declare(*builder_.graph().add_input(), name, input);
    const Extents all = extents(input.id());
    if (batch_input_.empty() && !all.empty() && all[0] == Extent{0, 1}) batch_input_ = name;
  }
}

void Exporter::write_node(const Node& node) {
  if (node.op->kind() == OpKind::input) return;
  builder_.begin(name_of(first().value(node.outputs[0])));
  if (const auto* variable = dynamic_cast<const VariableOp*>(node.op.get())) {
    const std::string name =
        builder_.initializer(variable->variable.name(), variable->variable.value());
    terms_[node.outputs[0]] = {&builder_, name, variable->variable.dtype()};
    return;
  }
  std::vector<Term> made;
  try {
    const Table::Row* row = table().find(*node.op);
    if (row == nullptr) refuse("it has no operator there, and is not composed of others");
    Call call(*this, node);
    if (!row->knows_batch && !call.is_same_in_all()) {
      refuse(fmt::format("its attributes depend on the batch: {}", node.op->attributes()));
    }
    made = row->write(*node.op, call);
  } catch (const Unsayable& problem) {
    unsayable_.push_back(fmt::format("{}: {}", label(node), problem.why));
  }
  call_outputs(node, made);
}

void Exporter::call_outputs(const Node& node, const std::vector<Term>& made) {
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    const Value value = first().value(node.outputs[k]);
    if (!needed_values_[static_cast<std::size_t>(value.id())]) continue;
    Term term{&builder_, "", value.dtype()};  // of what cannot be said, for the nodes behind it
    if (k < made.size() && made[k].is_given()) {
      term = made[k];
      term.name = builder_.rename(term.name, name_of(value));
    } else if (unsayable_.empty()) {
      unsayable_.push_back(
          fmt::format("{}: ONNX has no such output as its output {}", label(node), k));
    }
    terms_[value.id()] = term;
  }
}

void Exporter::declare_outputs(const std::vector<std::string>& names) {
  const std::vector<Value>& outputs = recordings_.front().outputs;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::string name = k < names.size() ? names[k] : outputs[k].name();
    if (name.empty()) name = outputs.size() == 1 ? "output" : fmt::format("output_{}", k);
    const Term made = term(outputs[k].id());
    // The name is that of a node's output, once.
    const auto is_taken = [&](const proto::ValueInfoProto& other) {
      return other.name() == made.name;
    };
    const bool is_made_here = outputs[k].node().op->kind() >= OpKind::view && made.name == name &&
                              std::ranges::none_of(builder_.graph().output(), is_taken) &&
                              std::ranges::none_of(builder_.graph().input(), is_taken);
    std::string called = made.name;
    if (!is_made_here) {
      builder_.begin(name);
      called = builder_.rename(op("Identity", {made}).name, name);
    }
    declare(*builder_.graph().add_output(), called, outputs[k]);
  }
}

void Exporter::declare(proto::ValueInfoProto& info, const std::string& name,
                       const Value& value) const {
  info.set_name(name);
  proto::TypeProto::Tensor& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(type_of(value.dtype()));
  proto::TensorShapeProto& shape = *type.mutable_shape();
  for (const Extent& extent : extents(value.id())) {
    proto::TensorShapeProto::Dimension& dim = *shape.add_dim();
    if (extent.is_fixed()) {
      dim.set_dim_value(extent.constant);
    } else {
      std::string text =
          extent.per_batch == 1 ? "batch" : fmt::format("{}*batch", extent.per_batch);
      if (extent.constant != 0) text += fmt::format("{:+}", extent.constant);
      dim.set_dim_param(text);
    }
  }
}

Extent Exporter::extent(const std::function<std::int64_t(const Recording&)>& get) const {
  const Recording& one = recordings_.front();
  const std::int64_t at_one = get(one);
  Extent extent{at_one, 0};
  for (std::size_t k = 1; k < recordings_.size(); ++k) {
    const Recording& other = recordings_[k];
    if (k == 1) {
      extent.per_batch = (get(other) - at_one) / (other.batch - one.batch);
      extent.constant = at_one - extent.per_batch * one.batch;
    }
    if (extent.constant + extent.per_batch * other.batch != get(other)) {
      refuse(
          fmt::format("{} of a batch of {}, and {} of one of {}, is no whole number and a "
                      "multiple of the batch",
                      at_one, one.batch, get(other), other.batch));
    }
  }
  return extent;
}

Extents Exporter::extents(ValueId id) const {
  Extents all;
  const std::size_t rank = first().value(id).shape().rank();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    all.push_back(extent([&](const Recording& recording) {
      const Shape shape = recording.graph.value(id).shape();
      return shape.rank() == rank ? shape.dims()[axis] : -1;
    }));
  }
  return all;
}

Term Exporter::batch() {
  if (batch_input_.empty()) refuse("the batch is the first axis of no input");
  std::string& name = builder_.shared()["batch"];
  if (name.empty()) {
    const Attributes first_axis{{"start", std::int64_t{0}}, {"end", std::int64_t{1}}};
    name = op("Shape", {{&builder_, batch_input_}}, first_axis).name;
  }
  return {&builder_, name, DType::int64};
}

Term Exporter::term(ValueId id) const { return terms_.at(id); }

}  // namespace aclgrad::onnx::saving
