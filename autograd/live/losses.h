// SPDX-License-Identifier: Apache-2.0
// The losses of a run as a curve of few points, at whatever step one stands.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace aclgrad::live {

class Losses {
 public:
  using Point = std::pair<std::int64_t, double>;

  /// Of the step that comes after those it has.
  void add(std::int64_t step, double loss);

  /// Those of a step, and of later ones.
  void forget_from(std::int64_t step);

  /// By step: of a long run the first, those that lie a multiple of a power of two behind it, and
  /// the latest.
  std::vector<Point> shown() const;

 private:
  // The level whose points reach up to a step.
  std::size_t level_of(std::int64_t step) const;

  // For each power of two the first of its multiples, as many as a curve has: whatever step one
  // goes back to, its curve is there. They count from the first step that was added, where a run
  // that was resumed begins.
  std::vector<std::vector<Point>> levels_;
  std::int64_t begin_ = 0;
  std::optional<Point> latest_;
};

}  // namespace aclgrad::live
