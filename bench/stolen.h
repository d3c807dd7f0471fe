// SPDX-License-Identifier: Apache-2.0
// Time that the host of a virtual machine gives to its other guests. It comes in bursts of many
// milliseconds, in which nothing of ours runs but the clock does: what is measured then says
// nothing of the program.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>

namespace aclgrad::bench {

// A measurement and how much it was disturbed, on any scale; 0 is not at all.
struct Measured {
  double seconds;
  double disturbance;
};

// The first of a few measurements that was not disturbed, else the first of those that were least.
template <class Measure>
double least_disturbed(int tries, const Measure& measure) {
  Measured best = {.seconds = 0, .disturbance = std::numeric_limits<double>::infinity()};
  for (int i = 0; i < tries && best.disturbance > 0; ++i) {
    const Measured next = measure();
    if (next.disturbance < best.disturbance) best = next;
  }
  return best.seconds;
}

// What this thread alone does, by two clocks: its own stands still while the core is taken away, if
// the kernel knows so, or given to another thread. It also does while the thread waits for
// another one of its own process, which takes less than is looked for here.
template <class Work>
Measured time_on_this_thread(const Work& work) {
  constexpr double kNoticed = 100e-6;
  constexpr double kUsual = 0.02;  // interrupts, which every run has
  const auto own_clock = [] {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const double own_start = own_clock();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const double lost = taken.count() - (own_clock() - own_start);
  // Not how much: the least disturbed would be the fastest.
  const bool is_disturbed = lost > kNoticed && lost > kUsual * taken.count();
  return {.seconds = taken.count(), .disturbance = is_disturbed ? 1.0 : 0.0};
}

// Of so many calls, too short for the kernel's ticks. Where several threads share the work, their
// clocks do not tell, as they also stand still when one waits for another: the first measurement
// counts.
template <class Call>
double seconds_of_calls(const Call& call, int64_t count, int threads) {
  constexpr int kTries = 5;
  return least_disturbed(threads == 1 ? kTries : 1, [&] {
    return time_on_this_thread([&] {
      for (int64_t i = 0; i < count; ++i) call();
    });
  });
}

}  // namespace aclgrad::bench
