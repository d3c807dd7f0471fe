// SPDX-License-Identifier: Apache-2.0
// The training step to come, run for its numbers alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/trainer.h"
#include "live/edits.h"

namespace aclgrad::live {

class Preview {
 public:
  /// Records the step of a batch.
  Preview(Trainer& trainer, const data::Dataset& batch);
  ~Preview();

  /// Runs it eagerly, with some elements changed on the way; variables are left as they were found.
  void run(Trainer& trainer, const data::Dataset& batch, const Edits& edits,
           detail::RunObserver* also = nullptr);

  const RecordedStep& step() const { return step_; }

  /// Whether it is the step of such a batch.
  bool fits(const data::Dataset& batch) const;

  /// What the latest run made: every value that it needed, and the operators in their order.
  const std::map<ValueId, Tensor>& values() const { return values_; }
  const std::vector<NodeId>& order() const { return order_; }
  double loss() const { return values_.at(step_.loss.id()).item(); }

 private:
  class Recorder;

  RecordedStep step_;
  std::vector<std::pair<std::string, TensorSpec>> specs_;
  std::unique_ptr<detail::SessionState> session_;
  std::map<ValueId, Tensor> values_;
  std::vector<NodeId> order_;
};

}  // namespace aclgrad::live
