// SPDX-License-Identifier: Apache-2.0
#include "live/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::live {

Playback::Playback(std::shared_ptr<Network> network, std::size_t history_bytes)
    : network_(std::move(network)), trainers_(network_->trainers()), history_(history_bytes) {
  if (trainers_.empty()) throw ValueError("a network to look at has a trainer, this one has none");
  record_look();
  history_.keep(trainers_, /*edited=*/true);
}

const data::Dataset& Playback::batch() {
  if (batch_step_ != step()) {
    batch_ = network_->batch(step());
    batch_step_ = step();
  }
  return batch_;
}

void Playback::record_look() {
  look_ = std::make_unique<Look>(trainer(), batch());
  fresh_ = false;
  ++recordings_;
}

void Playback::refresh() {
  if (fresh_) return;
  if (!look_->fits(batch())) {
    edits_.release();
    record_look();
  }
  look_->run(trainer(), batch(), edits_);
  fresh_ = true;
}

// Of a long run the steps that are multiples of a power of two, and the latest.
void Playback::add_loss(double loss) {
  constexpr std::int64_t kMost = 600;
  const std::int64_t now = step() - 1;
  std::int64_t stride = 1;
  while (now / stride >= kMost - 1) stride *= 2;
  std::erase_if(losses_,
                [&](const auto& point) { return point.first >= now || point.first % stride != 0; });
  losses_.emplace_back(now, loss);
}

double Playback::train() {
  edits_.release();
  const data::Dataset& now = batch();
  const double loss = trainer().step(now);
  for (std::size_t i = 1; i < trainers_.size(); ++i) trainers_[i]->step(now);
  add_loss(loss);
  fresh_ = false;
  // States lie closer together where a run is young: going back computes few steps again.
  constexpr std::int64_t kPart = 64;
  if (step() - history_.last() >= std::max<std::int64_t>(1, step() / kPart)) {
    history_.keep(trainers_, /*edited=*/false);
  }
  return loss;
}

void Playback::go_to(std::int64_t to) {
  if (to < first_step() || to > step()) {
    throw ValueError(fmt::format("there is no way back to step {}: this run has steps {} to {}", to,
                                 first_step(), step()));
  }
  const History::State& state = history_.at_or_before(to);
  for (std::size_t i = 0; i < trainers_.size(); ++i) {
    trainers_[i]->set_learning_rate(state.rate);
    trainers_[i]->restore(state.trainers[i], batch());
  }
  history_.forget_after(state.step);
  std::erase_if(losses_, [&](const auto& point) { return point.first >= state.step; });
  edits_.release();
  // The optimizer records its updates anew.
  look_ = std::make_unique<Look>(trainer(), batch());
  fresh_ = false;
  while (step() < to) train();
}

Value Playback::value_of(ValueId id) const {
  const Graph& graph = look_->step().graph;
  if (id < 0 || static_cast<std::size_t>(id) >= graph.value_count()) {
    throw ValueError(fmt::format("the graph has no value {}", id));
  }
  return graph.value(id);
}

void Playback::changed() {
  fresh_ = false;
  history_.keep(trainers_, /*edited=*/true);
}

void Playback::set(ValueId id, std::int64_t index, double to) {
  const Value value = value_of(id);
  if (index < 0 || index >= value.shape().numel()) {
    throw ShapeError(fmt::format("{} has {} elements, there is no element {}", value.description(),
                                 value.shape().numel(), index));
  }
  Tensor probe = Tensor::zeros({1}, value.dtype());
  probe.set(0, to);  // says what such an element cannot hold
  if (const Variable* variable = value.variable(); variable != nullptr && value.root() == value) {
    Tensor contents = variable->value();
    contents.set(index, to);
    variable->assign(contents);
    changed();
    return;
  }
  if (value.root() != value) {
    throw ValueError(fmt::format("{} shows what lies in {}: edit that", value.description(),
                                 value.root().description()));
  }
  edits_.set({id, index, probe.get(0)});
  fresh_ = false;
}

void Playback::release(std::optional<ValueId> value) {
  if (value) {
    edits_.release(*value);
  } else {
    edits_.release();
  }
  fresh_ = false;
}

void Playback::set_rate(std::optional<double> rate) {
  for (Trainer* each : trainers_) each->set_learning_rate(rate);
  changed();
}

Check Playback::check(ValueId id, std::int64_t index) {
  refresh();
  return check_element(*look_, batch(), edits_, value_of(id), index);
}

void Playback::follow(const data::Dataset& batch) {
  if (!look_->fits(batch)) return;
  batch_ = batch;
  batch_step_ = step();
  fresh_ = false;
}

void Playback::followed(double loss) {
  edits_.release();
  add_loss(loss);
  fresh_ = false;
}

void Playback::begin_here() {
  history_.clear();
  changed();
}

}  // namespace aclgrad::live
