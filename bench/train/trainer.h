// SPDX-License-Identifier: Apache-2.0
// Who trains. Each is a program of its own (ours.cpp, torch.cpp, floor.cpp, each with serve.cpp),
// so that its memory is its own and so that settings read once per process can differ.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/workload.h"

namespace aclgrad::bench {

class Trainer {
 public:
  virtual ~Trainer() = default;

  // One training step: forward, loss, backward, update, all of it done on return.
  virtual void step() = 0;

  // The loss that the latest step computed, before its update; nothing from who computes none.
  virtual std::optional<double> loss() = 0;

  // Where the time of a step goes, as text for a person; empty for who cannot tell.
  virtual std::string profile() { return {}; }
};

// Ready for its first step.
std::unique_ptr<Trainer> make_trainer(const Workload& workload, int threads);

// The library and its version.
std::string trainer_version();

}  // namespace aclgrad::bench
