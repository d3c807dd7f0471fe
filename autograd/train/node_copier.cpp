// SPDX-License-Identifier: Apache-2.0
#include "train/node_copier.h"

#include <algorithm>
#include <utility>

#include "aclgrad/ops/shape.h"
#include "aclgrad/record.h"

namespace aclgrad::detail {
Value record_again(const Node& node, const Value& result, const Value& input) {
  if (node.op->kind() != OpKind::view) {
    return Recorder(node.op->name(), {input}, node.where)
        .add(node.op, {result.shape(), result.dtype()});
  }
  // The input may lie otherwise in memory than the original's.
  if (const auto* permutation = dynamic_cast<const PermuteOp*>(node.op.get())) {
    return permute({input, node.where}, permutation->order);
  }
  if (dynamic_cast<const ExpandOp*>(node.op.get()) != nullptr) {
    return expand({input, node.where}, result.shape());
  }
  if (const auto* cut = dynamic_cast<const SliceOp*>(node.op.get())) {
    return slice({input, node.where}, cut->dim, cut->start, cut->end, cut->step);
  }
  if (dynamic_cast<const ReshapeOp*>(node.op.get()) != nullptr) {
    return reshape({input, node.where}, result.shape().dims());
  }
  if (dynamic_cast<const StopGradientOp*>(node.op.get()) != nullptr) {
    return stop_gradient({input, node.where});
  }
  return Recorder(node.op->name(), {input}, node.where)
      .add_view(std::static_pointer_cast<const ViewOp>(node.op), result.shape(), result.strides(),
                result.offset());
}

NodeCopier::NodeCopier(const Graph& from, const Graph& to, ValueMap given, ValueMap& constants)
    : from_(from), to_(to), copies_(std::move(given)), constants_(constants) {}

void NodeCopier::copy(const std::vector<Value>& wanted) {
  std::vector<bool> needed(from_.size(), false);
  NodeId last = -1;
  const auto need = [&](const Value& value) {
    if (copies_.contains(value.id())) return;
    const NodeId id = value.node().id;
    needed[static_cast<std::size_t>(id)] = true;
    last = std::max(last, id);
  };
  for (const Value& value : wanted) need(value);
  for (NodeId id = last; id >= 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    for (const Value& input : from_.values(from_.node(id).inputs)) need(input);
  }
  for (NodeId id = 0; id <= last; ++id) {
    if (needed[static_cast<std::size_t>(id)]) copy(from_.node(id));
  }
}

void NodeCopier::copy(const Node& node) {
  const std::vector<Value> outputs = from_.values(node.outputs);
  const Value& first = outputs.front();
  if (const Variable* variable = first.variable(); variable != nullptr && node.inputs.empty()) {
    copies_[first.id()] = to_.parameter(*variable, node.where);
    return;
  }
  if (node.op->kind() == OpKind::constant) {
    const auto [known, is_new] = constants_.try_emplace(first.id());
    if (is_new) {
      known->second = to_.constant(static_cast<const ConstantOp&>(*node.op).tensor, node.where);
    }
    define(first, known->second);
    return;
  }
  std::vector<Value> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(copies_.at(input));
  if (node.op->kind() == OpKind::view) {
    if (inputs.size() == 1) {
      define(first, record_again(node, first, inputs.front()));
      return;
    }
    const Value viewed = inputs.front();  // with what its gradient is made of behind it
    define(first, Recorder(node.op->name(), std::move(inputs), node.where)
                      .add_view(std::static_pointer_cast<const ViewOp>(node.op), viewed.shape(),
                                viewed.strides(), viewed.offset()));
    return;
  }
  std::vector<TensorSpec> specs;
  for (const Value& output : outputs) specs.push_back({output.shape(), output.dtype()});
  Recorder record = inputs.empty() ? Recorder(node.op->name(), to_, node.where)
                                   : Recorder(node.op->name(), std::move(inputs), node.where);
  const std::vector<Value> copied = record.add(node.op, std::move(specs));
  for (std::size_t i = 0; i < outputs.size(); ++i) define(outputs[i], copied[i]);
}

void NodeCopier::define(const Value& original, const Value& copied) {
  if (!original.name().empty() && copied.name().empty()) copied.named(original.name());
  copies_[original.id()] = copied;
}

}  // namespace aclgrad::detail
