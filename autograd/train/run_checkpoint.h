// SPDX-License-Identifier: Apache-2.0
// RunCheckpoint: the checkpoint of a run of fit(): the trainer's tensors, where the run is, and the
// best weights. The first rank reads and writes it.
#pragma once

#include <filesystem>
#include <string>

#include "aclgrad/fit.h"
#include "aclgrad/io/checkpoint.h"
#include "train/run_state.h"

namespace aclgrad::detail {

class RunCheckpoint {
 public:
  RunCheckpoint(const data::Batches& batches, const FitOptions& options);

  /// Whether the run has one.
  explicit operator bool() const { return !path_.empty(); }

  /// Throws IoError where it cannot be written.
  void require_writable() const;

  void save(const RunState& state, NamedTensors tensors, const NamedTensors& best) const;

  struct Loaded {
    std::string progress;   // RunState as text; empty where no run has begun
    Checkpoint checkpoint;  // without the best weights
    NamedTensors best;
  };
  /// Throws ValueError for one of another order of batches, other settings or other metrics.
  Loaded load() const;

 private:
  std::string made_with() const;

  const data::Batches& batches_;
  const FitOptions& options_;
  const std::filesystem::path path_;
};

}  // namespace aclgrad::detail
