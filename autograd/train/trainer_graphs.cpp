// SPDX-License-Identifier: Apache-2.0
// What a Trainer records for a batch, whole or in parts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <unordered_set>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/trainer.h"
#include "dependents.h"
#include "train/hooks.h"
#include "train/split_loss.h"

namespace aclgrad {
namespace {

using detail::BatchSpecs;
using detail::SplitLoss;

// What follows the names of this rank's i-th micro-batch.
std::string mark_of(std::int64_t i) { return "#" + std::to_string(i); }

// What lies between trained parameters and the loss and has a gradient, in the order of recording.
std::vector<Value> between(const Value& loss, const std::vector<Value>& parameters) {
  const Graph graph = loss.graph();
  const auto reached = detail::dependents(graph, parameters, loss.node().id);
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

}  // namespace

Value Trainer::record_loss(const BatchValues& batch) const {
  const Value loss = loss_(batch);
  if (!loss) throw ValueError("the loss function returned an empty Value");
  if (!loss.is_of(batch.graph())) {
    throw ValueError(fmt::format("the loss function returned {}, which is of another graph",
                                 loss.description()));
  }
  if (loss.shape().numel() != 1) {
    throw ShapeError(
        fmt::format("a loss is one number, {} has shape {}", loss.description(), loss.shape()));
  }
  std::unordered_set<std::uintptr_t> known;
  for (const Variable& variable : model_.state()) known.insert(variable.identity());
  if (scaler_) known.insert(scaler_->state().front().identity());
  for (const Variable& variable : batch.graph().variables()) {
    if (known.contains(variable.identity())) continue;
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
  Gradients gradients = gradients_of(loss, model_.parameters(graph));
  if (gradients.size() == 0) refuse_without_parameters(loss);
  warn_of_unused(gradients);
  return {loss, std::move(gradients)};
}

void Trainer::warn_of_unused(const Gradients& gradients) {
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

// The sums over this rank's parts of a batch; those of all ranks add up to what the batch has.
LossAndGradients Trainer::record_parts(const Graph& graph, const SessionCache::Inputs& inputs) {
  const BatchSpecs specs = whole_of(inputs);
  const BatchValues whole = detail::batch_inputs(graph, specs);
  const std::int64_t examples = detail::examples_in(specs);
  if (is_whole(examples)) return record_gradients(record_loss(whole));
  const auto record = [this](const BatchValues& batch) { return record_loss(batch); };
  SplitLoss split(graph, record, whole, model_.trained_parameters());
  const std::int64_t used = micro_batches_.used_in(examples);
  if (used == 0) return no_part(split, graph);
  const auto record_part = [&](std::int64_t i) {
    BatchValues::Parts parts;
    for (const auto& [name, of_whole] : specs) {
      const TensorSpec& spec = inputs.at(name + mark_of(i));
      parts.emplace(name, graph.input(name + mark_of(i), spec.shape, spec.dtype));
    }
    return record_gradients(split.part(BatchValues(std::move(parts))));
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
  watching_.clear();
  return {zeros(loss), Gradients(std::move(pairs))};
}

// Whether there is nothing to take apart.
bool Trainer::is_whole(std::int64_t batch) const {
  return ranks_.size() == 1 && micro_batches_.used_in(batch) == 1;
}

RecordedStep Trainer::record_step(const data::Dataset& batch) {
  if (scaler_ || !is_whole(batch.size())) {
    throw ValueError(
        "a step with a loss scaler, micro-batches or several ranks is not one graph to look at: "
        "record it with a Trainer that has none");
  }
  follow_freezing();
  Graph graph(Mode::training);
  BatchSpecs specs;
  for (const auto& [name, tensor] : batch.tensors()) {
    specs.emplace(name, TensorSpec{tensor->shape(), tensor->dtype()});
  }
  const Value loss = record_loss(detail::batch_inputs(graph, specs));
  if (loss.name().empty()) loss.named("loss");
  const std::vector<Value> parameters = model_.parameters(graph);
  std::vector<Value> wanted = parameters;
  for (Value& value : between(loss, parameters)) wanted.push_back(std::move(value));
  Gradients gradients = backward(loss, wanted, {.omit_unused = true});
  const Gradients trained = detail::gradients_for(parameters, gradients);
  if (trained.size() == 0) refuse_without_parameters(loss);
  Update update = optimizer_.step(graph, trained);
  return {std::move(graph), loss, std::move(gradients), std::move(update)};
}

SessionCache::BuiltGraph Trainer::build_step(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::training);
  watching_.clear();
  const LossAndGradients own = record_parts(graph, inputs);
  const std::int64_t batch = detail::examples_in(whole_of(inputs));
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
  keep_watching(fetches);
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

std::vector<Feed> Trainer::feeds_of(const data::Dataset& batch) {
  const std::int64_t size = batch.size();
  std::vector<Feed> feeds;
  const auto add = [&](const data::Dataset& examples, const std::string& mark) {
    for (const auto& [name, tensor] : examples.tensors()) feeds.emplace_back(name + mark, *tensor);
  };
  add(batch, "");
  if (is_whole(size)) return feeds;
  const std::int64_t parts = micro_batches_.used_in(size);
  cut_.clear();
  cut_.reserve(static_cast<std::size_t>(parts));
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t begin = micro_batches_.begin(i, size), end = micro_batches_.end(i, size);
    add(cut_.emplace_back(batch.slice(begin, end)), mark_of(i));
  }
  return feeds;
}

}  // namespace aclgrad
