// SPDX-License-Identifier: Apache-2.0
// Training on parts of a batch. The mean over two parts' means is not the mean over the batch when
// the parts are unequal, when some targets do not count or classes have weights; and a sum is none
// at all. So what a part adds to the loss of its batch is
//
//   loss of a part = sum over the part / weight of the whole batch
//
// and all parts' losses, and gradients, add up to those of the batch. Weights, and whatever else
// stands beside the totals, are those of the whole batch, worked out before its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "aclgrad/session.h"
#include "train/loss_totals.h"
#include "train/recorded_loss.h"

namespace aclgrad::detail {

/// The loss of so many examples is not made of those of their parts.
[[noreturn]] void refuse_parts(std::int64_t examples, const NoTotal& obstacle);

class SplitLoss {
 public:
  /// Records the loss of a whole batch for itself, and of a part of it. Throws ValueError, naming
  /// the node, where the batch's loss is not made of those of parts.
  SplitLoss(Mode mode, LossRecorder loss, const BatchSpecs& whole, const BatchSpecs& part,
            const std::vector<Variable>& trained, SessionOptions options);

  /// What the parts need of a batch, and how they are fed with it.
  void add_weights(const data::Dataset& batch, std::vector<Feed>& feeds);

  /// Inputs of a graph for these weights.
  std::vector<Value> weight_inputs(const Graph& graph) const;

  /// Records what a part, whose examples are inputs, adds to the loss of its batch.
  Value part(const BatchValues& batch, const std::vector<Value>& weights);

  /// The loss of the whole batch, in a graph of its own.
  const RecordedLoss& whole() const { return whole_; }

 private:
  class Part;
  Value share_of(const Loss& part, std::int64_t examples, const std::vector<Value>* weights);

  LossRecorder loss_;
  RecordedLoss whole_;
  std::unordered_set<ValueId> trained_;  // what has a gradient for the model, in the whole batch
  std::vector<Value> weights_;
  std::optional<Session> session_;  // of the weights
};

}  // namespace aclgrad::detail
