// SPDX-License-Identifier: Apache-2.0
// States of a training run to go back to.
#ifndef ACLGRAD_AUTOGRAD_LIVE_HISTORY_H_
#define ACLGRAD_AUTOGRAD_LIVE_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "aclgrad/checkpoint.h"
#include "aclgrad/trainer.h"

namespace aclgrad::live {

class History {
 public:
  struct State {
    std::int64_t step;
    std::vector<Checkpoint> trainers;
    std::optional<double> rate;  // that the user has set
    bool edited;                 // what steps alone do not lead to
    std::size_t bytes;
  };

  explicit History(std::size_t bytes) : most_bytes_(bytes) {}

  /// Keeps the present state; one of the same step goes.
  void keep(const std::vector<Trainer*>& trainers, bool edited);

  /// The last state at a step or before it.
  const State& at_or_before(std::int64_t step) const;

  std::int64_t first() const { return states_.front().step; }
  std::int64_t last() const { return states_.back().step; }
  void forget_after(std::int64_t step);
  void clear() { states_.clear(); }

 private:
  void make_room();

  std::size_t most_bytes_;
  std::vector<State> states_;  // by step
};

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_HISTORY_H_
