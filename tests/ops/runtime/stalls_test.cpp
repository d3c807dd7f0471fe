// SPDX-License-Identifier: Apache-2.0
// When the workers of operators rest, on a clock of the test's.
#include "ops/runtime/threads/stalls.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace aclgrad::runtime {
namespace {

using namespace std::chrono_literals;
using Clock = Stalls::Clock;

// Milliseconds from `now` on until they are back; at most 1000.
int rest_after(const Stalls& stalls, Clock::time_point now) {
  int rest = 0;
  while (rest < 1000 && stalls.workers_rest(now + rest * 1ms)) ++rest;
  return rest;
}

TEST(Stalls, WorkersThatHadTheirCoresDoNotRest) {
  Stalls stalls;
  const Clock::time_point now = Clock::time_point{} + 1h;
  EXPECT_EQ(rest_after(stalls, now), 0) << "before any call";
  stalls.learn(now, 2, 20us, 0us);
  EXPECT_EQ(rest_after(stalls, now), 0) << "the caller waited for one that worked";
  stalls.learn(now, 2, 1us, 200us);
  EXPECT_EQ(rest_after(stalls, now), 0) << "too short to matter";
}

TEST(Stalls, TheyRestWhereTheCallerAloneWouldHaveBeenFaster) {
  const Clock::time_point now = Clock::time_point{} + 1h;
  const auto rests = [&](int32_t threads, Clock::duration worked, Clock::duration lost) {
    Stalls stalls;
    stalls.learn(now, threads, worked, lost);
    return stalls.workers_rest(now);
  };
  EXPECT_TRUE(rests(2, 2ms, 3ms));
  EXPECT_FALSE(rests(2, 4ms, 3ms));
  EXPECT_FALSE(rests(4, 2ms, 3ms)) << "four threads do three times as much meanwhile";
  EXPECT_TRUE(rests(4, 2ms, 7ms));
}

TEST(Stalls, RestsGrowWhileItHappensAgain) {
  Stalls stalls;
  Clock::time_point now = Clock::time_point{} + 1h;
  int expected = 4;
  for (int time = 0; time < 10; ++time) {
    stalls.learn(now, 2, 1ms, 5ms);
    ASSERT_EQ(rest_after(stalls, now), expected) << time;
    now += expected * 1ms + 8ms;  // 3 ms of work, and then 5 that are lost
    expected = std::min(2 * expected, 256);
  }
}

TEST(Stalls, RestsAreShortAgainAfterThreadsWereWorthTheirLoss) {
  Stalls stalls;
  Clock::time_point now = Clock::time_point{} + 1h;
  for (int time = 0; time < 4; ++time) {
    stalls.learn(now, 2, 1ms, 5ms);
    now += rest_after(stalls, now) * 1ms + 5ms;
  }
  now += 6ms;
  stalls.learn(now, 2, 1ms, 5ms);
  EXPECT_EQ(rest_after(stalls, now), 4);
}

TEST(Stalls, AnUptimeOfYearsIsNoRest) {
  Stalls stalls;
  const Clock::time_point now = Clock::time_point{} + 24h * 400;
  stalls.learn(now, 1024, 1us, 2ms);
  EXPECT_EQ(rest_after(stalls, now), 4) << "the product of both would be beyond 64 bits";
}

}  // namespace
}  // namespace aclgrad::runtime
