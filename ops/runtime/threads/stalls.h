// SPDX-License-Identifier: Apache-2.0
// Whether sharing work pays while other processes use the cores, too. The system stops a worker in
// the middle of its part for some milliseconds, and all others wait for it: with one more process
// than cores, two threads can take twice as long as one. The workers then rest: calls run on their
// caller alone, for longer and longer while it happens again as soon as they are back.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace aclgrad::runtime {

class Stalls {
 public:
  using Clock = std::chrono::steady_clock;

  bool workers_rest(Clock::time_point now) const { return now < rest_ends_; }

  // After a call of so many threads for whose part the caller took the time `worked`, and then
  // waited for a worker that had no core for the time `lost`.
  void learn(Clock::time_point now, int32_t threads, Clock::duration worked, Clock::duration lost) {
    if (lost < kMinLost || lost < (threads - 1) * worked) return;  // the caller alone is no faster
    const Clock::duration since = std::min<Clock::duration>(now - rest_ends_, kLongEnough);
    const Clock::duration gained = (threads - 1) * (since - lost);
    rest_ = gained < lost ? std::min(2 * rest_, kLongestRest) : kShortestRest;
    rest_ends_ = now + rest_;
  }

 private:
  static constexpr Clock::duration kMinLost = std::chrono::microseconds(300);
  static constexpr Clock::duration kShortestRest = std::chrono::milliseconds(4);
  static constexpr Clock::duration kLongestRest = std::chrono::milliseconds(256);
  static constexpr Clock::duration kLongEnough = std::chrono::hours(1);  // to gain what is lost

  Clock::time_point rest_ends_{};
  Clock::duration rest_ = kShortestRest;
};

}  // namespace aclgrad::runtime
