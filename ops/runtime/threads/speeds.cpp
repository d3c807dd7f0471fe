// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/threads/speeds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace aclgrad::runtime {
namespace {

// Smaller differences are noise; and while the bounds do not change, each thread's memory stays in
// its caches.
constexpr double kTolerance = 1.0 / 16;
// Loops that take less time are not measured: starting the threads takes most of it.
constexpr double kMinSeconds = 20e-6;
// The weight of one loop, and the largest change that one may make: a core that another process had
// for a moment is not slow.
constexpr double kEmaWeight = 1.0 / 4;
constexpr double kOutlierClamp = 1.5;
constexpr double kMinSpeed = 0.25;

}  // namespace

void Speeds::cut(int64_t units, int32_t threads, int64_t* bounds) const {
  const double* const end = speeds_.data() + threads;
  const auto [least, most] = std::minmax_element(speeds_.data(), end);
  const bool equal = *most - *least < kTolerance;
  const double total = equal ? threads : std::accumulate(speeds_.data(), end, 0.0);
  double before = 0;
  for (int32_t i = 0; i < threads; ++i) {
    bounds[i] = std::llround(static_cast<double>(units) * before / total);
    // The slowest gets a unit too, so that its speed is measured again.
    if (units >= threads && i > 0) {
      bounds[i] = std::clamp(bounds[i], bounds[i - 1] + 1, units - (threads - i));
    }
    before += equal ? 1 : speeds_[static_cast<size_t>(i)];
  }
  bounds[threads] = units;
}

void Speeds::learn(const int64_t* bounds, const double* seconds, int32_t threads) {
  const auto [least, most] = std::minmax_element(seconds, seconds + threads);
  if (*least == 0 || *most < kMinSeconds) return;
  std::array<double, kMaxThreads> rates;
  double mean = 0;
  for (int32_t i = 0; i < threads; ++i) {
    const double rate = static_cast<double>(bounds[i + 1] - bounds[i]) / seconds[i];
    rates[static_cast<size_t>(i)] = rate;
    mean += rate / threads;
  }
  for (int32_t i = 0; i < threads; ++i) {
    double& speed = speeds_[static_cast<size_t>(i)];
    const double seen = rates[static_cast<size_t>(i)] / mean;
    speed += kEmaWeight * (std::clamp(seen, speed / kOutlierClamp, speed * kOutlierClamp) - speed);
    speed = std::max(speed, kMinSpeed);
  }
}

}  // namespace aclgrad::runtime
