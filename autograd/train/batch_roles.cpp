// SPDX-License-Identifier: Apache-2.0
#include "train/batch_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <typeinfo>
#include <unordered_set>
#include <utility>

#include "aclgrad/ops.h"
#include "train/batch_rules.h"

namespace aclgrad::detail {
namespace {

// Whether all elements are the same, so that it does not matter which rows a part has.
bool is_uniform(const Tensor& tensor) {
  const std::size_t size = size_of(tensor.dtype());
  for (std::size_t at = size; at < tensor.nbytes(); at += size) {
    if (!std::equal(tensor.bytes(), tensor.bytes() + size, tensor.bytes() + at)) return false;
  }
  return true;
}

const Tensor& tensor_of(const Node& node) {
  return static_cast<const ConstantOp&>(*node.op).tensor;
}

bool draws(const Node& node) { return is_any<NormalOp, UniformOp, DropoutMaskOp>(node); }

}  // namespace

BatchSpecs specs_of(const BatchValues& batch) {
  BatchSpecs specs;
  for (const auto& [name, value] : batch.parts()) {
    specs.emplace(name, TensorSpec{value.shape(), value.dtype()});
  }
  return specs;
}

std::int64_t examples_in(const BatchSpecs& specs) { return specs.begin()->second.shape.dims()[0]; }

BatchSpecs with_examples(BatchSpecs specs, std::int64_t examples) {
  for (auto& [name, spec] : specs) {
    std::vector<std::int64_t> dims = spec.shape.dims();
    dims[0] = examples;
    spec.shape = Shape(std::move(dims));
  }
  return specs;
}

BatchValues batch_inputs(const Graph& graph, const BatchSpecs& specs) {
  BatchValues::Parts parts;
  for (const auto& [name, spec] : specs) {
    parts.emplace(name, graph.input(name, spec.shape, spec.dtype));
  }
  return BatchValues(std::move(parts));
}

RecordedLoss record_loss(Mode mode, const LossRecorder& loss, const BatchSpecs& specs) {
  RecordedLoss recorded{.graph = Graph(mode), .examples = examples_in(specs)};
  recorded.batch = batch_inputs(recorded.graph, specs);
  recorded.loss = loss(recorded.batch);
  return recorded;
}

Role blocked(const Node& node, const std::string& why) {
  Role role;
  role.known = false;
  role.obstacle = fmt::format("{} {}", label(node), why);
  return role;
}

BatchRoles::BatchRoles(const RecordedLoss& part, const RecordedLoss& other,
                       const std::vector<Variable>& trained, bool knows_whole)
    : part_(part),
      other_(other),
      knows_whole_(knows_whole),
      pairs_(part.graph.value_count(), -1),
      roles_(part.graph.value_count()) {
  for (const Variable& variable : trained) trained_.insert(variable.identity());
  if (!pair_up()) return;
  for (NodeId id = 0; id <= part_.loss.node().id; ++id) {
    const Node& node = part_.graph.node(id);
    if (std::ranges::any_of(node.outputs, [&](ValueId it) { return pairs_[index(it)] >= 0; })) {
      classify(node);
    }
  }
  Role& loss = roles_[index(part_.loss.id())];
  if (loss.kind == Role::Kind::fixed && loss.power != 0) {
    loss = blocked(part_.loss.node(), "goes by the number of examples");
  }
}

// From the losses backwards. What one has copied, for its layout, the other may have as it is.
bool BatchRoles::pair_up() {
  const auto differ = [&](const Node& node) {
    roles_[index(part_.loss.id())] =
        blocked(node, fmt::format("is recorded for {} examples, and something else for {}",
                                  part_.examples, other_.examples));
    return false;
  };
  std::vector<std::pair<Value, Value>> open = {{part_.loss, other_.loss}};
  while (!open.empty()) {
    const auto [here, there] = open.back();
    open.pop_back();
    if (pairs_[index(here.id())] >= 0) continue;
    const Node& a = here.node();
    const Node& b = there.node();
    const Op& op_a = *a.op;
    const Op& op_b = *b.op;
    if (typeid(op_a) != typeid(op_b)) {
      if (is_any<CopyOp>(a)) {
        pairs_[index(here.id())] = there.id();
        open.emplace_back(part_.graph.value(a.inputs.front()), there);
      } else if (is_any<CopyOp>(b)) {
        open.emplace_back(here, other_.graph.value(b.inputs.front()));
      } else {
        return differ(a);
      }
      continue;
    }
    const Variable* variable = a.inputs.empty() ? here.variable() : nullptr;
    const bool same = a.inputs.size() == b.inputs.size() && a.outputs.size() == b.outputs.size() &&
                      here.id() - a.outputs.front() == there.id() - b.outputs.front() &&
                      (variable == nullptr || *variable == *there.variable()) &&
                      (a.op->kind() != OpKind::input || here.name() == there.name());
    if (!same) return differ(a);
    for (std::size_t i = 0; i < a.outputs.size(); ++i) pairs_[index(a.outputs[i])] = b.outputs[i];
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
      open.emplace_back(part_.graph.value(a.inputs[i]), other_.graph.value(b.inputs[i]));
    }
  }
  return true;
}

bool BatchRoles::is_constant(const Value& value) const {
  const Role& role = of(value);
  return role.kind == Role::Kind::fixed ||
         (role.kind == Role::Kind::total && role.known && knows_whole_);
}

bool BatchRoles::grows_with_examples(const Shape& here, const Shape& there,
                                     std::size_t* axis) const {
  if (here.rank() != there.rank()) return false;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < here.rank(); ++i) {
    if (here.dims()[i] == there.dims()[i]) continue;
    if (here.dims()[i] * other_.examples != there.dims()[i] * part_.examples) return false;
    *axis = i;
    ++differing;
  }
  return differing == 1;
}

BatchRoles::Growth BatchRoles::growth(const Value& value, std::size_t* axis) const {
  const Shape& here = value.shape();
  const Shape there = in_other(value).shape();
  if (here == there) return Growth::none;
  return grows_with_examples(here, there, axis) ? Growth::with_examples : Growth::other;
}

bool BatchRoles::broadcast_grows(const Value& a, const Value& b) const {
  const Shape here = broadcast(a.shape(), b.shape());
  const Shape there = broadcast(in_other(a).shape(), in_other(b).shape());
  std::size_t axis = 0;
  return grows_with_examples(here, there, &axis);
}

void BatchRoles::classify(const Node& node) {
  if (node.inputs.empty()) return classify_source(node);
  // What it reads may stop it; so may what it updates, from being known before.
  const Role* stopped = nullptr;
  bool known = true, any_examples = false, any_total = false;
  for (const ValueId input : node.inputs) {
    const Role& role = roles_[index(input)];
    if (!role.obstacle.empty() && stopped == nullptr) stopped = &role;
    known = known && role.known;
    any_examples = any_examples || role.kind == Role::Kind::examples;
    any_total = any_total || role.kind == Role::Kind::total;
  }
  const CallOp* call = node.op->as_call();
  for (std::size_t i = 0; call != nullptr && i < node.outputs.size(); ++i) {
    known = known && !call->updated_input(i);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (pairs_[index(node.outputs[i])] < 0) continue;
    const Value result = part_.graph.value(node.outputs[i]);
    std::size_t axis = kNoAxis;
    const Growth grown = growth(result, &axis);
    Role role;
    if (stopped != nullptr) {
      role = *stopped;
    } else if (is_any<DropoutMaskOp>(node)) {
      if (grown != Growth::none) {
        role = {.kind = Role::Kind::examples, .axis = kNoAxis, .blocks = 0};
      }
    } else if (any_examples && grown == Growth::with_examples) {
      role = examples_of(*this, node, result, axis);
    } else if (any_examples && grown == Growth::other) {
      role = blocked(node, "brings every example together with the others");
    } else if (any_examples) {
      role = reduction_of(*this, node, i);
    } else if (any_total) {
      role = total_of(*this, node, result, grown, axis);
    } else {
      role = fixed_of(*this, node, grown, axis);
    }
    role.known = role.known && known && role.obstacle.empty();
    roles_[index(result.id())] = std::move(role);
  }
}

void BatchRoles::classify_source(const Node& node) {
  const Value value = part_.graph.value(node.outputs.front());
  Role& role = roles_[index(value.id())];
  if (node.op->kind() == OpKind::input) {
    role.kind = Role::Kind::examples;
    return;
  }
  if (const Variable* variable = value.variable()) {
    role.known = !trained_.contains(variable->identity());
    return;
  }
  std::size_t axis = 0;
  const Value other = in_other(value);
  const Node& there = other.node();
  const Growth grown = growth(value, &axis);
  if (grown != Growth::none) {
    const bool alike =
        node.op->kind() == OpKind::constant
            ? is_uniform(tensor_of(node)) && is_uniform(tensor_of(there)) &&
                  value.shape().numel() > 0 && tensor_of(node).get(0) == tensor_of(there).get(0)
            : is_any<ZerosOp>(node) || draws(node) ||
                  (is_any<FullOp>(node) && node.op->attributes() == there.op->attributes());
    if (grown == Growth::other || !alike) {
      role = blocked(node, "has something of its own for every example of a batch");
    } else {
      role = {.kind = Role::Kind::examples, .axis = axis, .blocks = 0};
    }
    return;
  }
  if (node.op->kind() == OpKind::constant) {
    if (bitwise_equal(tensor_of(node), tensor_of(there))) return;
    if (value.shape().numel() == 1) {
      if (const auto power = power_of_ratio(tensor_of(node).get(0), tensor_of(there).get(0))) {
        role.power = *power;
        return;
      }
    }
    role = blocked(node, "is another one for another number of examples");
    return;
  }
  if (node.op->attributes() == there.op->attributes()) return;
  if (is_any<FullOp>(node)) {
    if (const auto power = power_of_ratio(static_cast<const FullOp&>(*node.op).value,
                                          static_cast<const FullOp&>(*there.op).value)) {
      role.power = *power;
      return;
    }
  }
  role = blocked(node, "is another one for another number of examples");
}

std::optional<int> BatchRoles::power_of_ratio(double here, double there) const {
  const auto n = static_cast<double>(part_.examples), m = static_cast<double>(other_.examples);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); };
  if (here == there) return 0;
  if (near(here * m, there * n)) return 1;
  if (near(here * n, there * m)) return -1;
  return std::nullopt;
}

}  // namespace aclgrad::detail
