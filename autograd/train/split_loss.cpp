// SPDX-License-Identifier: Apache-2.0
#include "train/split_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <map>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/ops.h"
#include "engine/dependents.h"

namespace aclgrad::detail {
namespace {

std::string name_of_weight(std::size_t number) { return fmt::format("weight#{}", number); }

}  // namespace

void refuse_parts(std::int64_t examples, const NoTotal& obstacle) {
  throw ValueError(fmt::format(
      "the loss of a batch of {} examples is not made of those of its parts: {}. Train on it in "
      "one part (1 micro-batch, 1 rank), make the loss of sums and means over the examples, or "
      "return Loss(sum, weight), which says what adds up",
      examples, obstacle.what()));
}

// What one part records: the nodes above its totals anew, with the numbers of the whole batch.
class SplitLoss::Part {
 public:
  Part(SplitLoss& split, const LossTotals& totals, const Graph& graph, double share,
       const std::vector<Value>* weights)
      : split_(split), totals_(totals), graph_(graph), share_(share), weights_(weights) {}

  // What the part adds to a total of the batch.
  Value share_of(const InBoth& value) {
    const Node& node = value.whole.node();
    const std::source_location where = node.where;
    switch (totals_.kind_of(value)) {
      case Total::fixed:
        return share_of_number(fixed(value), where);
      case Total::sum:
        return scaled(value, 1);
      case Total::mean:
        return scaled(value, share_);
      case Total::weighted:
        return weighted(value);
      case Total::made:
        break;
    }
    const std::vector<InBoth> inputs = totals_.inputs_of(value);
    const auto again = [&](std::vector<Value> shares) {
      return record_again(value.whole, graph_, shares);
    };
    if (is_linear(node)) return again({share_of(inputs[0])});
    if (is_any<AddNumberOp>(node)) {
      const double number = static_cast<const AddNumberOp&>(*node.op).number;
      return add({share_of(inputs[0]), where}, number * share_);
    }
    if (is_any<AddOp, SubOp, CatOp, StackOp>(node)) {
      std::vector<Value> shares;
      for (const InBoth& input : inputs) shares.push_back(share_of(input));
      return again(std::move(shares));
    }
    if (is_any<MulOp, DivOp>(node) && is_factor(inputs[1])) {
      return again({share_of(inputs[0]), factor(inputs[1])});
    }
    if (is_any<MulOp>(node) && is_factor(inputs[0])) {
      return again({factor(inputs[0]), share_of(inputs[1])});
    }
    if (is_known(value.whole)) return share_of_number(weight(value.whole), where);
    blame(inputs);
    throw NoTotal(fmt::format(
        "{} is no sum or mean over the examples, nor one times what does not depend on the model",
        label(value.part.node())));
  }

  // sum / weight, as a loss tells them.
  Value share_of_told(const Value& sum, const Value& told) {
    if (!told) return sum;
    if (totals_.depends_on_batch(told) && !is_known(told)) {
      throw NoTotal(fmt::format("{} is the weight of the loss, and depends on the model",
                                label(told.node())));
    }
    return quotient(sum, weight(told));
  }

 private:
  // Without a gradient for the model, and without what a run of it would count or draw.
  bool is_known(const Value& whole) const {
    return !split_.trained_.contains(whole.id()) && totals_.is_repeatable(whole);
  }

  // Throws for the first of the nodes behind that is no total.
  void blame(const std::vector<InBoth>& values) const {
    for (const InBoth& value : values) {
      if (totals_.kind_of(value) == Total::made) blame(totals_.inputs_of(value));
    }
  }

  Value scaled(const InBoth& value, double by) const {
    const double factor = by * totals_.ratio_of_numbers(value);
    return factor == 1 ? value.part : mul({value.part, value.whole.node().where}, factor);
  }

  Value share_of_number(const Value& number, std::source_location where) const {
    const bool floats = is_floating(number.dtype());
    return mul({floats ? number : cast({number, where}, DType::float32), where}, share_);
  }

  // The weights of all targets that count: the loss of no scores has them, too.
  Value weighted(const InBoth& value) {
    const Node& node = value.whole.node();
    const std::vector<Value> whole = value.whole.graph().values(node.inputs);
    const std::vector<Value> part = value.part.graph().values(value.part.node().inputs);
    if (!is_known(whole[1]) || !is_known(whole[2])) {
      throw NoTotal(fmt::format("the weights of {} depend on the model", label(value.part.node())));
    }
    const auto count = [&] {
      const Value zero =
          split_.whole_.graph.constant(Tensor::zeros(Shape{}, whole[0].dtype()), node.where);
      const Value none = expand({zero, node.where}, whole[0].shape());
      return sum_and_weight(node, none, whole[1], whole[2]).weight;
    };
    const Value sum = sum_and_weight(node, part[0], part[1], part[2]).sum;
    return cast({div({sum, node.where}, weight(count)), node.where}, value.whole.dtype());
  }

  bool is_factor(const InBoth& value) const {
    return !totals_.depends_on_batch(value.whole) || is_known(value.whole);
  }

  Value factor(const InBoth& value) {
    return totals_.depends_on_batch(value.whole) ? weight(value.whole) : fixed(value);
  }

  // A number taken from the extent of a batch is that of the whole one. What is drawn is drawn
  // once.
  Value fixed(const InBoth& value) {
    if (totals_.is_repeatable(value.whole)) return record_again(value.whole, graph_, fixed_);
    if (const auto found = fixed_.find(value.whole.id()); found != fixed_.end()) {
      return found->second;
    }
    std::vector<Value> inputs;
    if (!updates(value.whole.node())) {
      for (const InBoth& input : totals_.inputs_of(value)) inputs.push_back(fixed(input));
    }
    const Value made = inputs.empty() ? value.part : record_again(value.whole, graph_, inputs);
    fixed_.emplace(value.whole.id(), made);
    return made;
  }

  Value weight(const Value& whole) {
    return weight([&] { return whole; });
  }

  // The one that comes next, which is the same for every part.
  template <std::invocable Make>
  Value weight(const Make& make) {
    const std::size_t number = next_++;
    if (weights_ != nullptr) return (*weights_)[number];
    const Value& whole = split_.weights_.emplace_back(make());
    return graph_.input(name_of_weight(number), whole.shape(), whole.dtype());
  }

  SplitLoss& split_;
  const LossTotals& totals_;
  const Graph& graph_;
  double share_;
  const std::vector<Value>* weights_;  // null where they are being collected
  std::size_t next_ = 0;
  std::map<ValueId, Value> fixed_;  // by the whole's values
};

SplitLoss::SplitLoss(Mode mode, LossRecorder loss, const BatchSpecs& whole, const BatchSpecs& part,
                     const std::vector<Variable>& trained, SessionOptions options)
    : loss_(std::move(loss)), whole_(mode, loss_, whole) {
  const NodeId last = static_cast<NodeId>(whole_.graph.size()) - 1;
  trained_ = dependents(whole_.graph, parameters(whole_.graph, trained), last);
  if (examples_in(part) == whole_.examples) return;
  const RecordedLoss first(mode, loss_, part);
  try {
    static_cast<void>(share_of(first.loss, first.examples, nullptr));
  } catch (const NoTotal& obstacle) {
    refuse_parts(whole_.examples, obstacle);
  }
  if (weights_.empty()) return;
  session_.emplace(whole_.graph, std::vector<Fetch>(weights_.begin(), weights_.end()),
                   std::move(options));
}

Value SplitLoss::share_of(const Loss& part, std::int64_t examples,
                          const std::vector<Value>* weights) {
  const Value& from = part.sum() ? part.sum() : part.value();
  const Graph graph = from.graph();
  const LossTotals totals(whole_, from, examples);
  const double share = static_cast<double>(examples) / static_cast<double>(whole_.examples);
  Part recorded(*this, totals, graph, share, weights);
  return part.sum() ? recorded.share_of_told(part.sum(), whole_.loss.weight())
                    : recorded.share_of(totals.loss());
}

void SplitLoss::add_weights(const data::Dataset& batch, std::vector<Feed>& feeds) {
  if (!session_) return;
  std::vector<Feed> all, wanted;
  add_feeds(batch, "", all);
  for (const Value& input : session_->inputs()) {
    const auto is_its = [&](const Feed& feed) { return whole_.batch[feed.name()] == input; };
    wanted.push_back(*std::ranges::find_if(all, is_its));
  }
  const Results results = session_->run(wanted);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    feeds.emplace_back(name_of_weight(i), results[i]);
  }
}

std::vector<Value> SplitLoss::weight_inputs(const Graph& graph) const {
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    inputs.push_back(graph.input(name_of_weight(i), weights_[i].shape(), weights_[i].dtype()));
  }
  return inputs;
}

Value SplitLoss::part(const BatchValues& batch, const std::vector<Value>& weights) {
  const Loss loss = loss_(batch);
  const std::int64_t examples = batch.parts().begin()->second.shape()[0];
  return examples == whole_.examples ? loss.value() : share_of(loss, examples, &weights);
}

}  // namespace aclgrad::detail
