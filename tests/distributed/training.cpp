// SPDX-License-Identifier: Apache-2.0
#include "tests/distributed/training.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace aclgrad::testing {
namespace {

// Before the runtime counts its devices.
[[maybe_unused]] const int kDevicesAreSet = setenv("ACLGRAD_DEVICE_COUNT", "4", /*replace=*/1);

// Noise, and in each class its own few pixels brighter.
data::Dataset made_up_pictures(const Problem& problem) {
  const Random random(5);
  const std::int64_t pixels = problem.widths.front();
  const auto classes = static_cast<std::uint64_t>(problem.widths.back());
  Tensor features = init::normal({problem.pictures, pixels}, 3);
  Tensor labels = Tensor::zeros({problem.pictures}, DType::int64);
  for (std::int64_t i = 0; i < problem.pictures; ++i) {
    const std::uint64_t label = random.below(static_cast<std::uint64_t>(i), classes);
    labels.set(i, static_cast<double>(label));
    for (std::int64_t k = 0; k < 7; ++k) {
      const std::int64_t at = i * pixels + 7 * static_cast<std::int64_t>(label) + k;
      features.set(at, features.get(at) + 1.5);
    }
  }
  return {std::move(features), std::move(labels)};
}

Sequential make_network(const Problem& problem, std::uint64_t seed) {
  Sequential network;
  const std::size_t layers = problem.widths.size() - 1;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (layer > 0) network.add(Selu{});
    const bool last = layer + 1 == layers;
    network.add(
        Linear(std::string(1, static_cast<char>('a' + layer)), problem.widths[layer],
               problem.widths[layer + 1],
               {.init_for = last ? Activation::none : Activation::selu, .seed = seed + layer}));
  }
  return network;
}

}  // namespace

Outcome train(const Communicator& communicator, const Settings& settings) {
  const Problem& problem = settings.problem;
  const data::ShardedBatches batches(made_up_pictures(problem),
                                     {.batch_size = problem.batch, .drop_last = true, .seed = 2},
                                     communicator, settings.micro_batches);
  // Only rank 0's weights count.
  const Sequential network = make_network(problem, communicator.is_first() ? 1 : 77);
  AdamW optimizer({.learning_rate = problem.learning_rate, .weight_decay = problem.weight_decay});
  DataParallel parallel(communicator, settings.parallel);
  Graph graph;
  std::vector<Value> x;
  std::vector<Value> labels;
  for (std::int64_t i = 0; i < batches.parts(); ++i) {
    x.push_back(graph.input(fmt::format("x{}", i), {batches.part_size(), problem.widths.front()}));
    labels.push_back(graph.input(fmt::format("labels{}", i), {batches.part_size()}, DType::int64));
  }
  const auto record = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const Value part = cross_entropy(network(x[at]), labels[at]);
    return LossAndGradients{part, backward(part, network.parameters(graph))};
  };
  std::optional<ShardedUpdate> sharded;
  Value loss;
  Update update;
  if (settings.sharded) {
    const LossAndGradients sum = sum_micro_batches(batches.parts(), record);
    sharded.emplace(communicator, settings.parallel);
    update = sharded->step(graph, sum.gradients, optimizer, batches.parts());
    loss = parallel.average(sum.loss) * (1.0 / static_cast<double>(batches.parts()));
  } else {
    const LossAndGradients means = parallel.average(batches.parts(), record);
    update = optimizer.step(graph, means.gradients);
    loss = means.loss;
  }
  Session session(graph, {loss, update}, settings.session);
  std::vector<Variable> state = network.parameters();
  for (const Variable& variable : optimizer.state()) state.push_back(variable);
  if (sharded) {
    for (const Variable& shard : sharded->shards()) state.push_back(shard);
  }
  Outcome outcome;
  std::int64_t step = 0;
  data::Position at;
  if (!settings.checkpoint.empty()) {
    if (const std::optional<Checkpoint> last = load_checkpoint(settings.checkpoint)) {
      require_same_order(*last, batches.order());
      restore(state, {.tensors = sharded ? sharded->shard(last->tensors) : last->tensors});
      step = last->step;
      at = last->position;
    }
  }
  for (; step < settings.steps; at = batches.after(at)) {
    if (settings.before_step) settings.before_step(communicator.rank(), step);
    const std::vector<data::Dataset> parts = batches.epoch(at.epoch)[at.batch];
    std::vector<Feed> feeds;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      feeds.emplace_back(x[i], parts[i].features);
      feeds.emplace_back(labels[i], parts[i].labels);
    }
    outcome.losses.push_back(session.run(feeds)[loss].item());
    if (++step % 3 != 0 || settings.checkpoint.empty()) continue;
    const NamedTensors tensors = sharded ? sharded->gather(state) : values_of(state);
    if (communicator.is_first()) {
      save_checkpoint(settings.checkpoint, {.step = step,
                                            .position = batches.after(at),
                                            .data_order = batches.order().description(),
                                            .tensors = tensors});
    }
  }
  outcome.weights = values_of(network.parameters());
  for (const Variable& variable : optimizer.state()) {
    outcome.optimizer_elements += variable.shape().numel();
  }
  return outcome;
}

Outcome train_on(int ranks, const Settings& settings, const CommunicatorOptions& options) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
  run_ranks(
      ranks,
      [&](const Communicator& communicator) {
        outcomes[static_cast<std::size_t>(communicator.rank())] = train(communicator, settings);
      },
      options);
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.losses, outcomes.front().losses);
    EXPECT_TRUE(same_bits(outcome.weights, outcomes.front().weights));
  }
  return outcomes.front();
}

std::unique_ptr<Ranks> make_ranks(const Communicator& communicator, bool sharded,
                                  const DataParallelOptions& exchange) {
  if (sharded) return std::make_unique<ShardedUpdate>(communicator, exchange);
  if (communicator.size() > 1) return std::make_unique<DataParallel>(communicator, exchange);
  return std::make_unique<Ranks>();
}

NamedTensors sorted_tensors(const Trainer& trainer) {
  NamedTensors tensors = trainer.tensors();
  std::ranges::sort(tensors, {}, &NamedTensors::value_type::first);
  return tensors;
}

bool same_bits(const NamedTensors& a, const NamedTensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && bitwise_equal(one.second, other.second);
  });
}

double distance(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.losses.size(), b.losses.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.losses.size(); ++i) {
    largest = std::max(largest, std::abs(a.losses[i] - b.losses[i]));
  }
  return largest;
}

}  // namespace aclgrad::testing
