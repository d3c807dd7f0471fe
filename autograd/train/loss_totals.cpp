// SPDX-License-Identifier: Apache-2.0
#include "train/loss_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "aclgrad/graph/record.h"
#include "aclgrad/ops.h"
#include "tensor/at_least_float.h"

namespace aclgrad::detail {
namespace {

// The values that depend on these, or on such nodes.
template <class Begins>
std::vector<bool> reached_from(const Graph& graph, std::vector<bool> reached,
                               const Begins& begins) {
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    const auto is_reached = [&](ValueId value) { return reached[static_cast<std::size_t>(value)]; };
    if (!begins(node) && !std::ranges::any_of(node.inputs, is_reached)) continue;
    for (const ValueId value : node.outputs) reached[static_cast<std::size_t>(value)] = true;
  }
  return reached;
}

std::vector<bool> reached_from(const BatchValues& batch) {
  const Graph graph = batch.graph();
  std::vector<bool> reached(graph.value_count());
  for (const auto& [name, value] : batch.parts()) {
    reached[static_cast<std::size_t>(value.id())] = true;
  }
  return reached_from(graph, std::move(reached), [](const Node&) { return false; });
}

template <class OpType>
std::optional<Reduction> reduction_of(const Node& node) {
  if (!is_any<OpType>(node)) return std::nullopt;
  return static_cast<const OpType&>(*node.op).reduction;
}

std::optional<Reduction> elementwise_loss(const Node& node) {
  if (const auto it = reduction_of<MseLossOp>(node)) return it;
  if (const auto it = reduction_of<L1LossOp>(node)) return it;
  if (const auto it = reduction_of<SmoothL1LossOp>(node)) return it;
  if (const auto it = reduction_of<BinaryCrossEntropyOp>(node)) return it;
  if (const auto it = reduction_of<SoftMarginLossOp>(node)) return it;
  return reduction_of<BceWithLogitsOp>(node);
}

}  // namespace

LossTotals::LossTotals(const RecordedLoss& whole, const Value& part, std::int64_t part_examples)
    : whole_(whole),
      part_examples_(part_examples),
      of_batch_(reached_from(whole.batch)),
      counted_(reached_from(whole.graph, std::vector<bool>(whole.graph.value_count()), updates)),
      loss_(without_copies({whole.loss.sum() ? whole.loss.sum() : whole.loss.value(), part})) {}

// What one has copied, for its layout, the other may have as it is.
InBoth LossTotals::without_copies(InBoth value) const {
  const auto copied = [](const Value& it) { return it.graph().value(it.node().inputs.front()); };
  const bool whole = is_any<CopyOp>(value.whole.node()), part = is_any<CopyOp>(value.part.node());
  if (whole && !part) value.whole = copied(value.whole);
  if (part && !whole) value.part = copied(value.part);
  const Node& a = value.whole.node();
  const Node& b = value.part.node();
  const Op& op = *a.op;
  const Op& other = *b.op;
  if (typeid(op) == typeid(other) && a.inputs.size() == b.inputs.size() &&
      value.whole.id() - a.outputs.front() == value.part.id() - b.outputs.front()) {
    return value;
  }
  throw NoTotal(fmt::format("{} is recorded for {} examples, and something else for {}", label(b),
                            part_examples_, whole_.examples));
}

std::vector<InBoth> LossTotals::inputs_of(const InBoth& value) const {
  const std::vector<Value> whole = value.whole.graph().values(value.whole.node().inputs);
  const std::vector<Value> part = value.part.graph().values(value.part.node().inputs);
  std::vector<InBoth> inputs;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    inputs.push_back(without_copies({whole[i], part[i]}));
  }
  return inputs;
}

// A mean is over equally many elements of every example.
void LossTotals::require_same_share(const InBoth& reduced, const InBoth& result) const {
  const auto count = [](const Value& from, const Value& to) {
    return from.shape().numel() / std::max<std::int64_t>(to.shape().numel(), 1);
  };
  if (count(reduced.part, result.part) * whole_.examples ==
      count(reduced.whole, result.whole) * part_examples_) {
    return;
  }
  throw NoTotal(fmt::format("{} takes another number of elements of each example in a larger batch",
                            label(result.part.node())));
}

Total LossTotals::kind_of(const InBoth& value) const {
  if (!depends_on_batch(value.whole)) return Total::fixed;
  const Node& node = value.whole.node();
  const std::vector<InBoth> inputs = inputs_of(value);
  const auto is_larger = [](const InBoth& it) { return it.whole.shape() != it.part.shape(); };
  if (std::ranges::none_of(inputs, is_larger)) return Total::made;
  const auto mean = [&] {
    require_same_share(inputs.front(), value);
    return Total::mean;
  };
  if (is_any<ReduceSumOp, MatmulOp, BmmOp>(node)) return Total::sum;
  if (is_any<MeanOp>(node)) return mean();
  if (const auto how = elementwise_loss(node)) return *how == Reduction::mean ? mean() : Total::sum;
  if (const auto how = reduction_of<NllLossOp>(node)) {
    const bool is_weight = value.whole.id() != node.outputs.front();
    return *how == Reduction::sum || is_weight ? Total::sum : Total::weighted;
  }
  throw NoTotal(fmt::format("{} is no sum or mean over the examples", label(value.part.node())));
}

double LossTotals::ratio_of_numbers(const InBoth& value) const {
  const Node& whole = value.whole.node();
  const Node& part = value.part.node();
  if (!is_linear(whole) || whole.inputs.empty()) return 1;
  const auto ratio = [&]<class OpType>(const OpType&) {
    const double number = static_cast<const OpType&>(*whole.op).number;
    return number / static_cast<const OpType&>(*part.op).number;
  };
  double own = 1;
  if (const auto* op = dynamic_cast<const MulNumberOp*>(whole.op.get())) own = ratio(*op);
  if (const auto* op = dynamic_cast<const DivNumberOp*>(whole.op.get())) own = 1 / ratio(*op);
  const double before = ratio_of_numbers(inputs_of(value).front());
  return own == own ? own * before : before;  // 0 / 0
}

bool is_linear(const Node& node) {
  return is_any<ReshapeOp, PermuteOp, ExpandOp, SliceOp, CastOp, CopyOp, ReduceSumOp, MeanOp,
                MulNumberOp, DivNumberOp, NegOp, StopGradientOp>(node);
}

SumAndWeight sum_and_weight(const Node& node, const Value& scores, const Value& target,
                            const Value& weight) {
  const auto& op = static_cast<const NllLossOp&>(*node.op);
  const DType dtype = at_least_float(scores.dtype());
  const Value sum = nll_loss({cast({scores, node.where}, dtype), node.where}, target,
                             {cast({weight, node.where}, dtype), op.ignore_index, Reduction::sum});
  return {sum, sum.graph().value(sum.node().outputs[1])};
}

Value record_again(const Value& result, const Graph& graph, const std::vector<Value>& inputs) {
  const Node& node = result.node();
  const auto again = [&]() -> Value {
    if (node.op->kind() == OpKind::constant) {
      return graph.constant(static_cast<const ConstantOp&>(*node.op).tensor, node.where);
    }
    if (inputs.empty()) {
      return Recorder(node.op->name(), graph, node.where)
          .add(node.op, {result.shape(), result.dtype()});
    }
    const Operand x{inputs.front(), node.where};
    if (node.op->kind() != OpKind::view) {
      std::vector<TensorSpec> specs;
      for (const Value& output : result.graph().values(node.outputs)) {
        specs.push_back({output.shape(), output.dtype()});
      }
      return Recorder(node.op->name(), inputs, node.where)
          .add(node.op,
               std::move(specs))[static_cast<std::size_t>(result.id() - node.outputs.front())];
    }
    // The input may lie otherwise in memory than the original's.
    if (const auto* order = dynamic_cast<const PermuteOp*>(node.op.get())) {
      return permute(x, order->order);
    }
    if (const auto* cut = dynamic_cast<const SliceOp*>(node.op.get())) {
      return slice(x, cut->dim, cut->start, cut->end, cut->step);
    }
    if (is_any<ExpandOp>(node)) return expand(x, result.shape());
    if (is_any<StopGradientOp>(node)) return stop_gradient(x);
    return reshape(x, result.shape());
  };
  const Value made = again();
  if (!result.name().empty() && made.name().empty()) made.named(result.name());
  return made;
}

Value record_again(const Value& result, const Graph& graph, std::map<ValueId, Value>& made) {
  if (const auto found = made.find(result.id()); found != made.end()) return found->second;
  const Node& node = result.node();
  std::vector<Value> inputs;
  for (const Value& input : result.graph().values(node.inputs)) {
    inputs.push_back(record_again(input, graph, made));
  }
  const Value value = node.op->kind() == OpKind::variable
                          ? graph.parameter(*result.variable(), node.where)
                          : record_again(result, graph, inputs);
  made.emplace(result.id(), value);
  return value;
}

bool updates(const Node& node) {
  const CallOp* call = node.op->as_call();
  for (std::size_t i = 0; call != nullptr && i < node.outputs.size(); ++i) {
    if (call->updated_input(i)) return true;
  }
  return false;
}

}  // namespace aclgrad::detail
