// SPDX-License-Identifier: Apache-2.0
#include "train/piecewise_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/nn/init.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/tensor/math.h"
#include "graph/graph_data.h"

namespace aclgrad::detail {
namespace {

SessionCache::Inputs parts_of(const SessionCache::Inputs& inputs) {
  SessionCache::Inputs parts = inputs;
  std::erase_if(parts, [](const auto& it) { return it.first.find('#') != std::string::npos; });
  return parts;
}

// How far rounding may carry a total, by the coarsest dtype, in proportion.
double rounding_of(const Graph& graph) {
  double allowed = 1e-8;
  for (std::size_t id = 0; id < graph.value_count(); ++id) {
    const DType dtype = graph.value(static_cast<ValueId>(id)).dtype();
    if (dtype == DType::float16 || dtype == DType::bfloat16) return 0.05;
    if (dtype == DType::float32) allowed = 1e-3;
  }
  return allowed;
}

// Numbers of its own, which are others for every piece.
bool draws(const Graph& graph) {
  for (std::size_t id = 0; id < graph.size(); ++id) {
    if (is_any<NormalOp, UniformOp, DropoutMaskOp>(graph.node(static_cast<NodeId>(id)))) {
      return true;
    }
  }
  return false;
}

Results run_once(const Graph& graph, const std::vector<Fetch>& fetches,
                 const data::Dataset& examples, const std::vector<Feed>& more,
                 const SessionOptions& options) {
  std::vector<Feed> feeds = more;
  add_feeds(examples, "", feeds);
  SessionCache once(
      [&](const SessionCache::Inputs&) {
        return SessionCache::BuiltGraph{GraphAccess::handle(graph), fetches};
      },
      {.session = options});
  return once.run(feeds);
}

std::string name_of_total(std::size_t number) { return fmt::format("total{}", number); }

}  // namespace

void refuse_pieces(std::int64_t examples, const NoTotal& obstacle) {
  throw NotPiecewise(fmt::format(
      "the loss of more than {} examples is not made of those of pieces: {}. Evaluate all of them "
      "at once (a batch size of 0, as TrainerOptions::evaluation_batch has it), make the loss of "
      "sums and means over the examples, or return Loss(sum, weight), which says what adds up",
      examples, obstacle.what()));
}

PiecewiseLoss::PiecewiseLoss(LossRecorder loss, const BatchSpecs& whole,
                             const SessionCacheOptions& options, For purpose)
    : loss_(std::move(loss)),
      options_(options.session),
      purpose_(purpose),
      whole_(Mode::evaluation, loss_, whole),
      tail_(Mode::evaluation),
      pieces_([this](const SessionCache::Inputs& inputs) { return record_piece(inputs); },
              options) {}

SessionCache::BuiltGraph PiecewiseLoss::record_piece(const SessionCache::Inputs& inputs) {
  RecordedLoss piece(Mode::evaluation, loss_, parts_of(inputs));
  const Loss& loss = piece.loss;
  if (piece.examples == whole_.examples) return {std::move(piece.graph), {loss.value()}};
  try {
    Walk walk{LossTotals(whole_, loss.sum() ? loss.sum() : loss.value(), piece.examples),
              /*is_new=*/!is_planned_};
    if (walk.is_new) {  // without what one before has left that was refused
      leaves_.clear();
      in_tail_.clear();
      tail_ = Graph(Mode::evaluation);
    }
    if (loss.sum()) {
      walk_told(walk, loss);
    } else {
      collect(walk, walk.totals.loss());
    }
    const ValueId end = loss.sum() ? whole_.loss.value().id() : walk.totals.loss().whole.id();
    const bool is_total = leaves_.size() == 1 && leaves_.front().whole.id() == end;
    if (walk.is_new && purpose_ == For::loss && !is_total) {
      rest_.emplace(tail_, std::vector<Fetch>{in_tail_.at(end)}, options_);
    }
    is_planned_ = true;
    std::vector<Fetch> fetches = fetches_of(walk, piece.graph);
    if (fetches.empty()) fetches.emplace_back(loss.value());  // a session needs one
    return {std::move(piece.graph), std::move(fetches)};
  } catch (const NoTotal& obstacle) {
    if (purpose_ == For::totals) throw;
    refuse_pieces(piece.examples, obstacle);
  }
}

// Of the sum and the weight that a loss tells.
void PiecewiseLoss::walk_told(Walk& walk, const Loss& piece) {
  add_leaf(walk, Total::sum, {whole_.loss.sum(), piece.sum()});
  if (!piece.weight()) return;
  const InBoth weight{whole_.loss.weight(), piece.weight()};
  if (walk.totals.depends_on_batch(weight.whole)) {
    add_leaf(walk, Total::sum, weight);
  } else {
    collect(walk, weight);
  }
  if (!walk.is_new) return;
  in_tail_[whole_.loss.value().id()] =
      quotient(in_tail_.at(whole_.loss.sum().id()), in_tail_.at(weight.whole.id()));
}

std::optional<Total> PiecewiseLoss::kind_of(const Walk& walk, const InBoth& value) const {
  try {
    const Total kind = walk.totals.kind_of(value);
    // Throws, too, where numbers on the way to the examples have no counterpart.
    const bool adds_up = kind != Total::made && kind != Total::fixed;
    if (adds_up) static_cast<void>(walk.totals.ratio_of_numbers(value));
    return kind;
  } catch (const NoTotal&) {
    if (purpose_ == For::loss) throw;
    return std::nullopt;
  }
}

void PiecewiseLoss::collect(Walk& walk, const InBoth& value) {
  if (!walk.seen.insert(value.whole.id()).second) return;
  const std::optional<Total> kind = kind_of(walk, value);
  if (!kind || (kind == Total::fixed && collect_fixed(walk, value))) return;
  if (kind != Total::made && kind != Total::fixed) return add_leaf(walk, *kind, value);
  std::vector<Value> inputs;
  const bool goes_on = walk.is_new && purpose_ == For::loss;
  for (const InBoth& input : walk.totals.inputs_of(value)) {
    collect(walk, input);
    if (goes_on) inputs.push_back(in_tail_.at(input.whole.id()));
  }
  if (goes_on) in_tail_[value.whole.id()] = record_again(value.whole, tail_, inputs);
}

// What depends on no example is not that of a piece, whose extent gives other numbers. What is
// drawn is the mean over the pieces. False where something behind it is drawn.
bool PiecewiseLoss::collect_fixed(Walk& walk, const InBoth& value) {
  if (purpose_ == For::totals) return true;
  if (walk.totals.is_repeatable(value.whole)) {
    if (walk.is_new) static_cast<void>(record_again(value.whole, tail_, in_tail_));
    return true;
  }
  if (!updates(value.whole.node())) return false;
  add_leaf(walk, Total::fixed, value);
  return true;
}

void PiecewiseLoss::add_leaf(Walk& walk, Total kind, const InBoth& value) {
  if (walk.fetched.contains(value.whole.id())) return;  // a sum told as its own weight
  if (walk.is_new) {
    in_tail_[value.whole.id()] = tail_.input(name_of_total(leaves_.size()), value.whole.shape(),
                                             value.whole.dtype(), value.whole.node().where);
    leaves_.push_back(
        {kind, value.whole, leaves_.empty() ? 0 : leaves_.back().first + leaves_.back().count()});
  }
  const double ratio = walk.totals.ratio_of_numbers(value);
  for (const Value& fetch : fetches_of(kind, value.part)) {
    walk.fetched[value.whole.id()].push_back(ratio == 1 ? fetch : mul(fetch, ratio));
  }
}

// In the order of the leaves. Pieces of another size may have none of a leaf, below what stands in
// the loss without being asked for.
std::vector<Fetch> PiecewiseLoss::fetches_of(const Walk& walk, const Graph& piece) {
  std::vector<Fetch> fetches;
  for (Leaf& leaf : leaves_) {
    const auto found = walk.fetched.find(leaf.whole.id());
    if (found != walk.fetched.end()) {
      fetches.insert(fetches.end(), found->second.begin(), found->second.end());
      continue;
    }
    if (purpose_ == For::loss) {
      throw NoTotal(
          fmt::format("{} is a total in pieces of some sizes only", label(leaf.whole.node())));
    }
    leaf.is_in_all = false;
    const Value none = piece.constant(Tensor::zeros(leaf.whole.shape(), leaf.whole.dtype()));
    fetches.insert(fetches.end(), leaf.count(), Fetch(none));
  }
  return fetches;
}

std::vector<Value> PiecewiseLoss::fetches_of(Total kind, const Value& value) {
  if (kind != Total::weighted) return {value};
  const std::vector<Value> inputs = value.graph().values(value.node().inputs);
  const SumAndWeight both = sum_and_weight(value.node(), inputs[0], inputs[1], inputs[2]);
  return {both.sum, both.weight};
}

void PiecewiseLoss::add(const Results& results, double examples) {
  std::size_t at = 0;
  for (const Leaf& leaf : leaves_) {
    const bool is_sum = leaf.kind == Total::sum || leaf.kind == Total::weighted;
    for (std::size_t i = 0; i < leaf.count(); ++i, ++at) {
      const Tensor values = results[at].to(DType::float64);
      if (at == sums_.size()) {
        sums_.emplace_back(static_cast<std::size_t>(values.numel()));
        sizes_.push_back(0);
      }
      const double factor = is_sum ? 1 : examples / static_cast<double>(whole_.examples);
      double largest = 0;
      for (std::size_t k = 0; k < sums_[at].size(); ++k) {
        const double share = factor * values.data<double>()[k];
        sums_[at][k] += share;
        largest = std::max(largest, std::abs(share));
      }
      sizes_[at] += largest;
    }
  }
}

std::vector<double> PiecewiseLoss::total_of(const Leaf& leaf) const {
  std::vector<double> values = sums_[leaf.first];
  if (leaf.kind != Total::weighted) return values;
  for (double& value : values) value /= sums_[leaf.first + 1].front();
  return values;
}

double PiecewiseLoss::run(const data::Dataset& examples, std::int64_t piece,
                          const std::vector<Feed>& more) {
  sums_.clear();
  sizes_.clear();
  for (std::int64_t begin = 0; begin < whole_.examples; begin += piece) {
    const std::int64_t count = std::min(piece, whole_.examples - begin);
    const data::Dataset part = examples.slice(begin, begin + count);
    std::vector<Feed> feeds = more;
    add_feeds(part, "", feeds);
    const Results results = pieces_.run(feeds);
    if (count == whole_.examples) return results[0].item();
    add(results, static_cast<double>(count));
  }
  // Without leaves there is nothing to compare.
  if (!rest_) return leaves_.empty() ? 0 : total_of(leaves_.front()).front();
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const TensorSpec spec{leaves_[i].whole.shape(), leaves_[i].whole.dtype()};
    feeds.emplace_back(
        name_of_total(i),
        Tensor::from(spec.shape, total_of(leaves_[i]), DType::float64).to(spec.dtype));
  }
  return rest_->run(feeds)[0].item();
}

std::optional<PiecewiseLoss::Difference> PiecewiseLoss::difference(
    const data::Dataset& examples, const std::vector<Feed>& more) const {
  std::vector<Fetch> fetches;
  for (const Leaf& leaf : leaves_) {
    for (const Value& fetch : fetches_of(leaf.kind, leaf.whole)) fetches.emplace_back(fetch);
  }
  if (fetches.empty()) return std::nullopt;
  const double allowed = rounding_of(whole_.graph);
  const Results results = run_once(whole_.graph, fetches, examples, more, options_);
  for (const Leaf& leaf : leaves_) {
    for (std::size_t at = leaf.first; leaf.is_in_all && at < leaf.first + leaf.count(); ++at) {
      const Tensor whole = results[at].to(DType::float64);
      for (std::size_t k = 0; k < sums_[at].size(); ++k) {
        const double in_pieces = sums_[at][k], at_once = whole.data<double>()[k];
        const double size = std::max(sizes_[at], std::abs(at_once));
        if (!(std::abs(in_pieces - at_once) > allowed * size)) continue;  // nor NaN
        return Difference{leaf.whole, in_pieces, at_once, at, k};
      }
    }
  }
  return std::nullopt;
}

namespace {

// Parameters as inputs of a graph, with which other numbers than theirs can be fed.
class MovedParameters {
 public:
  MovedParameters(const std::vector<Variable>& parameters, double by) : parameters_(parameters) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Tensor value = parameters[i].value().to(DType::float64);
      double squares = 0;
      for (const double x : value.data<double>()) squares += x * x;
      const double size = squares > 0 ? std::sqrt(squares / static_cast<double>(value.numel())) : 1;
      const Tensor moved = value + by * size * init::normal(value.shape(), i, 1, DType::float64);
      feeds_.emplace_back(name(i), moved.to(parameters[i].dtype()));
    }
  }

  const std::vector<Feed>& feeds() const { return feeds_; }

  LossRecorder in(const LossRecorder& loss) const {
    return [this, &loss](const BatchValues& batch) {
      const Graph graph = batch.graph();
      GraphData& data = GraphAccess::record(graph);
      for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const Variable& variable = parameters_[i];
        const Value input = graph.input(name(i), variable.shape(), variable.dtype());
        data.bound_variables.emplace(variable.identity(), input.id());
        data.storages[input.id()].newest = input.id();
      }
      return loss(batch);
    };
  }

 private:
  static std::string name(std::size_t number) { return fmt::format("parameter#{}", number); }

  const std::vector<Variable>& parameters_;
  std::vector<Feed> feeds_;
};

// All numbers of a value, sorted: where examples lie one behind the other in another order, they
// are the same.
std::vector<double> sorted(const Tensor& tensor) {
  const Tensor wide = tensor.to(DType::float64);
  std::vector<double> numbers(wide.data<double>().begin(), wide.data<double>().end());
  std::ranges::sort(numbers);
  return numbers;
}

// The first node that does not give for two pieces together what it gives for one and the other;
// null where none is found.
const Node* first_mixing(const RecordedLoss& whole, const LossRecorder& loss,
                         const data::Dataset& examples, std::int64_t piece,
                         const std::vector<Feed>& more, const SessionOptions& options) {
  const data::Dataset parts[2] = {examples.slice(0, piece), examples.slice(piece, whole.examples)};
  const RecordedLoss a(Mode::evaluation, loss, specs_of(parts[0]));
  const RecordedLoss b(Mode::evaluation, loss, specs_of(parts[1]));
  std::vector<Fetch> fetches[3];
  std::vector<ValueId> ids;
  const Node* torn = nullptr;
  for (const RecordedLoss* part : {&a, &b}) {  // recorded otherwise
    if (part->loss.value().id() != whole.loss.value().id()) return nullptr;
  }
  for (ValueId id = 0; id <= whole.loss.value().id(); ++id) {
    const Value values[3] = {whole.graph.value(id), a.graph.value(id), b.graph.value(id)};
    const auto count = [&](int i) { return values[i].shape().numel(); };
    if (values[0].node().op->kind() == OpKind::input || count(0) == count(1)) continue;
    if (count(0) != count(1) + count(2)) {
      torn = &values[0].node();
      break;
    }
    ids.push_back(id);
    for (int i = 0; i < 3; ++i) fetches[i].emplace_back(values[i]);
  }
  const Results together = run_once(whole.graph, fetches[0], examples, more, options);
  const Results first = run_once(a.graph, fetches[1], parts[0], more, options);
  const Results second = run_once(b.graph, fetches[2], parts[1], more, options);
  const double allowed = rounding_of(whole.graph);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::vector<double> expected = sorted(together[i]);
    std::vector<double> got = sorted(first[i]);
    const std::vector<double> rest = sorted(second[i]);
    got.insert(got.end(), rest.begin(), rest.end());
    std::ranges::sort(got);
    const double size = std::max(std::abs(expected.front()), std::abs(expected.back()));
    for (std::size_t k = 0; k < got.size(); ++k) {
      if (std::abs(got[k] - expected[k]) > allowed * size) {
        return &whole.graph.value(ids[i]).node();
      }
    }
  }
  return torn;
}

}  // namespace

bool require_separate_examples(const LossRecorder& loss, const std::vector<Variable>& parameters,
                               const data::Dataset& examples, std::int64_t piece,
                               const SessionOptions& options) {
  for (const double by : {0.1, 0.0}) {
    const MovedParameters moved(parameters, by);
    const LossRecorder recorded = moved.in(loss);
    PiecewiseLoss in_pieces(recorded, specs_of(examples), {.session = options},
                            PiecewiseLoss::For::totals);
    const RecordedLoss& whole = in_pieces.whole();
    if (whole.loss.sum() || draws(whole.graph)) return true;
    const bool is_finite = std::isfinite(in_pieces.run(examples, piece, moved.feeds()));
    const auto found = in_pieces.difference(examples, moved.feeds());
    if (!found) {
      if (is_finite) return true;
      continue;
    }
    // Where roundings carry as far, as in a chaotic network, nothing is seen.
    const MovedParameters nudged(parameters, by + 1e-3 * rounding_of(whole.graph));
    in_pieces.run(examples, piece, nudged.feeds());
    const double carried =
        std::abs(in_pieces.sums()[found->fetch][found->element] - found->in_pieces);
    if (!(std::abs(found->in_pieces - found->at_once) > 4 * carried)) continue;
    const Node* node = first_mixing(whole, recorded, examples, piece, moved.feeds(), options);
    const std::string total = label(found->total.node());
    throw NoTotal(fmt::format(
        "{} is {:.6g} for {} examples together, and {:.6g} for {} of them and the other {}, with "
        "parameters moved at random: {}",
        total, found->at_once, whole.examples, found->in_pieces, piece, whole.examples - piece,
        node == nullptr ? "it is another one for other examples or another number of them"
                        : fmt::format("in {} examples see each other", label(*node))));
  }
  return false;
}

void SeparateExamples::require(const LossRecorder& loss, const std::vector<Variable>& parameters,
                               const data::Dataset& examples, std::int64_t piece,
                               const SessionOptions& options) {
  if (tries_left_ == 0 || piece < 1 || piece >= examples.size()) return;
  const bool seen = require_separate_examples(loss, parameters, examples, piece, options);
  tries_left_ = seen ? 0 : tries_left_ - 1;
}

}  // namespace aclgrad::detail
