// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/trainer.h"

#include <fmt/format.h>

#include <utility>

#include "aclgrad/error.h"
#include "io/old_names.h"
#include "train/evaluator.h"
#include "train/recorded_loss.h"
#include "train/training_step.h"

namespace aclgrad {

Trainer::Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
                 const TrainerOptions& options)
    : model_(model),
      optimizer_(optimizer),
      ranks_(options.ranks != nullptr ? *options.ranks : alone_),
      average_(options.average),
      evaluation_batch_(options.evaluation_batch) {
  if (!loss) throw ValueError("a trainer needs a loss function, this one is empty");
  if (evaluation_batch_ < 0) {
    throw ValueError(fmt::format("`evaluation_batch` is at least 1, or 0 for all examples, not {}",
                                 evaluation_batch_));
  }
  const detail::LossRecorder recorder = detail::checked(std::move(loss), model_);
  step_ = std::make_unique<detail::TrainingStep>(model_, recorder, optimizer_, ranks_, options);
  evaluator_ = std::make_unique<detail::Evaluator>(model_, recorder, options.sessions);
  observation_ = std::make_unique<detail::Observation>(*step_, options.sessions);
  require_average_of_model();
}

Trainer::~Trainer() = default;

void Trainer::require_average_of_model() const {
  if (average_ == nullptr) return;
  for (const Variable& parameter : model_.trained_parameters()) {
    if (average_->covers(parameter)) continue;
    throw ValueError(
        fmt::format("the trainer's `average` is of another model: `{}`, which is trained, is not "
                    "averaged (a clone's parameters are others, and so are those that are added "
                    "after the WeightAverage was made)",
                    parameter.name()));
  }
}

void Trainer::follow_freezing() {
  if (!step_->follow_freezing()) return;
  observation_->forget_graphs();
  require_average_of_model();
}

void Trainer::forget_graphs() {
  step_->forget_graphs();
  observation_->forget_graphs();
}

std::int64_t Trainer::skipped() const {
  const std::optional<LossScaler>& scaler = step_->scaler();
  return scaler ? scaler->skipped() : 0;
}

const MicroBatches& Trainer::micro_batches() const { return step_->micro_batches(); }
const Graph& Trainer::graph() const { return step_->graph(); }

void Trainer::on_forward(const std::string& name, Look look) {
  step_->hooks().add({.name = name, .look = std::move(look), .backward = false});
  forget_graphs();
}

void Trainer::on_backward(const std::string& name, Look look) {
  step_->hooks().add({.name = name, .look = std::move(look), .backward = true});
  forget_graphs();
}

void Trainer::remove_hooks() {
  if (step_->hooks().empty()) return;
  step_->hooks().clear();
  forget_graphs();
}

// A number is part of what is recorded.
void Trainer::set_learning_rate(std::optional<double> rate) {
  if (optimizer_.change_learning_rate(rate)) forget_graphs();
  fixed_rate_ = rate;
}

void Trainer::prepare_step() {
  if (fixed_rate_) {
    set_learning_rate(fixed_rate_);
  } else {
    optimizer_.set_step(steps_);
  }
}

// What callbacks, metrics, hooks and the loss are called within counts steps and places: one more
// step in between would be taken for theirs.
void Trainer::require_idle(const char* what) const {
  if (doing_ != nullptr) {
    throw ValueError(
        fmt::format("{} of a trainer was called within its {}: by a callback, a metric, a hook, a "
                    "loss or a log; call it afterwards, or of a Trainer of its own",
                    what, doing_));
  }
  require_own_weights(what);
}

void Trainer::require_own_weights(const char* what) const {
  if (average_ == nullptr || !average_->is_applied()) return;
  throw ValueError(
      fmt::format("{} of a trainer was called within with_averages() of its average, where the "
                  "model has no weights of its own: call it outside (WeightAverage::save() writes "
                  "the averages)",
                  what));
}

double Trainer::step(const data::Dataset& batch) {
  require_idle("step()");
  const Doing doing(*this, "step()");
  return train_on(batch);
}

double Trainer::train_on(const data::Dataset& batch) {
  follow_freezing();
  prepare_step();
  const detail::TrainingStep::Outcome outcome = step_->run(batch);
  ++steps_;
  if (average_ != nullptr && outcome.updated) average_->update();
  step_->call_hooks(outcome);
  return outcome.loss;
}

double Trainer::evaluate(const data::Dataset& examples, std::optional<std::int64_t> batch_size) {
  if (batch_size.value_or(0) < 0) {
    throw ValueError(
        fmt::format("examples are evaluated at least one at a time, or all at once for 0, not {}",
                    *batch_size));
  }
  return evaluator_->loss_of(examples, batch_size.value_or(evaluation_batch_));
}

void Trainer::observe(const data::Dataset& batch, TrainingLog& log) {
  follow_freezing();
  observation_->add_to(log, batch, steps_);
}

RecordedStep Trainer::record_step(const data::Dataset& batch) {
  follow_freezing();
  return step_->record(batch);
}

void Trainer::restore(const Checkpoint& checkpoint, const data::Dataset& batch) {
  require_idle("restore()");
  load(checkpoint, batch);
}

void Trainer::load(const Checkpoint& checkpoint, const data::Dataset& batch) {
  follow_freezing();
  forget_graphs();
  step_->prepare(batch);
  const std::vector<Variable> resting = step_->resting();
  const NamedTensors kept = detail::with_new_names(checkpoint.tensors, model_.state());
  std::string layout;
  ranks_.on_first([&] { layout = optimizer_.layout_of(kept, step_->updated(), resting); });
  if (ranks_.size() > 1) layout = ranks_.broadcast_text(layout);
  if (!layout.empty()) {
    forget_graphs();
    optimizer_.take_layout(layout, resting);
    step_->prepare(batch);
  }
  const NamedTensors own = tensors();
  NamedTensors whole;
  ranks_.on_first([&] {
    whole = optimizer_.fitted(kept, own);
    assign(whole);  // says what does not fit
  });
  if (ranks_.size() > 1) assign(ranks_.broadcast_tensors(own, whole));
  if (step_->scaler()) step_->scaler()->reload();
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
  if (step_->scaler()) add(step_->scaler()->state());
  if (average_ != nullptr) add(average_->state());
  return all;
}

NamedTensors Trainer::tensors() const {
  require_own_weights("tensors()");
  return ranks_.gather(state());
}

}  // namespace aclgrad
