// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "train/split_loss.h"

namespace aclgrad {
namespace {

using detail::PiecewiseLoss;
using detail::RecordedLoss;
using detail::SplitLoss;
using detail::with_examples;

constexpr const char* kFeatures = "features";
constexpr const char* kLabels = "labels";

// Of this rank's i-th part of a batch.
std::string part_name(const char* name, std::int64_t i) { return name + std::to_string(i); }

// Those that stand between layers; gates of recurrent units are not looked at.
constexpr std::array<std::string_view, 9> kActivations = {
    "selu", "elu", "hardswish", "gelu", "geglu", "relu", "silu", "leaky_relu", "softplus"};

// A layer's activation is called after what it gets: "hidden1" for elu(hidden1).
std::string layer_of(const Graph& graph, const Node& node) {
  const std::string& input = graph.value(node.inputs[0]).name();
  return input.empty() ? graph.value(node.outputs[0]).description() : input;
}

double euclidean_norm(const Tensor& tensor) {
  const Tensor wide = tensor.to(DType::float64);
  double squares = 0;
  for (const double value : wide.data<double>()) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

// What pieces of so many examples are run for, by the shapes of the pieces.
struct Trainer::Pieces {
  std::map<std::string, PiecewiseLoss> losses;

  static std::string key(const TensorSpec& features, const TensorSpec& labels) {
    return fmt::format("{} {}, {} {}", features.dtype, features.shape, labels.dtype, labels.shape);
  }
};

Trainer::Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
                 const TrainerOptions& options)
    : model_(model),
      loss_(std::move(loss)),
      optimizer_(optimizer),
      ranks_(options.ranks != nullptr ? *options.ranks : alone_),
      micro_batches_(options.micro_batches, ranks_.rank(), ranks_.size()),
      evaluation_batch_(options.evaluation_batch),
      session_(options.sessions.session),
      training_([this](const SessionCache::Inputs& inputs) { return record_step(inputs); },
                options.sessions),
      evaluation_([this](const SessionCache::Inputs& inputs) { return record_evaluation(inputs); },
                  options.sessions),
      pieces_([this](const SessionCache::Inputs& inputs) { return record_piece(inputs); },
              options.sessions),
      observation_(
          [this](const SessionCache::Inputs& inputs) { return record_observation(inputs); },
          options.sessions),
      piece_(std::make_shared<Pieces>()) {
  if (options.loss_scaling) scaler_.emplace(*options.loss_scaling);
  if (!loss_) throw ValueError("a trainer needs a loss function, this one is empty");
  if (evaluation_batch_ < 0) {
    throw ValueError(fmt::format("`evaluation_batch` is at least 1, or 0 for all examples, not {}",
                                 evaluation_batch_));
  }
  require_parameters();
  frozen_ = model_.frozen_parts();
  separate_draws();
}

void Trainer::require_parameters() const {
  if (!model_.trained_parameters().empty()) return;
  throw ValueError(
      model_.parameters().empty()
          ? "the model has no parameters: its layers must be made with child() of it, as in "
            "`Linear hidden{child(\"hidden\"), 2, 16}`"
          : "all parameters of the model are frozen: unfreeze() the parts to be trained");
}

// Graphs leave out what is frozen, so they are recorded anew when something else is.
void Trainer::follow_freezing() {
  const std::uint64_t count = Module::freeze_count();
  if (count == freeze_count_) return;
  std::vector<bool> frozen = model_.frozen_parts();
  if (frozen != frozen_) {
    require_parameters();
    forget_graphs();
    frozen_ = std::move(frozen);
  }
  freeze_count_ = count;
}

void Trainer::forget_graphs() {
  update_.reset();
  update_graph_ = Graph();
  training_.clear();
  observation_.clear();
  optimizer_.forget_graphs();
  if (scaler_) scaler_->forget_graphs();
}

// Ranks that count their random draws from places far apart have other masks.
void Trainer::separate_draws() {
  if (ranks_.is_first()) return;
  for (const Variable& buffer : model_.buffers()) {
    if (buffer.dtype() != DType::int64) continue;  // no count
    const double draws = buffer.value().item() + 0x1p40 * ranks_.rank();
    buffer.assign(Tensor::full(buffer.shape(), draws, DType::int64));
  }
}

Value Trainer::record_loss(const Value& features, const Value& labels) const {
  const Value loss = loss_(features, labels);
  if (!loss) throw ValueError("the loss function returned an empty Value");
  if (!loss.is_of(features.graph())) {
    throw ValueError(fmt::format("the loss function returned {}, which is of another graph",
                                 loss.description()));
  }
  if (loss.shape().numel() != 1) {
    throw ShapeError(
        fmt::format("a loss is one number, {} has shape {}", loss.description(), loss.shape()));
  }
  const std::vector<Variable> known = model_.state();
  for (const Variable& variable : features.graph().variables()) {
    if (std::ranges::find(known, variable) != known.end()) continue;
    if (scaler_ && variable == scaler_->state().front()) continue;
    throw ValueError(
        fmt::format("the loss reads `{}`, which is no part of the model: make its layer with "
                    "child() of the model (to train a part only, give the Trainer the whole model "
                    "and freeze() the rest)",
                    variable.name()));
  }
  return loss;
}

// Without the parameters that the loss does not depend on: they stay as they are.
LossAndGradients Trainer::record_gradients(const Value& loss) {
  const Graph graph = loss.graph();
  Gradients gradients =
      backward(loss, model_.parameters(graph),
               {.seed = scaler_ ? scaler_->seed(loss) : Value(), .omit_unused = true});
  if (gradients.size() == 0) {
    throw ValueError(
        fmt::format("{}: the loss depends on no parameter of the model", label(loss.node())));
  }
  warn_of_unused(gradients);
  return {loss, std::move(gradients)};
}

void Trainer::warn_of_unused(const Gradients& gradients) {
  const std::vector<Variable> parameters = model_.trained_parameters();
  if (warned_of_unused_ || gradients.size() == parameters.size()) return;
  warned_of_unused_ = true;
  if (!ranks_.is_first()) return;
  std::vector<std::string> names;
  for (const Variable& parameter : parameters) {
    const auto is_its = [&](const Gradients::Pair& pair) {
      return *pair.value.variable() == parameter;
    };
    if (std::ranges::none_of(gradients, is_its)) names.push_back("`" + parameter.name() + "`");
  }
  constexpr std::size_t kNamed = 10;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  fmt::print(stderr, "warning: the loss does not depend on {}{}: training leaves {} as {}\n",
             fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
             names.size() == 1 ? "it" : "them", names.size() == 1 ? "it is" : "they are");
}

// The sums over this rank's parts of a batch; those of all ranks add up to what the batch has.
LossAndGradients Trainer::record_parts(const Graph& graph, const SessionCache::Inputs& inputs) {
  const auto input = [&](const std::string& name) {
    const TensorSpec& spec = inputs.at(name);
    return graph.input(name, spec.shape, spec.dtype);
  };
  const Value features = input(kFeatures), labels = input(kLabels);
  const std::int64_t batch = features.shape().dims()[0];
  if (is_whole(batch)) return record_gradients(record_loss(features, labels));
  const auto record = [this](const Value& x, const Value& t) { return record_loss(x, t); };
  SplitLoss split(graph, record, features, labels, model_.trained_parameters());
  const std::int64_t used = micro_batches_.used_in(batch);
  if (used == 0) return no_part(split, graph);
  const auto record_part = [&](std::int64_t i) {
    const Value x = input(part_name(kFeatures, i)), t = input(part_name(kLabels, i));
    return record_gradients(split.part(x, t));
  };
  return sum_micro_batches(micro_batches_.per_rank(), record_part, used);
}

// Nothing, of what the other ranks have something: a batch of fewer examples than ranks.
LossAndGradients Trainer::no_part(const SplitLoss& split, const Graph& graph) {
  const Value& loss = split.whole().loss;
  const auto zeros = [&](const Value& like) {
    return graph.constant(Tensor::zeros(like.shape(), like.dtype()));
  };
  std::vector<Gradients::Pair> pairs;
  for (const auto& [value, gradient] : record_gradients(loss).gradients) {
    pairs.push_back({graph.parameter(*value.variable()), zeros(value)});
  }
  return {zeros(loss), Gradients(std::move(pairs))};
}

// Whether there is nothing to take apart.
bool Trainer::is_whole(std::int64_t batch) const {
  return ranks_.size() == 1 && micro_batches_.used_in(batch) == 1;
}

SessionCache::BuiltGraph Trainer::record_step(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::training);
  const LossAndGradients own = record_parts(graph, inputs);
  const std::int64_t batch = inputs.at(kFeatures).shape.dims()[0];
  const LossAndGradients sums =
      ranks_.exchange(own, optimizer_, /*same_graph=*/micro_batches_.are_equal_in(batch));
  if (sums.loss.name().empty()) sums.loss.named("loss");
  if (!scaler_) {
    const Update update = ranks_.complete(graph, optimizer_.step(graph, sums.gradients));
    return {std::move(graph), {sums.loss, update}};
  }
  // Whether to update is decided between two sessions, by all ranks alike.
  const Update kept = scaler_->unscale(sums.gradients);
  const Value check = ranks_.total(scaler_->check());
  if (!update_) {
    Update update = optimizer_.step(update_graph_, scaler_->gradients(update_graph_));
    update_.emplace(update_graph_,
                    std::vector<Fetch>{ranks_.complete(update_graph_, std::move(update))},
                    session_);
  }
  return {std::move(graph), {sums.loss, kept, check}};
}

SessionCache::BuiltGraph Trainer::record_evaluation(const SessionCache::Inputs& inputs) {
  RecordedLoss recorded = detail::record_loss(
      Mode::evaluation, [this](const Value& x, const Value& t) { return record_loss(x, t); },
      inputs.at(kFeatures), inputs.at(kLabels));
  return {std::move(recorded.graph), {recorded.loss}};
}

SessionCache::BuiltGraph Trainer::record_piece(const SessionCache::Inputs& inputs) {
  const TensorSpec &features = inputs.at(kFeatures), &labels = inputs.at(kLabels);
  const auto record = [&](std::int64_t examples) {
    return detail::record_loss(
        Mode::evaluation, [this](const Value& x, const Value& t) { return record_loss(x, t); },
        with_examples(features, examples), with_examples(labels, examples));
  };
  const std::int64_t examples = features.shape.dims()[0];
  RecordedLoss piece = record(examples);
  const RecordedLoss other = record(2 * examples);
  const std::string key = Pieces::key(features, labels);
  piece_->losses.erase(key);
  const PiecewiseLoss& loss = piece_->losses.try_emplace(key, piece, other, session_).first->second;
  return {std::move(piece.graph), {loss.fetched().begin(), loss.fetched().end()}};
}

SessionCache::BuiltGraph Trainer::record_observation(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::evaluation);
  const LossAndGradients own = record_parts(graph, inputs);
  std::vector<Fetch> fetches;
  observed_gradients_.clear();
  for (const auto& [value, gradient] : own.gradients) {
    observed_gradients_.push_back(value.variable()->name());
    fetches.emplace_back(gradient);
  }
  observed_layers_.clear();
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (std::ranges::find(kActivations, node.op->name()) == kActivations.end()) continue;
    const std::string layer = layer_of(graph, node);
    if (std::ranges::find(observed_layers_, layer) != observed_layers_.end()) continue;
    observed_layers_.push_back(layer);
    fetches.emplace_back(graph.value(node.outputs[0]));
  }
  return {std::move(graph), std::move(fetches)};
}

std::vector<Feed> Trainer::feeds_of(const data::Dataset& batch) {
  const std::int64_t size = batch.size();
  std::vector<Feed> feeds;
  feeds.emplace_back(kFeatures, batch.features);
  feeds.emplace_back(kLabels, batch.labels);
  if (is_whole(size)) return feeds;
  const std::int64_t parts = micro_batches_.used_in(size);
  cut_.clear();
  cut_.reserve(static_cast<std::size_t>(parts));
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t begin = micro_batches_.begin(i, size), end = micro_batches_.end(i, size);
    const data::Dataset& part = cut_.emplace_back(
        data::Dataset{batch.features.slice(0, begin, end), batch.labels.slice(0, begin, end)});
    feeds.emplace_back(part_name(kFeatures, i), part.features);
    feeds.emplace_back(part_name(kLabels, i), part.labels);
  }
  return feeds;
}

double Trainer::step(const data::Dataset& batch) {
  follow_freezing();
  optimizer_.set_step(steps_);
  const Results results = training_.run(feeds_of(batch));
  const double loss = results[0].item();
  if (scaler_ && scaler_->update(results[2].item())) update_->run();
  ++steps_;
  return loss;
}

void Trainer::observe(const data::Dataset& batch, TrainingLog& log) {
  follow_freezing();
  const std::vector<Feed> feeds = feeds_of(batch);
  if (batch.size() == 0 || (!is_whole(batch.size()) && cut_.empty())) return;  // nothing to look at
  const Results results = observation_.run(feeds);
  std::size_t at = 0;
  // This rank's parts stand for the batch.
  const std::int64_t size = batch.size();
  double factor = 1 / (scaler_ ? scaler_->scale() : 1);
  if (!is_whole(size)) {
    const std::int64_t end = micro_batches_.begin(micro_batches_.used_in(size), size);
    factor *= static_cast<double>(size) / static_cast<double>(end - micro_batches_.begin(0, size));
  }
  for (const std::string& parameter : observed_gradients_) {
    log.point("Gradient norms", parameter, static_cast<double>(steps_),
              factor * euclidean_norm(results[at++]));
  }
  for (const std::string& layer : observed_layers_) log.activations(layer, steps_, results[at++]);
}

double Trainer::evaluate(const data::Dataset& examples, std::optional<std::int64_t> batch_size) {
  const std::int64_t size = examples.size();
  if (batch_size.value_or(0) < 0) {
    throw ValueError(
        fmt::format("examples are evaluated at least one at a time, or all at once for 0, not {}",
                    *batch_size));
  }
  if (size == 0) throw ValueError("there are no examples to evaluate");
  const std::int64_t piece = batch_size.value_or(evaluation_batch_);
  if (piece == 0 || piece >= size) {
    return evaluation_.run({{kFeatures, examples.features}, {kLabels, examples.labels}})[0].item();
  }
  PiecewiseLoss::Sums sums;
  PiecewiseLoss* loss = nullptr;
  for (std::int64_t begin = 0; begin < size; begin += piece) {
    const std::int64_t end = std::min(begin + piece, size);
    const Tensor features = examples.features.slice(0, begin, end);
    const Tensor labels = examples.labels.slice(0, begin, end);
    const Results results = pieces_.run({{kFeatures, features}, {kLabels, labels}});
    loss = &piece_->losses.at(
        Pieces::key({features.shape(), features.dtype()}, {labels.shape(), labels.dtype()}));
    sums.add(*loss, results, end - begin);
  }
  return loss->loss(sums);
}

void Trainer::restore(const Checkpoint& checkpoint, const data::Dataset& batch) {
  follow_freezing();
  const std::vector<Variable> model = model_.state(), frozen = model_.frozen_parameters();
  std::string layout;
  if (ranks_.is_first()) layout = optimizer_.layout_of(checkpoint.tensors, model, frozen);
  if (ranks_.size() > 1) layout = ranks_.broadcast_text(layout);
  if (!layout.empty()) {
    forget_graphs();
    optimizer_.take_layout(layout, frozen);
  }
  training_.prepare(feeds_of(batch));
  const NamedTensors own = tensors();
  NamedTensors whole;
  if (ranks_.is_first()) {
    whole = optimizer_.fitted(checkpoint.tensors, own, model);
    assign(whole);  // says what does not fit before others wait
  }
  if (ranks_.size() > 1) {
    assign(ranks_.broadcast_tensors(own, whole));
    separate_draws();
  }
  if (scaler_) scaler_->reload();
  steps_ = checkpoint.step;
}

void Trainer::assign(const NamedTensors& whole) {
  std::vector<Variable> all = state();
  for (const Variable& shard : ranks_.shards()) all.push_back(shard);
  aclgrad::restore(all, {.tensors = ranks_.shard(whole)});
}

std::vector<Variable> Trainer::state() const {
  std::vector<Variable> all = model_.state();
  const auto add = [&](const std::vector<Variable>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(optimizer_.state());
  if (scaler_) add(scaler_->state());
  return all;
}

NamedTensors Trainer::tensors() const { return ranks_.gather(state()); }

}  // namespace aclgrad
