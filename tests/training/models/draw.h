// SPDX-License-Identifier: Apache-2.0
// Random decisions, one after the other.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "aclgrad/random.h"

namespace aclgrad::training {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  /// In [low, high].
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }

  bool chance(double probability) { return random_.uniform() < probability; }

  /// In [low, high], of few digits, for the sake of those who read it.
  double number(double low, double high) {
    const double drawn = low + (high - low) * random_.uniform();
    const double digit = std::pow(10.0, std::floor(std::log10(high)) - 2);
    return std::round(drawn / digit) / std::round(1 / digit);
  }

  /// As number(), small and large ones equally often.
  double size(double low, double high) {
    const double drawn = low * std::pow(high / low, random_.uniform());
    const double digit = std::pow(10.0, std::floor(std::log10(drawn)) - 1);
    return std::round(drawn / digit) / std::round(1 / digit);
  }

  template <class T>
  T one_of(std::initializer_list<T> all) {
    return *std::next(all.begin(), whole(0, static_cast<std::int64_t>(all.size()) - 1));
  }

 private:
  RandomSequence random_;
};

}  // namespace aclgrad::training
