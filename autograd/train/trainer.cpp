// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad {
namespace {

constexpr const char* kFeatures = "features";
constexpr const char* kLabels = "labels";

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

Trainer::Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
                 const TrainerOptions& options)
    : model_(model),
      loss_(std::move(loss)),
      optimizer_(optimizer),
      ranks_(options.ranks != nullptr ? *options.ranks : alone_),
      micro_batches_(options.micro_batches, ranks_.rank(), ranks_.size()),
      session_(options.session),
      training_([this](const SessionCache::Inputs& inputs) { return record_step(inputs); },
                {.session = session_}),
      evaluation_([this](const SessionCache::Inputs& inputs) { return record_evaluation(inputs); },
                  {.session = session_}),
      observation_(
          [this](const SessionCache::Inputs& inputs) { return record_observation(inputs); },
          {.session = session_}) {
  if (options.loss_scaling) scaler_.emplace(*options.loss_scaling);
  const std::int64_t parts = micro_batches_.per_rank();
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::string number = parts == 1 ? "" : std::to_string(i);
    inputs_.push_back(kFeatures + number);
    inputs_.push_back(kLabels + number);
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

Value Trainer::record_loss(const Graph& graph, const SessionCache::Inputs& inputs,
                           const std::string& features_name, const std::string& labels_name) {
  const TensorSpec& features = inputs.at(features_name);
  const TensorSpec& labels = inputs.at(labels_name);
  const Value loss = loss_(graph.input(features_name, features.shape, features.dtype),
                           graph.input(labels_name, labels.shape, labels.dtype));
  if (loss.shape().numel() != 1) {
    throw ShapeError(
        fmt::format("a loss is one number, {} has shape {}", loss.description(), loss.shape()));
  }
  const std::vector<Variable> known = model_.state();
  for (const Variable& variable : graph.variables()) {
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

Gradients Trainer::record_backward(const Value& loss) {
  return backward(loss, model_.parameters(loss.graph()),
                  {.seed = scaler_ ? scaler_->seed(loss) : Value()});
}

SessionCache::BuiltGraph Trainer::record_step(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::training);
  const std::int64_t parts = micro_batches_.per_rank();
  const LossAndGradients sums = sum_micro_batches(parts, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(2 * i);
    const Value loss = record_loss(graph, inputs, inputs_[at], inputs_[at + 1]);
    return LossAndGradients{loss, record_backward(loss)};
  });
  const LossAndGradients means = ranks_.exchange(sums, parts, optimizer_);
  if (means.loss.name().empty()) means.loss.named("loss");
  if (!scaler_) {
    const Update update = ranks_.complete(graph, optimizer_.step(graph, means.gradients));
    return {std::move(graph), {means.loss, update}};
  }
  // Whether to update is decided between two sessions, by all ranks alike.
  const Update kept = scaler_->unscale(means.gradients);
  const Value check = ranks_.total(scaler_->check());
  if (!update_) {
    Update update = optimizer_.step(update_graph_, scaler_->gradients(update_graph_));
    update_.emplace(update_graph_,
                    std::vector<Fetch>{ranks_.complete(update_graph_, std::move(update))},
                    session_);
  }
  return {std::move(graph), {means.loss, kept, check}};
}

SessionCache::BuiltGraph Trainer::record_evaluation(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::evaluation);
  const Value loss = record_loss(graph, inputs, kFeatures, kLabels);
  return {std::move(graph), {loss}};
}

SessionCache::BuiltGraph Trainer::record_observation(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::evaluation);
  const Value loss = record_loss(graph, inputs, kFeatures, kLabels);
  std::vector<Fetch> layers;
  observed_.clear();
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (std::ranges::find(kActivations, node.op->name()) == kActivations.end()) continue;
    observed_.push_back(layer_of(graph, node));
    layers.emplace_back(graph.value(node.outputs[0]));
  }
  std::vector<Fetch> fetches;
  for (const auto& [value, gradient] : record_backward(loss)) fetches.emplace_back(gradient);
  fetches.insert(fetches.end(), layers.begin(), layers.end());
  return {std::move(graph), std::move(fetches)};
}

std::span<const data::Dataset> Trainer::parts_of(const data::Dataset& batch) {
  const std::int64_t size = micro_batches_.size_in(batch.size());
  if (size == batch.size()) return {&batch, 1};
  cut_.clear();
  for (std::int64_t i = 0; i < micro_batches_.per_rank(); ++i) {
    const std::int64_t first = micro_batches_.first(i, size);
    cut_.push_back(
        {batch.features.slice(0, first, first + size), batch.labels.slice(0, first, first + size)});
  }
  return cut_;
}

std::vector<Feed> Trainer::feeds_of(const data::Dataset& batch) {
  std::vector<Feed> feeds;
  auto name = inputs_.begin();
  for (const data::Dataset& part : parts_of(batch)) {
    feeds.emplace_back(*name++, part.features);
    feeds.emplace_back(*name++, part.labels);
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
  const data::Dataset& part = parts_of(batch).front();
  const Results results = observation_.run({{kFeatures, part.features}, {kLabels, part.labels}});
  std::size_t at = 0;
  for (const Variable& parameter : model_.trained_parameters()) {
    const double scale = scaler_ ? scaler_->scale() : 1;
    log.point("Gradient norms", parameter.name(), static_cast<double>(steps_),
              euclidean_norm(results[at++]) / scale);
  }
  for (const std::string& layer : observed_) log.activations(layer, steps_, results[at++]);
}

double Trainer::evaluate(const data::Dataset& examples, std::int64_t batch_size) {
  if (batch_size < 1) throw ValueError("examples are evaluated at least one at a time");
  const std::int64_t size = examples.size();
  if (size == 0) throw ValueError("there are no examples to evaluate");
  double sum = 0;
  for (std::int64_t begin = 0; begin < size; begin += batch_size) {
    const std::int64_t end = std::min(begin + batch_size, size);
    const Tensor features = examples.features.slice(0, begin, end);
    const Tensor labels = examples.labels.slice(0, begin, end);
    sum += evaluation_.run({{kFeatures, features}, {kLabels, labels}})[0].item() *
           static_cast<double>(end - begin);
  }
  return sum / static_cast<double>(size);
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

Predictor::Predictor(std::function<Value(const Value&)> model, std::int64_t batch_size)
    : cache_([kept = std::move(model)](const SessionCache::Inputs& inputs) {
        Graph graph(Mode::evaluation);
        const TensorSpec& x = inputs.at("x");
        const Value result = kept(graph.input("x", x.shape, x.dtype));
        return SessionCache::BuiltGraph{std::move(graph), {result}};
      }),
      batch_size_(batch_size) {
  if (batch_size < 0) throw ValueError("a batch has at least one row, or all of them for 0");
}

Tensor Predictor::operator()(const Tensor& x) {
  const std::int64_t rows = x.rank() == 0 ? 1 : x.shape()[0];
  if (batch_size_ == 0 || rows <= batch_size_) return run(x);
  std::optional<Tensor> all;
  for (std::int64_t begin = 0; begin < rows; begin += batch_size_) {
    const std::int64_t count = std::min(batch_size_, rows - begin);
    const Tensor part = run(x.slice(0, begin, begin + count));
    if (part.rank() == 0 || part.shape()[0] != count) {
      throw ShapeError(
          fmt::format("the model's result has shape {} for {} rows: it cannot be run {} rows at a "
                      "time (a batch size of 0 takes all at once)",
                      part.shape(), count, batch_size_));
    }
    if (!all) {
      std::vector<std::int64_t> dims = part.shape().dims();
      dims[0] = rows;
      all = Tensor::zeros(Shape(std::move(dims)), part.dtype());
    }
    const std::size_t row = part.nbytes() / static_cast<std::size_t>(count);
    std::copy_n(part.bytes(), part.nbytes(), all->bytes() + static_cast<std::size_t>(begin) * row);
  }
  return *all;
}

NamedTensors intermediate_values(const std::function<Value(const Value&)>& model, const Tensor& x,
                                 const std::function<bool(const std::string& name)>& wanted) {
  Graph graph(Mode::evaluation);
  static_cast<void>(model(graph.input("x", x.shape(), x.dtype())));
  std::vector<Fetch> fetches;
  NamedTensors values;
  for (std::size_t id = 0; id < graph.value_count(); ++id) {
    const Value value = graph.value(static_cast<ValueId>(id));
    if (!wanted(value.name())) continue;
    fetches.emplace_back(value);
    values.emplace_back(value.name(), Tensor());
  }
  Session session(graph, fetches);
  const Results results = session.run({{"x", x}});
  for (std::size_t i = 0; i < values.size(); ++i) values[i].second = results[i];
  return values;
}

}  // namespace aclgrad
