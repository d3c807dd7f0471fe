// SPDX-License-Identifier: Apache-2.0
#include "train/split_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/ops.h"
#include "aclgrad/record.h"
#include "train/batch_rules.h"

namespace aclgrad::detail {
namespace {

using Combination = Role::Combination;

DType wide(DType dtype) { return dtype == DType::float64 ? dtype : DType::float32; }

// Why a value that is not linear stops a split: the first node behind it that is none.
std::string obstacle_of(const BatchRoles& roles, const Value& value) {
  const Role& role = roles.of(value);
  if (!role.obstacle.empty()) return role.obstacle;
  if (role.kind == Role::Kind::total && !roles.is_constant(value) &&
      role.combination == Combination::none) {
    for (const Value& input : value.graph().values(value.node().inputs)) {
      std::string behind = obstacle_of(roles, input);
      if (!behind.empty()) return behind;
    }
    return fmt::format("{} is no sum or mean over the examples, nor one times a constant",
                       label(value.node()));
  }
  return "";
}

// What stands for the batch of a loss in another graph.
ValueMap in_place_of(const RecordedLoss& recorded, const BatchValues& batch) {
  ValueMap given;
  for (const auto& [name, value] : recorded.batch.parts()) given.emplace(value.id(), batch[name]);
  return given;
}

// The sum over targets, and the sum of their weights, of the node of a mean over targets that
// count. 16 bits do not hold such sums.
std::vector<Value> sum_and_weight(const Node& node, const Value& scores, const Value& target,
                                  const Value& weight) {
  const auto& op = static_cast<const NllLossOp&>(*node.op);
  const DType dtype = wide(scores.dtype());
  const Value sum = nll_loss({cast({scores, node.where}, dtype), node.where}, target,
                             {cast({weight, node.where}, dtype), op.ignore_index, Reduction::sum});
  return {sum, sum.graph().value(sum.node().outputs[1])};
}

}  // namespace

// ---- Training -----------------------------------------------------------------------------------

struct SplitLoss::Size {
  RecordedLoss recorded;
  BatchRoles roles;
  mutable ValueMap constants = {};

  Size(RecordedLoss loss, const RecordedLoss& whole, const std::vector<Variable>& trained)
      : recorded(std::move(loss)), roles(recorded, whole, trained, /*knows_whole=*/true) {}
};

// What one part records.
class SplitLoss::Part {
 public:
  Part(SplitLoss& split, const Size& size, const BatchValues& batch)
      : split_(split),
        size_(size),
        share_(static_cast<double>(size.recorded.examples) /
               static_cast<double>(split.whole_.examples)) {
    ValueMap given = in_place_of(size.recorded, batch);
    take_known(given);
    std::vector<Value> needed;
    need(size.recorded.loss, needed);
    copier_.emplace(size.recorded.graph, split.graph_, std::move(given), size.constants);
    copier_->copy(needed);
  }

  Value loss() const { return share_of(size_.recorded.loss); }

 private:
  const Role& role(const Value& value) const { return size_.roles.of(value); }

  Value from_whole(const Value& value) const {
    const Value there = size_.roles.in_other(value);
    split_.from_whole_.copy({there});
    return split_.from_whole_[there];
  }

  // Totals that are known are those of the whole batch.
  void take_known(ValueMap& given) const {
    const Graph& graph = size_.recorded.graph;
    std::vector<bool> wanted(graph.value_count(), false);
    const auto want = [&](ValueId id) { wanted[static_cast<std::size_t>(id)] = true; };
    want(size_.recorded.loss.id());
    for (auto id = static_cast<ValueId>(graph.value_count()) - 1; id >= 0; --id) {
      if (!wanted[static_cast<std::size_t>(id)]) continue;
      const Value value = graph.value(id);
      if (role(value).kind == Role::Kind::total && size_.roles.is_constant(value)) {
        given.emplace(id, from_whole(value));
        continue;
      }
      for (const ValueId input : value.node().inputs) want(input);
    }
  }

  // The values whose copies share_of() takes.
  void need(const Value& value, std::vector<Value>& needed) const {
    const bool whole = size_.roles.is_constant(value);
    const Combination combination = role(value).combination;
    if (whole || combination == Combination::sum || combination == Combination::mean) {
      needed.push_back(value);
      return;
    }
    const std::vector<Value> inputs = value.graph().values(value.node().inputs);
    if (combination == Combination::ratio) {
      needed.push_back(inputs[0]);
      needed.push_back(inputs[1]);
      needed.push_back(inputs[2]);
      return;
    }
    for (const Value& input : inputs) need(input, needed);
  }

  // What the part adds to a total of the batch.
  Value share_of(const Value& value) const {
    const Combination combination = role(value).combination;
    const Node& node = value.node();
    const std::source_location where = node.where;
    if (size_.roles.is_constant(value) || combination == Combination::mean) {
      const Value& copied = copied_value(value);
      const bool floats = is_floating(value.dtype());
      return mul({floats ? copied : cast({copied, where}, DType::float32), where}, share_);
    }
    if (combination == Combination::sum) return copied_value(value);
    const std::vector<Value> inputs = value.graph().values(node.inputs);
    if (combination == Combination::ratio) {
      const Value sum = sum_and_weight(node, copied_value(inputs[0]), copied_value(inputs[1]),
                                       copied_value(inputs[2]))[0];
      return cast({div({sum, where}, count_in_whole(value)), where}, value.dtype());
    }
    if (const auto* op = dynamic_cast<const AddNumberOp*>(node.op.get())) {
      return add({share_of(inputs[0]), where}, op->number * share_);
    }
    if (const auto* op = dynamic_cast<const AddOp*>(node.op.get())) {
      return add({share_of(inputs[0]), where}, share_of(inputs[1]), op->alpha);
    }
    if (const auto* op = dynamic_cast<const SubOp*>(node.op.get())) {
      return sub({share_of(inputs[0]), where}, share_of(inputs[1]), op->alpha);
    }
    if (is_any<DivOp>(node)) return div({share_of(inputs[0]), where}, copied_value(inputs[1]));
    if (is_any<MulOp>(node)) {
      return size_.roles.is_constant(inputs[1])
                 ? mul({share_of(inputs[0]), where}, copied_value(inputs[1]))
                 : mul({copied_value(inputs[0]), where}, share_of(inputs[1]));
    }
    return record_again(node, value, share_of(inputs[0]));
  }

  const Value& copied_value(const Value& value) const { return (*copier_)[value]; }

  // The weights of all targets that count, once for all parts: the loss of no scores has them, too.
  Value count_in_whole(const Value& loss) const {
    const Value there = size_.roles.in_other(loss);
    Value& count = split_.counts_[there.id()];
    if (!count) {
      const std::vector<Value> inputs = there.graph().values(there.node().inputs);
      split_.from_whole_.copy({inputs[1], inputs[2]});
      const Value zero = split_.graph_.constant(Tensor::zeros(Shape{}, wide(inputs[0].dtype())),
                                                loss.node().where);
      count = sum_and_weight(loss.node(), expand({zero, loss.node().where}, inputs[0].shape()),
                             split_.from_whole_[inputs[1]], split_.from_whole_[inputs[2]])[1];
    }
    return count;
  }

  SplitLoss& split_;
  const Size& size_;
  double share_;
  std::optional<NodeCopier> copier_;
};

SplitLoss::SplitLoss(const Graph& graph, LossRecorder loss, const BatchValues& batch,
                     std::vector<Variable> trained)
    : graph_(graph),
      loss_(std::move(loss)),
      trained_(std::move(trained)),
      whole_(record_loss(graph.mode(), loss_, specs_of(batch))),
      from_whole_(whole_.graph, graph, in_place_of(whole_, batch), whole_constants_) {}

SplitLoss::~SplitLoss() = default;

const SplitLoss::Size& SplitLoss::size_of(const BatchSpecs& specs) {
  std::unique_ptr<Size>& size = sizes_[examples_in(specs)];
  if (size) return *size;
  size = std::make_unique<Size>(record_loss(graph_.mode(), loss_, specs), whole_, trained_);
  const std::string obstacle = obstacle_of(size->roles, size->recorded.loss);
  if (!obstacle.empty()) {
    throw ValueError(fmt::format(
        "the loss of a batch of {} examples is not made of those of its parts: {}. Train on it in "
        "one part (1 micro-batch, 1 rank), or make the loss of sums and means over the examples",
        whole_.examples, obstacle));
  }
  return *size;
}

Value SplitLoss::part(const BatchValues& batch) {
  const BatchSpecs specs = specs_of(batch);
  if (examples_in(specs) == whole_.examples) return loss_(batch);
  return Part(*this, size_of(specs), batch).loss();
}

// ---- Evaluation ---------------------------------------------------------------------------------

PiecewiseLoss::PiecewiseLoss(const RecordedLoss& piece, const RecordedLoss& other,
                             const SessionOptions& options)
    : tail_(Mode::evaluation) {
  const BatchRoles roles(piece, other, {}, /*knows_whole=*/false);
  ValueMap leaves;
  collect(piece, roles, piece.loss, leaves);
  if (leaves.contains(piece.loss.id())) return;
  ValueMap constants;
  NodeCopier copier(piece.graph, tail_, std::move(leaves), constants);
  copier.copy({piece.loss});
  rest_.emplace(tail_, std::vector<Fetch>{copier[piece.loss]}, options);
}

void PiecewiseLoss::collect(const RecordedLoss& piece, const BatchRoles& roles, const Value& value,
                            ValueMap& leaves) {
  if (leaves.contains(value.id())) return;
  const Role& role = roles.of(value);
  const bool is_loss = value == piece.loss;
  if (role.obstacle.empty() && role.kind == Role::Kind::fixed && !is_loss) return;
  const Combination combination =
      role.kind == Role::Kind::fixed ? Combination::mean : role.combination;
  const Node& node = value.node();
  const std::vector<Value> inputs = piece.graph.values(node.inputs);
  const bool is_leaf = role.obstacle.empty() &&
                       (combination == Combination::sum || combination == Combination::mean ||
                        combination == Combination::ratio);
  if (is_leaf) {
    leaves_.push_back({combination, {value.shape(), value.dtype()}, fetched_.size()});
    if (combination == Combination::ratio) {
      for (const Value& each : sum_and_weight(node, inputs[0], inputs[1], inputs[2])) {
        fetched_.push_back(each);
      }
    } else {
      fetched_.push_back(value);
    }
    leaves.emplace(value.id(), is_loss ? value
                                       : tail_.input(fmt::format("total{}", leaves_.size() - 1),
                                                     value.shape(), value.dtype(), node.where));
    return;
  }
  const auto is_examples = [&](const Value& it) {
    return roles.of(it).kind == Role::Kind::examples;
  };
  const bool is_same = node.op->attributes() == roles.in_other(value).node().op->attributes();
  if (role.obstacle.empty() && is_same && !inputs.empty() &&
      std::ranges::none_of(inputs, is_examples)) {
    for (const Value& input : inputs) collect(piece, roles, input, leaves);
    return;
  }
  throw NotPiecewise(fmt::format(
      "the loss of more than {} examples is not made of those of pieces: {}. Evaluate all of them "
      "at once (a batch size of 0, as TrainerOptions::evaluation_batch has it), or make the loss "
      "of sums and means over the examples",
      piece.examples,
      role.obstacle.empty() ? label(node) + " is no sum or mean over the examples"
                            : role.obstacle));
}

void PiecewiseLoss::Sums::add(const PiecewiseLoss& loss, const Results& results,
                              std::int64_t examples) {
  sums_.resize(loss.fetched_.size());
  for (const Leaf& leaf : loss.leaves_) {
    const bool is_mean = leaf.combination == Combination::mean;
    const std::size_t count = leaf.combination == Combination::ratio ? 2 : 1;
    for (std::size_t i = leaf.first; i < leaf.first + count; ++i) {
      const Tensor values = results[i].to(DType::float64);
      sums_[i].resize(static_cast<std::size_t>(values.numel()), 0);
      const double factor = is_mean ? static_cast<double>(examples) : 1;
      for (std::size_t k = 0; k < sums_[i].size(); ++k) {
        sums_[i][k] += factor * values.data<double>()[k];
      }
    }
  }
  examples_ += examples;
}

std::vector<double> PiecewiseLoss::total(const Leaf& leaf, const Sums& sums) const {
  std::vector<double> values = sums.sums_[leaf.first];
  for (double& value : values) {
    if (leaf.combination == Combination::mean) value /= static_cast<double>(sums.examples_);
    if (leaf.combination == Combination::ratio) value /= sums.sums_[leaf.first + 1][0];
  }
  return values;
}

double PiecewiseLoss::loss(const Sums& sums) {
  if (!rest_) return total(leaves_.front(), sums).front();
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const std::vector<double> values = total(leaves_[i], sums);
    Tensor tensor = Tensor::zeros(leaves_[i].spec.shape, DType::float64);
    std::ranges::copy(values, tensor.data<double>().begin());
    feeds.emplace_back(fmt::format("total{}", i), tensor.to(leaves_[i].spec.dtype));
  }
  return rest_->run(feeds)[0].item();
}

}  // namespace aclgrad::detail
