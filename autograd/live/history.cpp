// SPDX-License-Identifier: Apache-2.0
#include "live/history.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aclgrad::live {

void History::keep(const std::vector<Trainer*>& trainers, bool edited) {
  State state{trainers.front()->steps(), {}, trainers.front()->fixed_learning_rate(), edited, 0};
  forget_after(state.step - 1);
  for (const Trainer* trainer : trainers) {
    Checkpoint checkpoint;
    checkpoint.step = trainer->steps();
    checkpoint.tensors = trainer->tensors();
    for (const auto& [name, tensor] : checkpoint.tensors) state.bytes += tensor.nbytes();
    state.trainers.push_back(std::move(checkpoint));
  }
  states_.push_back(std::move(state));
  make_room();
}

const History::State& History::at_or_before(std::int64_t step) const {
  const auto after = std::ranges::upper_bound(states_, step, {}, &State::step);
  return after == states_.begin() ? states_.front() : *std::prev(after);
}

void History::forget_after(std::int64_t step) {
  std::erase_if(states_, [&](const State& state) { return state.step > step; });
}

// The first state, the last ones and those that were edited stay, so that every step can be
// computed again.
void History::make_room() {
  constexpr std::size_t kLast = 4;
  std::size_t bytes = 0;
  for (const State& state : states_) bytes += state.bytes;
  if (bytes <= most_bytes_ || states_.size() <= kLast + 1) return;
  std::vector<State> kept;
  bool drop = false;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const bool stays = i == 0 || states_[i].edited || i + kLast >= states_.size();
    if (!stays) drop = !drop;
    if (stays || !drop) kept.push_back(std::move(states_[i]));
  }
  states_ = std::move(kept);
}

}  // namespace aclgrad::live
