// SPDX-License-Identifier: Apache-2.0
// What a Trainer computes in Mode::evaluation: losses of examples, and a look into the network.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "aclgrad/nn/module.h"
#include "aclgrad/session/cache.h"
#include "aclgrad/training_log.h"
#include "train/piecewise_loss.h"
#include "train/training_step.h"

namespace aclgrad::detail {

class Evaluator {
 public:
  Evaluator(const Module& model, LossRecorder loss, const SessionCacheOptions& options);

  // Sessions refer to it.
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// The loss of examples, so many at a time; 0: all.
  double loss_of(const data::Dataset& examples, std::int64_t piece);

 private:
  Module model_;
  LossRecorder loss_;
  SessionCacheOptions options_;
  SessionCache whole_;
  std::map<std::string, PiecewiseLoss> pieces_;  // by all examples
  SeparateExamples separate_;
};

/// Norms of gradients and what activations return, for a rank's parts of a batch.
class Observation {
 public:
  /// Refers to the step, which records the parts.
  Observation(TrainingStep& step, const SessionCacheOptions& options);

  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  void add_to(TrainingLog& log, const data::Dataset& batch, std::int64_t step);
  void forget_graphs() { graphs_.clear(); }

 private:
  struct Layer {
    std::string name;
    bool has_channels;  // units along axis 1
    friend bool operator==(const Layer&, const Layer&) = default;
  };
  SessionCache::BuiltGraph record(const SessionCache::Inputs& inputs);

  TrainingStep& step_;
  SessionCache graphs_;
  std::vector<std::string> gradients_;
  std::vector<Layer> layers_;
};

}  // namespace aclgrad::detail
