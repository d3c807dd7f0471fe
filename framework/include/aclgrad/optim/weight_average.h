// SPDX-License-Identifier: Apache-2.0
// WeightAverage: an exponential moving average of a model's weights (EMA), which often generalizes
// better than the weights themselves.
//
//   WeightAverage average(model, {.decay = 0.999});
//   Trainer trainer(model, loss, optimizer, {.average = &average});
//   fit(trainer, batches, {.validation = unseen, .keep_best = true});   // evaluates the average
//   average.save("average.safetensors");                                // model.load() reads it
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "aclgrad/io/safetensors.h"
#include "aclgrad/nn/module.h"
#include "aclgrad/session.h"
#include "aclgrad/variable.h"

namespace aclgrad {

struct WeightAverageOptions {
  double decay = 0.999;  ///< in [0, 1): average = decay average + (1 - decay) weight
};

class WeightAverage {
 public:
  /// Of all parameters of the model. Buffers, such as running statistics, are not averaged, as in
  /// PyTorch's AveragedModel. Averages of 16-bit parameters are float32. Throws ValueError for a
  /// decay out of its range and a model without parameters.
  explicit WeightAverage(const Module& model, const WeightAverageOptions& options = {});

  WeightAverage(const WeightAverage&) = delete;
  WeightAverage& operator=(const WeightAverage&) = delete;

  /// After a step, with the weights that it has left; the first takes them as they are. A Trainer
  /// calls it. Throws ValueError within with_averages().
  void update();

  /// How often it was, since the beginning or the latest reset().
  std::int64_t updates() const;

  /// Begins anew, with the weights of the next update().
  void reset();

  /// Does work while the model's parameters are the averages; then they are what they were, also
  /// where the work throws. Before the first update, they are what they are. Work may do so again.
  /// Throws ValueError, afterwards, where the work has changed a parameter: that change is lost. A
  /// Trainer refuses to step meanwhile.
  void with_averages(const std::function<void()>& work);
  bool is_applied() const { return is_applied_; }

  /// Whether this parameter is averaged.
  bool covers(const Variable& parameter) const;

  /// The model's parameters become the averages.
  void assign_to_model() const;

  /// What Module::state() has, with the averages in the place of the parameters; and a file of it,
  /// as Module::save() writes it.
  NamedTensors values() const;
  void save(const std::filesystem::path& path, const SaveOptions& options = {}) const;

  /// For checkpoints: `@average@NAME` of every parameter, and `@average_updates`.
  std::vector<Variable> state() const;

 private:
  bool is_empty() const { return updates() == 0; }

  Module model_;
  double decay_;
  std::vector<Variable> parameters_;
  std::vector<Variable> averages_;  // in the same order
  Variable updates_;
  std::optional<Session> session_;  // of an update
  bool is_applied_ = false;
};

}  // namespace aclgrad
