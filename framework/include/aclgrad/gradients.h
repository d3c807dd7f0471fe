// SPDX-License-Identifier: Apache-2.0
// Gradients: what backward() returns and optimizers take: for each value asked for, the value that
// holds the derivative of the loss with respect to it.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

class Gradients {
 public:
  struct Pair {
    Value value;
    Value gradient;  // of the value's shape and dtype
  };

  Gradients() = default;
  Gradients(const Gradients&) = default;
  Gradients(Gradients&&) noexcept = default;
  Gradients& operator=(const Gradients&) = default;
  Gradients& operator=(Gradients&& other) noexcept {
    if (this == &other) return *this;
    pairs_ = std::move(other.pairs_);
    positions_ = std::move(other.positions_);
    return *this;
  }
  ~Gradients() = default;

  /// Of several pairs for one value the first counts.
  explicit Gradients(std::vector<Pair> pairs);

  /// The gradient with respect to `value`. Throws ValueError, naming it, when it is not there.
  const Value& operator[](const Value& value) const;
  bool contains(const Value& value) const { return positions_.contains(value); }

  /// In the order in which the values were given to backward().
  auto begin() const { return pairs_.begin(); }
  auto end() const { return pairs_.end(); }
  std::size_t size() const { return pairs_.size(); }

 private:
  std::vector<Pair> pairs_;
  std::unordered_map<Value, std::size_t> positions_;  // in pairs_
};

}  // namespace aclgrad
