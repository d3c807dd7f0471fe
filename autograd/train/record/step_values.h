// SPDX-License-Identifier: Apache-2.0
// All values of one training step, in a safetensors file: what two programs are compared by.
#pragma once

#include <filesystem>
#include <string>

#include "aclgrad/trainer.h"

namespace aclgrad::detail {

/// Names in the file, in its order:
///
///   before/NAME          the trainer's state before the step
///   batch/NAME           the batch
///   node/NUMBER/OUTPUT   what each operator of the step made, in the order of running
///   after/NAME           the state after it
///
/// The metadata has for "node/NUMBER" the operator with its attributes, for "place of node/NUMBER"
/// how messages name the node, and under "no nodes" why there are none: a step of a loss scaler,
/// micro-batches or several ranks is several graphs.
class StepValues {
 public:
  /// Before the step: runs it node by node, and leaves everything as it was. All ranks call it.
  StepValues(Trainer& trainer, const data::Dataset& batch);

  /// After it. Writes a page of the step, too, with ".html" behind the path, where the program
  /// called provide_step_pages().
  void save(const std::filesystem::path& path, const NamedTensors& after);

 private:
  void run_nodes(Trainer& trainer, const data::Dataset& batch);

  NamedTensors tensors_;
  Metadata metadata_;
  std::string page_;
};

}  // namespace aclgrad::detail
