// SPDX-License-Identifier: Apache-2.0
// The losses of a run as a curve of few points, at whatever step one stands.
#ifndef ACLGRAD_AUTOGRAD_LIVE_LOSSES_H_
#define ACLGRAD_AUTOGRAD_LIVE_LOSSES_H_

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

  /// By step: of a long run those that are multiples of a power of two, and the latest.
  std::vector<Point> shown() const;

 private:
  // For each power of two the first of its multiples, as many as a curve has: whatever step one
  // goes back to, its curve is there.
  std::vector<std::vector<Point>> levels_;
  std::optional<Point> latest_;
};

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_LOSSES_H_
