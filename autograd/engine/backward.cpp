// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops.h"
#include "aclgrad/rule.h"
#include "engine/dependents.h"
#include "engine/recomputation.h"
#include "engine/slice_gradients.h"

namespace aclgrad {
namespace {

// Undoes broadcasting: sums a gradient over the axes along which its value was repeated.
Value sum_to(const Value& gradient, const Shape& shape) {
  const std::size_t added = gradient.shape().rank() - shape.rank();
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < gradient.shape().rank(); ++i) {
    const bool repeated = i < added || shape.dims()[i - added] != gradient.shape().dims()[i];
    if (repeated) axes.push_back(static_cast<std::int64_t>(i));
  }
  const Value sum = axes.empty() ? gradient : reduce_sum(gradient, axes);
  return sum.shape() == shape ? sum : reshape(sum, shape.dims());
}

// One call of backward().
class Engine {
 public:
  Engine(const Value& loss, const std::vector<Value>& wrt)
      : graph_(loss.graph()),
        loss_(loss),
        wanted_(wrt),
        last_(loss.node().id),
        recomputation_(graph_) {
    dependent_ = detail::dependents(graph_, wanted_, last_);
  }

  void run(const Value& seed) {
    gradients_.emplace(loss_.id(), seed);
    for (NodeId id = last_; id >= 0; --id) differentiate(graph_.node(id));
  }

  // The finished gradient, empty when the loss does not depend on the value.
  Value gradient(const Value& value) const {
    const auto found = gradients_.find(value.id());
    return found == gradients_.end() ? Value() : found->second;
  }

 private:
  bool depends(ValueId value) const { return dependent_.contains(value); }

  void differentiate(const Node& node) {
    std::vector<Value> arrived;
    bool any = false;
    for (const ValueId output : node.outputs) {
      join_slices(output);
      const auto found = gradients_.find(output);
      arrived.push_back(found == gradients_.end() ? Value() : found->second);
      any = any || arrived.back().valid();
    }
    if (!any) return;
    std::vector<bool> needs;
    for (const ValueId input : node.inputs) needs.push_back(depends(input));
    if (std::ranges::count(needs, true) == 0) return;
    const Op& op = *node.op;
    const Rule rule = find_rule(typeid(op));
    if (!rule) {
      throw ValueError(fmt::format("{}: the operator has no gradient rule", label(node)));
    }
    recomputation_.reach(node);
    const RecordScope scope(graph_, Pass::backward, &node);
    const RuleCall call(node, recomputation_.values(node.inputs),
                        recomputation_.values(node.outputs), std::move(arrived), needs);
    InputGradients found = rule(*node.op, call);
    if (found.size() != node.inputs.size()) {
      throw ValueError(fmt::format("{}: its gradient rule returned {} gradients for {} inputs",
                                   label(node), found.size(), node.inputs.size()));
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].id() >= 0 && !found[i].is_of(graph_)) {
        throw ValueError(
            fmt::format("{}: its gradient rule returned a value of another graph for input {}",
                        label(node), i));
      }
      if (!needs[i] || !found[i]) continue;
      const Value input = graph_.value(node.inputs[i]);
      const auto* cut = dynamic_cast<const SliceOp*>(&op);
      if (cut != nullptr && found[i].shape() != input.shape() &&
          found[i].shape() == graph_.value(node.outputs[i]).shape()) {
        slices_[input.id()].push_back({cut, cast(found[i], input.dtype()), &node});
      } else {
        accumulate_into(node.inputs[i], fit(node, i, found[i]));
      }
    }
  }

  // The gradient of a value that was cut: its slices' gradients have all arrived by now.
  void join_slices(ValueId value) {
    const auto found = slices_.find(value);
    if (found == slices_.end()) return;
    const RecordScope scope(graph_, Pass::backward, found->second.front().node);
    accumulate_into(value, detail::joined_slices(graph_.value(value), std::move(found->second)));
    slices_.erase(found);
  }

  // Brings a rule's gradient to the shape and dtype of its input.
  Value fit(const Node& node, std::size_t index, const Value& gradient) const {
    const Value input = graph_.value(node.inputs[index]);
    if (!expands_to(input.shape(), gradient.shape())) {
      throw ShapeError(
          fmt::format("{}: its gradient rule returned shape {} for input {} of shape "
                      "{}",
                      label(node), gradient.shape(), index, input.shape()));
    }
    return cast(sum_to(gradient, input.shape()), input.dtype());
  }

  void accumulate_into(ValueId value, const Value& gradient) {
    const auto [entry, is_first] = gradients_.try_emplace(value, gradient);
    if (!is_first) entry->second = add(entry->second, gradient);
  }

  Graph graph_;
  Value loss_;
  std::vector<Value> wanted_;
  NodeId last_;
  detail::Recomputation recomputation_;
  std::unordered_set<ValueId> dependent_;  // values that a change of a wanted one can reach
  std::unordered_map<ValueId, Value> gradients_;
  std::unordered_map<ValueId, std::vector<detail::SliceGradient>> slices_;  // not joined yet
};

void check(const Value& loss, const std::vector<Value>& wrt, const BackwardOptions& options) {
  if (!is_floating(loss.dtype())) {
    throw DTypeError(
        fmt::format("cannot differentiate {}: it is {}", label(loss.node()), loss.dtype()));
  }
  for (const Value& value : wrt) {
    if (!(value.graph() == loss.graph())) {
      throw ValueError(
          fmt::format("{} belongs to another graph than the loss", value.description()));
    }
    if (!is_floating(value.dtype())) {
      throw DTypeError(fmt::format("{} is {}, there is no gradient with respect to it",
                                   value.description(), value.dtype()));
    }
  }
  if (options.seed.id() < 0) {
    if (loss.shape().numel() != 1) {
      throw ShapeError(
          fmt::format("{} has shape {}; a loss must have one element, or a seed be "
                      "given",
                      label(loss.node()), loss.shape()));
    }
    return;
  }
  if (!options.seed.is_of(loss.graph())) {
    throw ValueError(fmt::format("the seed belongs to another graph than {}", label(loss.node())));
  }
  if (options.seed.shape() != loss.shape()) {
    throw ShapeError(fmt::format("the seed has shape {}, {} has {}", options.seed.shape(),
                                 label(loss.node()), loss.shape()));
  }
  if (options.seed.dtype() != loss.dtype()) {
    throw DTypeError(fmt::format("the seed is {}, {} is {}", options.seed.dtype(),
                                 label(loss.node()), loss.dtype()));
  }
}

}  // namespace

Gradients backward(const Value& loss, const std::vector<Value>& wrt, BackwardOptions options,
                   std::source_location where) {
  check(loss, wrt, options);
  Graph graph = loss.graph();
  const RecordScope scope(graph, Pass::backward);
  Engine engine(loss, wrt);
  const auto first = static_cast<ValueId>(graph.value_count());
  if (options.seed.id() < 0) {
    options.seed = graph.constant(Tensor::full(loss.shape(), 1, loss.dtype()), where);
  }
  engine.run(options.seed);
  std::vector<Gradients::Pair> pairs;
  std::unordered_set<ValueId> taken;
  for (const Value& value : wrt) {
    Value gradient = engine.gradient(value);
    if (!gradient && options.omit_unused) continue;
    if (!gradient && !options.allow_unused) {
      throw ValueError(
          fmt::format("{} does not depend on {} (set allow_unused for a gradient of "
                      "zeros)",
                      label(loss.node()), value.description()));
    }
    if (!gradient) gradient = graph.constant(Tensor::zeros(value.shape(), value.dtype()), where);
    // What the caller made, or another value's gradient, keeps its name: this one is a view of it.
    if (gradient.id() < first || !taken.insert(gradient.id()).second) {
      gradient = expand({gradient, where}, gradient.shape());
    }
    if (gradient.name().empty() && !value.name().empty()) gradient.named("d " + value.name());
    pairs.push_back({value, gradient});
  }
  return Gradients(std::move(pairs));
}

}  // namespace aclgrad
