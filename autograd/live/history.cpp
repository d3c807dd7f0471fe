// SPDX-License-Identifier: Apache-2.0
#include "live/history.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aclgrad::live {

History::State History::state_of(const std::vector<Trainer*>& trainers) {
  State state{trainers.front()->steps(), {}, trainers.front()->fixed_learning_rate(), 0};
  for (const Trainer* trainer : trainers) {
    Checkpoint checkpoint;
    checkpoint.step = trainer->steps();
    checkpoint.tensors = trainer->tensors();
    for (const auto& [name, tensor] : checkpoint.tensors) state.bytes += tensor.nbytes();
    state.trainers.push_back(std::move(checkpoint));
  }
  return state;
}

void History::keep(State state) {
  std::erase_if(states_, [&](const State& kept) { return kept.step >= state.step; });
  states_.push_back(std::move(state));
  make_room();
}

void History::change(const Change& change) {
  std::erase_if(changes_, [&](const Change& known) { return known.is_of_same(change); });
  changes_.push_back(change);
}

void History::replace(Changes changes) {
  const auto [here, there] = std::ranges::mismatch(changes_, changes);
  std::int64_t same = std::max(last(), first());
  if (here != changes_.end()) same = std::min(same, here->step);
  if (there != changes.end()) same = std::min(same, there->step);
  std::erase_if(states_, [&](const State& state) { return state.step > std::max(same, first()); });
  changes_ = std::move(changes);
}

const History::State& History::at_or_before(std::int64_t step) const {
  const auto after = std::ranges::upper_bound(states_, step, {}, &State::step);
  return after == states_.begin() ? states_.front() : *std::prev(after);
}

void History::forget_after(std::int64_t step) {
  std::erase_if(states_, [&](const State& state) { return state.step > step; });
  std::erase_if(changes_, [&](const Change& change) { return change.step > step; });
}

std::size_t History::bytes() const {
  std::size_t bytes = 0;
  for (const State& state : states_) bytes += state.bytes;
  return bytes;
}

void History::reserve(std::size_t bytes) {
  reserved_ = bytes;
  make_room();
}

// Every second state goes but for the first and the last ones: every step can be computed again.
// Where even those do not fit, the last ones go, too.
void History::make_room() {
  for (std::size_t last = 4; bytes() + reserved_ > most_bytes_ && states_.size() > 1;) {
    std::vector<State> kept;
    bool drop = false;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const bool stays = i == 0 || i + last >= states_.size();
      if (!stays) drop = !drop;
      if (stays || !drop) kept.push_back(std::move(states_[i]));
    }
    if (kept.size() == states_.size()) last = last > 0 ? last - 1 : 0;
    states_ = std::move(kept);
  }
}

}  // namespace aclgrad::live
