// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/stepper.h"

#include <algorithm>

#include "examples/classifier/network.h"

using namespace aclgrad;

Stepper::Stepper(const Sequential& network, std::int64_t pixels, const TrainingOptions& options,
                 const data::ShardedBatches& batches, const Communicator& communicator)
    : network_(network),
      communicator_(communicator),
      optimizer_({.learning_rate = options.schedule == "constant"
                                       ? LearningRate(options.learning_rate)
                                       : schedule::constant(options.learning_rate),
                  .weight_decay = 0.05}) {
  for (std::int64_t i = 0; i < batches.parts(); ++i) {
    const std::string number = batches.parts() == 1 ? "" : std::to_string(i);
    x_.push_back(graph_.input("x" + number, {batches.part_size(), pixels}));
    labels_.push_back(graph_.input("labels" + number, {batches.part_size()}, DType::int64));
  }
  const bool scaled = options.dtype == DType::float16;
  if (scaled) scaler_.emplace();
  const std::vector<Value> parameters = network.parameters(graph_);
  const auto record = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const Value loss = cross_entropy(scores_of(network, x_[at], options.dtype), labels_[at]);
    return LossAndGradients{
        loss, backward(loss, parameters, {.seed = scaled ? scaler_->seed(loss) : Value()})};
  };
  if (options.sharded) {
    if (scaled) throw ValueError("the optimizer's state cannot be shared out with float16");
    const Update update = record_sharded(batches.parts(), record);
    session_.emplace(graph_, std::vector<Fetch>{loss_, update});
    return;
  }
  const auto [loss, gradients] = DataParallel(communicator).average(batches.parts(), record);
  loss_ = loss.named("loss");
  if (!scaled) {
    session_.emplace(graph_, std::vector<Fetch>{loss_, optimizer_.step(graph_, gradients)});
    return;
  }
  // Whether to update is decided between two sessions.
  const Update kept = scaler_->unscale(gradients);
  session_.emplace(graph_, std::vector<Fetch>{loss_, kept, scaler_->check()});
  const Update update = optimizer_.step(update_graph_, scaler_->gradients(update_graph_));
  update_.emplace(update_graph_, std::vector<Fetch>{update});
}

double Stepper::step(std::span<const data::Dataset> micro_batches) {
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    feeds.emplace_back(x_[i], micro_batches[i].features);
    feeds.emplace_back(labels_[i], micro_batches[i].labels);
  }
  const Results results = session_->run(feeds);
  const double loss = results[loss_].item();
  if (scaler_ && scaler_->update(results)) update_->run();
  return loss;
}

Update Stepper::record_sharded(std::int64_t parts, const Record& record) {
  const LossAndGradients sum = sum_micro_batches(parts, record);
  sharded_.emplace(communicator_);
  const Update update = sharded_->step(graph_, sum.gradients, optimizer_, parts);
  const Value mean = DataParallel(communicator_).average(sum.loss);
  loss_ = (mean * (1.0 / static_cast<double>(parts))).named("loss");
  return update;
}

std::vector<Variable> Stepper::state() const {
  std::vector<Variable> all = network_.parameters();
  const auto add = [&](const std::vector<Variable>& variables) {
    all.insert(all.end(), variables.begin(), variables.end());
  };
  add(optimizer_.state());
  if (sharded_) add(sharded_->shards());
  if (scaler_) add(scaler_->state());
  return all;
}

NamedTensors Stepper::tensors() const {
  return sharded_ ? sharded_->gather(state()) : values_of(state());
}

void Stepper::assign(const NamedTensors& whole) {
  aclgrad::restore(state(), {.tensors = sharded_ ? sharded_->share_out(whole) : whole});
}

void Stepper::restore(const NamedTensors& saved) {
  NamedTensors all = tensors();
  if (communicator_.is_first()) assign(saved);  // says what does not fit before others wait for it
  for (auto& [name, tensor] : all) {
    if (communicator_.is_first()) {
      tensor = std::ranges::find(saved, name, &NamedTensors::value_type::first)->second;
    }
    communicator_.broadcast(std::span(tensor.bytes(), tensor.nbytes()));
  }
  assign(all);
  if (scaler_) scaler_->reload();
}
