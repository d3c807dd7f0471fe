// SPDX-License-Identifier: Apache-2.0
// States of a training run to go back to, and what its user has changed on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/io/checkpoint.h"
#include "aclgrad/trainer.h"

namespace aclgrad::live {

/// A change that training goes on from: of an element of a variable, or of the learning rate, where
/// no variable is named.
struct Change {
  std::int64_t step;
  std::string variable = {};
  std::int64_t index = 0;
  std::optional<double> to = std::nullopt;  ///< none: the optimizer's own learning rate

  bool is_of_same(const Change& other) const {
    return step == other.step && variable == other.variable && index == other.index;
  }
  friend bool operator==(const Change&, const Change&) = default;
};

/// By step, and in the order in which they were made.
using Changes = std::vector<Change>;

class History {
 public:
  struct State {
    std::int64_t step;
    std::vector<Checkpoint> trainers;
    std::optional<double> rate;  // that the user has set
    std::size_t bytes;
  };

  explicit History(std::size_t bytes) : most_bytes_(bytes) {}

  std::size_t most_bytes() const { return most_bytes_; }

  /// The present state.
  static State state_of(const std::vector<Trainer*>& trainers);

  /// Keeps the state that the last step has led to, before what the user changes then. Of the first
  /// one on all are kept while there is room; the first, which all others follow from, always.
  void keep(State state);

  /// Replaces an earlier change of the same thing at the same step.
  void change(const Change& change);
  const Changes& changes() const { return changes_; }

  /// Those of another past of the same run: states that it did not come by are forgotten.
  void replace(Changes changes);

  /// The last state at a step or before it.
  const State& at_or_before(std::int64_t step) const;

  std::int64_t first() const { return states_.front().step; }
  std::int64_t last() const { return states_.back().step; }

  /// States after a step, and changes.
  void forget_after(std::int64_t step);

  /// States that are kept elsewhere take of the same room.
  bool has_room_for(std::size_t bytes) const { return this->bytes() + bytes <= most_bytes_; }
  void reserve(std::size_t bytes);
  std::size_t bytes() const;  ///< of those here

 private:
  void make_room();

  std::size_t most_bytes_, reserved_ = 0;
  std::vector<State> states_;  // by step
  Changes changes_;
};

}  // namespace aclgrad::live
