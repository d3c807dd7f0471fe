// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/graph/double_copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/graph/record.h"

namespace aclgrad::detail {
namespace {

DType widened(DType dtype) { return is_floating(dtype) ? DType::float64 : dtype; }

class Copier {
 public:
  explicit Copier(const Value& result) : from_(result.graph()), needed_(from_.size(), false) {
    const NodeId last = result.node().id;
    need(last);
    for (NodeId id = last; id >= 0; --id) {
      if (!needed_[static_cast<std::size_t>(id)]) continue;
      for (const Value& input : from_.values(from_.node(id).inputs)) need(input.node().id);
    }
    for (NodeId id = 0; id <= last; ++id) {
      if (needed_[static_cast<std::size_t>(id)]) copy(from_.node(id));
    }
    out_.result = out_.copies.at(result.id());
  }

  DoubleCopy take() { return std::move(out_); }

 private:
  void need(NodeId id) { needed_[static_cast<std::size_t>(id)] = true; }

  void copy(const Node& node) {
    if (node.inputs.empty() && copy_source(node)) return;
    std::vector<Value> inputs;
    for (const ValueId input : node.inputs) {
      const auto found = out_.copies.find(input);
      if (found == out_.copies.end()) refuse_update(from_.value(input).node());
      inputs.push_back(found->second);
    }
    const std::vector<Value> outputs = from_.values(node.outputs);
    Recorder record = inputs.empty() ? Recorder(node.op->name(), out_.graph, node.where)
                                     : Recorder(node.op->name(), std::move(inputs), node.where);
    if (auto view = std::dynamic_pointer_cast<const ViewOp>(node.op)) {
      const Value& value = outputs.front();
      define(value,
             record.add_view(std::move(view), value.shape(), value.strides(), value.offset()));
      return;
    }
    // What counts does not count during a check, so that random masks stay as they are.
    const auto counts = [](const Value& output) {
      return !(output.root() == output) && !is_floating(output.dtype());
    };
    if (std::ranges::all_of(outputs, counts)) {
      for (const Value& output : outputs)
        out_.copies.emplace(output.id(), out_.copies.at(output.root().id()));
      return;
    }
    std::vector<TensorSpec> specs;
    for (const Value& output : outputs) {
      if (!(output.root() == output)) break;
      specs.push_back({output.shape(), widened(output.dtype())});
    }
    std::shared_ptr<const Op> op = node.op;
    if (specs.size() < outputs.size()) {
      op = node.op->as_call()->without_updates();
      if (op == nullptr) refuse_update(node);
    }
    const std::vector<Value> copied = record.add(std::move(op), std::move(specs));
    for (std::size_t i = 0; i < copied.size(); ++i) define(outputs[i], copied[i]);
  }

  [[noreturn]] static void refuse_update(const Node& node) {
    throw ValueError(
        fmt::format("{} updates a variable: gradients can be checked only of what was recorded "
                    "before the update",
                    label(node)));
  }

  // Inputs, variables and constants; false for an operator without inputs.
  bool copy_source(const Node& node) {
    const Value value = from_.value(node.outputs.front());
    const OpKind kind = node.op->kind();
    if (kind == OpKind::constant) {
      const Tensor& tensor = static_cast<const ConstantOp&>(*node.op).tensor;
      define(value, out_.graph.constant(tensor.to(widened(value.dtype())), node.where));
      return true;
    }
    if (kind != OpKind::input && kind != OpKind::variable) return false;
    // Names may occur twice between inputs and variables; numbers do not.
    const Value input = out_.graph.input(std::to_string(value.id()), value.shape(),
                                         widened(value.dtype()), node.where);
    out_.leaves.push_back({value, input});
    define(value, input);
    return true;
  }

  void define(const Value& original, const Value& copied) {
    if (!original.name().empty()) copied.named(original.name());
    out_.copies.emplace(original.id(), copied);
  }

  Graph from_;
  std::vector<bool> needed_;
  DoubleCopy out_;
};

}  // namespace

DoubleCopy copy_as_double(const Value& result) { return Copier(result).take(); }

}  // namespace aclgrad::detail
