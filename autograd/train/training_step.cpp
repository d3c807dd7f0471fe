// SPDX-License-Identifier: Apache-2.0
#include "train/training_step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <unordered_set>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "engine/dependents.h"

namespace aclgrad::detail {
namespace {

// What follows the names of this rank's i-th micro-batch.
std::string mark_of(std::int64_t i) { return "#" + std::to_string(i); }

std::string key_of_split(const BatchSpecs& specs, Mode mode) {
  return (mode == Mode::training ? "training " : "evaluation ") + key_of(specs);
}

// What lies between trained parameters and the loss and has a gradient, in the order of recording.
std::vector<Value> between(const Value& loss, const std::vector<Value>& parameters) {
  const Graph graph = loss.graph();
  const auto reached = dependents(graph, parameters, loss.node().id);
  std::vector<Value> found;
  for (NodeId id = 0; id <= loss.node().id; ++id) {
    const Node& node = graph.node(id);
    if (node.inputs.empty()) continue;  // a parameter itself
    for (const Value& output : graph.values(node.outputs)) {
      if (output != loss && reached.contains(output.id())) found.push_back(output);
    }
  }
  return found;
}

[[noreturn]] void refuse_without_parameters(const Value& loss) {
  throw ValueError(
      fmt::format("{}: the loss depends on no parameter of the model", label(loss.node())));
}

// The whole batch.
BatchSpecs whole_of(const SessionCache::Inputs& inputs) {
  BatchSpecs specs;
  for (const auto& [name, spec] : inputs) {
    if (name.find('#') == std::string::npos) specs.emplace(name, spec);
  }
  return specs;
}

// How many masks a forward pass draws, by the variables that count them.
using Draws = std::vector<std::pair<Variable, std::int64_t>>;

Draws draws_of(const Graph& forward) {
  Draws draws;
  for (std::size_t id = 0; id < forward.size(); ++id) {
    const Node& node = forward.node(static_cast<NodeId>(id));
    if (!is_any<DropoutMaskOp>(node)) continue;
    const Variable* const counter = forward.value(node.inputs.back()).variable();
    if (counter == nullptr) continue;  // a mask of the program's own
    const auto found = std::ranges::find(draws, counter->identity(),
                                         [](const auto& each) { return each.first.identity(); });
    if (found == draws.end()) {
      draws.emplace_back(*counter, 1);
    } else {
      ++found->second;
    }
  }
  return draws;
}

// Passes over the masks of so many forward passes; of none, too, as ranks must have the same nodes.
void count_draws(const Graph& graph, const Draws& draws, std::int64_t passes) {
  for (const auto& [counter, count] : draws) {
    const auto masks = static_cast<double>(passes * count);
    inplace_add(graph.parameter(counter), graph.constant(Tensor::full({1}, masks, DType::int64)),
                1);
  }
}

}  // namespace

TrainingStep::TrainingStep(const Module& model, LossRecorder loss, Optimizer& optimizer,
                           Ranks& ranks, const TrainerOptions& options)
    : model_(model),
      loss_(std::move(loss)),
      optimizer_(optimizer),
      ranks_(ranks),
      micro_batches_(options.micro_batches, ranks.rank(), ranks.size()),
      session_(options.sessions.session),
      training_([this](const SessionCache::Inputs& inputs) { return build(inputs); },
                options.sessions) {
  if (options.loss_scaling) scaler_.emplace(*options.loss_scaling);
  require_parameters();
  frozen_ = model_.frozen_parts();
}

void TrainingStep::require_parameters() const {
  if (!model_.trained_parameters().empty()) return;
  throw ValueError(
      model_.parameters().empty()
          ? "the model has no parameters: its layers must be made with child() of it, as in "
            "`Linear hidden{child(\"hidden\"), 2, 16}`"
          : "all parameters of the model are frozen: unfreeze() the parts to be trained");
}

// Graphs leave out what is frozen, so they are recorded anew when something else is.
bool TrainingStep::follow_freezing() {
  const std::uint64_t count = Module::freeze_count();
  if (count == freeze_count_) return false;
  std::vector<bool> frozen = model_.frozen_parts();
  const bool is_other = frozen != frozen_;
  if (is_other) {
    require_parameters();
    forget_graphs();
    frozen_ = std::move(frozen);
  }
  freeze_count_ = count;
  return is_other;
}

// A loss depends on other parameters than it did in the steps recorded before: a part of the model
// that not every shape of batch goes through. An optimizer that counts the steps of all parameters
// together must count anew, once; the scaled gradients that one update reads are always one set.
void TrainingStep::follow_parameters(const Gradients& gradients) {
  if (updated_.empty()) return;
  const auto same = [](const Variable& variable, const Gradients::Pair& pair) {
    return variable.identity() == pair.value.variable()->identity();
  };
  const bool accepted = scaler_ ? std::equal(updated_.begin(), updated_.end(), gradients.begin(),
                                             gradients.end(), same)
                                : optimizer_.accepts(gradients);
  if (!accepted) forget_graphs();
}

void TrainingStep::forget_graphs() {
  update_.reset();
  update_graph_ = Graph();
  training_.clear();
  splits_.clear();
  optimizer_.forget_graphs();
  if (scaler_) scaler_->forget_graphs();
}

TrainingStep::Outcome TrainingStep::run(const data::Dataset& batch) {
  Results results = training_.run(feeds_of(batch, Mode::training));
  const double loss = results[0].item(), scale = scaler_ ? scaler_->scale() : 1;
  const bool updates = !scaler_ || scaler_->update(results[2].item());
  if (scaler_ && updates) update_->run();
  return {loss, updates, std::move(results), scale};
}

void TrainingStep::call_hooks(const Outcome& outcome) const {
  if (!hooks_.empty()) hooks_.call(training_.latest(), outcome.results, outcome.scale);
}

void TrainingStep::prepare(const data::Dataset& batch) {
  training_.prepare(feeds_of(batch, Mode::training));
}

std::vector<Variable> TrainingStep::resting() const {
  std::unordered_set<std::uintptr_t> updated;
  for (const Variable& variable : updated_) updated.insert(variable.identity());
  std::vector<Variable> resting = model_.parameters();
  std::erase_if(resting, [&](const Variable& each) { return updated.contains(each.identity()); });
  return resting;
}

// Without the parameters that the loss does not depend on: they stay as they are.
LossAndGradients TrainingStep::record_gradients(const Value& loss) {
  Gradients gradients = hooks_.gradients_of(loss, model_.parameters(loss.graph()),
                                            scaler_ ? scaler_->seed(loss) : Value());
  if (gradients.size() == 0) refuse_without_parameters(loss);
  warn_of_unused(gradients);
  return {loss, std::move(gradients)};
}

void TrainingStep::warn_of_unused(const Gradients& gradients) {
  const std::vector<Variable> parameters = model_.trained_parameters();
  if (warned_of_unused_ || gradients.size() == parameters.size()) return;
  warned_of_unused_ = true;
  if (!ranks_.is_first()) return;
  std::unordered_set<std::uintptr_t> used;
  for (const auto& [value, gradient] : gradients) used.insert(value.variable()->identity());
  std::vector<std::string> names;
  for (const Variable& parameter : parameters) {
    if (!used.contains(parameter.identity())) names.push_back("`" + parameter.name() + "`");
  }
  constexpr std::size_t kNamed = 10;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  fmt::print(stderr, "warning: the loss does not depend on {}{}: training leaves {} as {}\n",
             fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "",
             names.size() == 1 ? "it" : "them", names.size() == 1 ? "it is" : "they are");
}

// Whether there is nothing to take apart.
bool TrainingStep::is_whole(std::int64_t batch) const {
  return ranks_.size() == 1 && micro_batches_.used_in(batch) == 1;
}

double TrainingStep::share_of(std::int64_t examples) const {
  if (is_whole(examples)) return 1;
  const std::int64_t end = micro_batches_.begin(micro_batches_.used_in(examples), examples);
  return static_cast<double>(end - micro_batches_.begin(0, examples)) /
         static_cast<double>(examples);
}

LossAndGradients TrainingStep::record_parts(const Graph& graph,
                                            const SessionCache::Inputs& inputs) {
  const BatchSpecs specs = whole_of(inputs);
  const BatchValues whole = batch_inputs(graph, specs);
  const std::int64_t examples = examples_in(specs);
  if (is_whole(examples)) return record_gradients(loss_(whole).value());
  SplitLoss& split = splits_.at(key_of_split(specs, graph.mode()));
  const std::vector<Value> weights = split.weight_inputs(graph);
  const std::int64_t used = micro_batches_.used_in(examples);
  if (used == 0) return no_part(split, graph);
  const auto record_part = [&](std::int64_t i) {
    BatchSpecs part;
    for (const auto& [name, spec] : specs) part.emplace(name, inputs.at(name + mark_of(i)));
    return record_gradients(split.part(batch_inputs(graph, part, mark_of(i)), weights));
  };
  return sum_micro_batches(micro_batches_.per_rank(), record_part, used);
}

// Nothing, of what the other ranks have something: a batch of fewer examples than ranks.
LossAndGradients TrainingStep::no_part(const SplitLoss& split, const Graph& graph) {
  const Value& loss = split.whole().loss.value();
  const auto zeros = [&](const Value& like) {
    return graph.constant(Tensor::zeros(like.shape(), like.dtype()));
  };
  std::vector<Gradients::Pair> pairs;
  for (const auto& [value, gradient] : record_gradients(loss).gradients) {
    pairs.push_back({graph.parameter(*value.variable()), zeros(value)});
  }
  hooks_.drop();
  return {zeros(loss), Gradients(std::move(pairs))};
}

// All ranks see the whole batch, and refuse the same ones.
SplitLoss& TrainingStep::split_for(const data::Dataset& batch, Mode mode) {
  const BatchSpecs specs = specs_of(batch);
  const std::string key = key_of_split(specs, mode);
  const MicroBatches all(micro_batches_.count(), 0, 1);
  const std::int64_t size = batch.size(), first = all.end(0, size);
  auto found = splits_.find(key);
  if (found == splits_.end()) {
    constexpr std::size_t kKept = 256;
    if (splits_.size() >= kKept) splits_.clear();
    const BatchSpecs part = specs_of(batch.slice(0, first));
    found =
        splits_.try_emplace(key, mode, loss_, specs, part, model_.trained_parameters(), session_)
            .first;
  }
  if (all.used_in(size) == 1) return found->second;
  try {
    separate_.require(loss_, model_.trained_parameters(), batch.slice(0, all.end(1, size)), first,
                      session_);
  } catch (const NoTotal& obstacle) {
    splits_.erase(found);
    refuse_parts(size, obstacle);
  }
  return found->second;
}

RecordedStep TrainingStep::record(const data::Dataset& batch) {
  if (scaler_ || !is_whole(batch.size())) {
    throw ValueError(
        "a step with a loss scaler, micro-batches or several ranks is not one graph to look at: "
        "record it with a Trainer that has none");
  }
  Graph graph(Mode::training);
  const Value loss = loss_(batch_inputs(graph, specs_of(batch))).value();
  if (loss.name().empty()) loss.named("loss");
  const std::vector<Value> parameters = model_.parameters(graph);
  std::vector<Value> wanted = parameters;
  for (Value& value : between(loss, parameters)) wanted.push_back(std::move(value));
  Gradients gradients = backward(loss, wanted, {.omit_unused = true});
  const Gradients trained = gradients_for(parameters, gradients);
  if (trained.size() == 0) refuse_without_parameters(loss);
  Update update = optimizer_.step(graph, trained);
  return {std::move(graph), loss, std::move(gradients), std::move(update)};
}

SessionCache::BuiltGraph TrainingStep::build(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::training);
  hooks_.drop();
  const BatchSpecs specs = whole_of(inputs);
  const std::int64_t batch = examples_in(specs);
  // Masks are those of one rank that has all micro-batches: each rank counts those of others, too.
  Draws draws;
  if (ranks_.size() > 1)
    draws = draws_of(splits_.at(key_of_split(specs, graph.mode())).whole().graph);
  count_draws(graph, draws, micro_batches_.used_before(batch));
  const LossAndGradients own = record_parts(graph, inputs);
  count_draws(graph, draws, micro_batches_.used_after(batch));
  const LossAndGradients sums =
      ranks_.exchange(own, optimizer_, /*same_graph=*/micro_batches_.are_equal_in(batch));
  if (sums.loss.name().empty()) sums.loss.named("loss");
  follow_parameters(sums.gradients);
  std::vector<Fetch> fetches = {sums.loss};
  if (!scaler_) {
    fetches.emplace_back(ranks_.complete(graph, optimizer_.step(graph, sums.gradients)));
  } else {
    // Whether to update is decided between two sessions, by all ranks alike.
    fetches.emplace_back(scaler_->unscale(sums.gradients));
    fetches.emplace_back(ranks_.total(scaler_->check()));
    if (!update_) {
      Update update = optimizer_.step(update_graph_, scaler_->gradients(update_graph_));
      update_.emplace(update_graph_,
                      std::vector<Fetch>{ranks_.complete(update_graph_, std::move(update))},
                      session_);
    }
  }
  for (const auto& [counter, count] : draws) fetches.emplace_back(graph.parameter(counter));
  hooks_.add_fetches(fetches);
  updated_.clear();
  for (const auto& [value, gradient] : own.gradients) updated_.push_back(*value.variable());
  SessionCache::BuiltGraph built{std::move(graph), std::move(fetches)};
  if (ranks_.size() > 1) {
    // Ranks plan a session together, so all must keep and forget the same ones.
    built.count_bytes = [this](std::size_t bytes) {
      ranks_.broadcast(std::as_writable_bytes(std::span(&bytes, 1)));
      return bytes;
    };
  }
  return built;
}

std::vector<Feed> TrainingStep::feeds_of(const data::Dataset& batch, Mode mode) {
  const std::int64_t size = batch.size();
  std::vector<Feed> feeds;
  add_feeds(batch, "", feeds);
  if (is_whole(size)) return feeds;
  split_for(batch, mode).add_weights(batch, feeds);
  const std::int64_t parts = micro_batches_.used_in(size);
  cut_.clear();
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t begin = micro_batches_.begin(i, size), end = micro_batches_.end(i, size);
    add_feeds(cut_.emplace_back(batch.slice(begin, end)), mark_of(i), feeds);
  }
  return feeds;
}

}  // namespace aclgrad::detail
