// SPDX-License-Identifier: Apache-2.0
#include "engine/recomputation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/graph/record.h"

namespace aclgrad::detail {
namespace {

// Whether a value is what a node has made of a variable's contents.
bool is_updated(const Value& value) {
  const Value root = value.root();
  return root.variable() != nullptr && !(root == value) && value.node().op->kind() != OpKind::view;
}

}  // namespace

Recomputation::Recomputation(const Graph& graph) : graph_(graph), ahead_(recomputed_nodes(graph)) {
  // Inner ones were noted first; those of one begin and end stay in that order.
  std::ranges::stable_sort(ahead_, [](const RecomputedNodes& a, const RecomputedNodes& b) {
    return a.end != b.end ? a.end < b.end : a.begin > b.begin;
  });
}

void Recomputation::reach(const Node& node) {
  while (!open_.empty() && open_.back().nodes.begin > node.id) open_.pop_back();
  while (!ahead_.empty() && ahead_.back().end > node.id) {
    const RecomputedNodes nodes = ahead_.back();
    ahead_.pop_back();
    if (nodes.begin > node.id) continue;  // no gradient went through
    open_.push_back({nodes, {}});
    for (NodeId id = nodes.begin; id < nodes.end; ++id) record(graph_.node(id));
  }
}

std::vector<Value> Recomputation::values(std::span<const ValueId> ids) const {
  std::vector<Value> result;
  result.reserve(ids.size());
  for (const ValueId id : ids) result.push_back(value(id));
  return result;
}

Value Recomputation::value(ValueId id) const {
  for (const Region& region : std::views::reverse(open_)) {
    const auto found = region.again.find(id);
    if (found != region.again.end()) return found->second;
  }
  return graph_.value(id);
}

// Whether it is a variable as it was before an update.
bool Recomputation::is_stale(Value value) const {
  const Variable* variable = value.root().variable();
  if (variable == nullptr) return false;
  while (value.node().op->kind() == OpKind::view) {
    value = graph_.value(value.node().inputs.front());
  }
  return !(value == graph_.parameter(*variable));
}

// Sources are there all the time. What was read and is there no more cannot be read again, as the
// count of a mask where a later one was drawn from the same sequence.
bool Recomputation::is_kept(const Node& node) const {
  const CallOp* call = node.op->as_call();
  if (call == nullptr) return node.op->kind() != OpKind::view;
  std::vector<bool> matters(node.inputs.size(), true);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (const auto updated = call->updated_input(i)) matters[*updated] = false;
  }
  for (std::size_t i = 0; i < matters.size(); ++i) {
    if (matters[i] && is_stale(graph_.value(node.inputs[i]))) return true;
  }
  return false;
}

void Recomputation::record(const Node& node) {
  if (is_kept(node)) return;
  const RecordScope scope(graph_, Pass::backward, &node);
  if (node.op->kind() == OpKind::view) {
    record_view(node, values(node.inputs));
  } else {
    record_call(node, values(node.inputs));
  }
}

// What it describes lies in memory as the original does.
void Recomputation::record_view(const Node& node, std::vector<Value> inputs) {
  const Value original = graph_.value(node.outputs.front());
  const Value again = Recorder(node.op->name(), std::move(inputs), node.where)
                          .add_view(std::static_pointer_cast<const ViewOp>(node.op),
                                    original.shape(), original.strides(), original.offset());
  open_.back().again.emplace(original.id(), again);
}

void Recomputation::record_call(const Node& node, std::vector<Value> inputs) {
  const std::vector<Value> outputs = graph_.values(node.outputs);
  std::vector<TensorSpec> specs;
  for (const Value& output : outputs) {
    if (!is_updated(output)) specs.push_back({output.shape(), output.dtype()});
  }
  if (specs.empty()) return;  // it has counted
  auto op = std::static_pointer_cast<const CallOp>(node.op);
  if (specs.size() < outputs.size()) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::optional<std::size_t> updated = op->updated_input(i);
      if (!updated) continue;
      Value& input = inputs[*updated];  // it is not read any more, but a fresh one is asked for
      input = graph_.parameter(*input.root().variable(), node.where);
    }
    op = op->without_updates();
    if (op == nullptr) {
      throw ValueError(
          fmt::format("{} updates a variable, so that it cannot be computed again: leave it out of "
                      "what is checkpointed()",
                      label(node)));
    }
  }
  Recorder record = inputs.empty() ? Recorder(op->name(), graph_, node.where)
                                   : Recorder(op->name(), std::move(inputs), node.where);
  const std::vector<Value> again = record.add(std::move(op), std::move(specs));
  for (std::size_t i = 0; i < again.size(); ++i) {
    open_.back().again.emplace(outputs[i].id(), again[i]);
  }
}

}  // namespace aclgrad::detail
