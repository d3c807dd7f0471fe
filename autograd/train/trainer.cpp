// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "io/old_names.h"

namespace aclgrad {

Trainer::Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
                 const TrainerOptions& options)
    : model_(model),
      loss_(std::move(loss)),
      optimizer_(optimizer),
      ranks_(options.ranks != nullptr ? *options.ranks : alone_),
      micro_batches_(options.micro_batches, ranks_.rank(), ranks_.size()),
      average_(options.average),
      evaluation_batch_(options.evaluation_batch),
      session_(options.sessions.session),
      training_([this](const SessionCache::Inputs& inputs) { return build_step(inputs); },
                options.sessions),
      evaluation_([this](const SessionCache::Inputs& inputs) { return record_evaluation(inputs); },
                  options.sessions),
      pieces_([this](const SessionCache::Inputs& inputs) { return record_piece(inputs); },
              options.sessions),
      observation_(
          [this](const SessionCache::Inputs& inputs) { return record_observation(inputs); },
          options.sessions) {
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
  const std::vector<Variable> trained = model_.trained_parameters();
  for (const Variable& parameter : trained) {
    if (average_ == nullptr || average_->covers(parameter)) continue;
    throw ValueError(
        fmt::format("the trainer's `average` is of another model: `{}`, which is trained, is not "
                    "averaged (a clone's parameters are others, and so are those that are added "
                    "after the WeightAverage was made)",
                    parameter.name()));
  }
  if (!trained.empty()) return;
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

// A loss depends on other parameters than it did in the steps recorded before: a part of the model
// that not every shape of batch goes through. An optimizer that counts the steps of all parameters
// together must count anew, once; the scaled gradients that one update reads are always one set.
void Trainer::follow_parameters(const Gradients& gradients) {
  if (updated_.empty()) return;
  const auto same = [](const Variable& variable, const Gradients::Pair& pair) {
    return variable.identity() == pair.value.variable()->identity();
  };
  const bool accepted = scaler_ ? std::equal(updated_.begin(), updated_.end(), gradients.begin(),
                                             gradients.end(), same)
                                : optimizer_.accepts(gradients);
  if (!accepted) forget_graphs();
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

void Trainer::set_learning_rate(std::optional<double> rate) {
  if (rate) optimizer_.set_learning_rate(*rate);
  fixed_rate_ = rate;
}

void Trainer::prepare_step() {
  if (fixed_rate_) {
    optimizer_.set_learning_rate(*fixed_rate_);
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
  const Results results = training_.run(feeds_of(batch));
  const double loss = results[0].item(), scale = scaler_ ? scaler_->scale() : 1;
  const bool updates = !scaler_ || scaler_->update(results[2].item());
  if (scaler_ && updates) update_->run();
  ++steps_;
  if (average_ != nullptr && updates) average_->update();
  call_hooks(results, scale);
  return loss;
}

void Trainer::restore(const Checkpoint& checkpoint, const data::Dataset& batch) {
  require_idle("restore()");
  load(checkpoint, batch);
}

void Trainer::load(const Checkpoint& checkpoint, const data::Dataset& batch) {
  follow_freezing();
  forget_graphs();
  const std::vector<Feed> feeds = feeds_of(batch);
  training_.prepare(feeds);
  const std::vector<Variable> resting = resting_parameters();
  const NamedTensors kept = detail::with_new_names(checkpoint.tensors, model_.state());
  std::string layout;
  ranks_.on_first([&] { layout = optimizer_.layout_of(kept, updated_, resting); });
  if (ranks_.size() > 1) layout = ranks_.broadcast_text(layout);
  if (!layout.empty()) {
    forget_graphs();
    optimizer_.take_layout(layout, resting);
    training_.prepare(feeds);
  }
  const NamedTensors own = tensors();
  NamedTensors whole;
  ranks_.on_first([&] {
    whole = optimizer_.fitted(kept, own);
    assign(whole);  // says what does not fit
  });
  if (ranks_.size() > 1) {
    assign(ranks_.broadcast_tensors(own, whole));
    separate_draws();
  }
  if (scaler_) scaler_->reload();
  steps_ = checkpoint.step;
}

std::vector<Variable> Trainer::resting_parameters() const {
  std::unordered_set<std::uintptr_t> updated;
  for (const Variable& variable : updated_) updated.insert(variable.identity());
  std::vector<Variable> resting = model_.parameters();
  std::erase_if(resting, [&](const Variable& each) { return updated.contains(each.identity()); });
  return resting;
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
  if (average_ != nullptr) add(average_->state());
  return all;
}

NamedTensors Trainer::tensors() const {
  require_own_weights("tensors()");
  return ranks_.gather(state());
}

}  // namespace aclgrad
