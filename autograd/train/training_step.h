// SPDX-License-Identifier: Apache-2.0
// A step of a Trainer: what is recorded for a batch, whole or in parts, and how it is run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/trainer.h"
#include "train/hooks.h"
#include "train/piecewise_loss.h"
#include "train/split_loss.h"

namespace aclgrad::detail {

class TrainingStep {
 public:
  /// Refers to the optimizer and the ranks.
  TrainingStep(const Module& model, LossRecorder loss, Optimizer& optimizer, Ranks& ranks,
               const TrainerOptions& options);

  // Sessions refer to it.
  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;

  /// Forgets what was recorded for other frozen parts; whether it had to.
  bool follow_freezing();
  void forget_graphs();

  /// Trains; whether it updated anything. Hooks are called afterwards.
  struct Outcome {
    double loss;
    bool updated;
    Results results;
    double scale;  // of the gradients in results
  };
  Outcome run(const data::Dataset& batch);
  void call_hooks(const Outcome& outcome) const;

  /// Plans a step for such a batch.
  void prepare(const data::Dataset& batch);

  RecordedStep record(const data::Dataset& batch);

  /// This rank's parts of a batch: what is fed for them, and the sums over them of loss and
  /// gradients, recorded into a graph of that mode. Those of all ranks add up to the batch's.
  std::vector<Feed> feeds_of(const data::Dataset& batch, Mode mode);
  LossAndGradients record_parts(const Graph& graph, const SessionCache::Inputs& inputs);

  /// The share of a batch's examples that this rank's parts have.
  double share_of(std::int64_t examples) const;

  const Graph& graph() const { return training_.latest(); }
  const MicroBatches& micro_batches() const { return micro_batches_; }
  std::optional<LossScaler>& scaler() { return scaler_; }

  StepHooks& hooks() { return hooks_; }

  /// The parameters that the step recorded last updates, and the others.
  const std::vector<Variable>& updated() const { return updated_; }
  std::vector<Variable> resting() const;

 private:
  SessionCache::BuiltGraph build(const SessionCache::Inputs& inputs);
  SplitLoss& split_for(const data::Dataset& batch, Mode mode);
  LossAndGradients record_gradients(const Value& loss);
  LossAndGradients no_part(const SplitLoss& split, const Graph& graph);
  bool is_whole(std::int64_t batch) const;
  void require_parameters() const;
  void follow_parameters(const Gradients& gradients);
  void warn_of_unused(const Gradients& gradients);

  Module model_;
  LossRecorder loss_;
  Optimizer& optimizer_;
  Ranks& ranks_;
  MicroBatches micro_batches_;
  std::optional<LossScaler> scaler_;
  SessionOptions session_;
  SessionCache training_;
  std::map<std::string, SplitLoss> splits_;  // by mode and batch
  SeparateExamples separate_;
  std::deque<data::Dataset> cut_;  // parts of the latest batch, where it is cut
  Graph update_graph_;             // with a loss scaler
  std::optional<Session> update_;
  StepHooks hooks_;
  std::uint64_t freeze_count_ = Module::freeze_count();
  std::vector<bool> frozen_;  // the parts of the model, as they were recorded
  std::vector<Variable> updated_;
  bool warned_of_unused_ = false;
};

}  // namespace aclgrad::detail
