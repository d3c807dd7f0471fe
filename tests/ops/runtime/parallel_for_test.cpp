// SPDX-License-Identifier: Apache-2.0
// The threads that operators share their work with.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "aclgrad_ext.h"
#include "tests/support/allocations.h"

namespace {

void run_chunks(int64_t pieces, const std::function<void(int64_t)>& body) {
  aclgradParallelFor(
      pieces,
      [](void* context, int64_t piece) {
        (*static_cast<const std::function<void(int64_t)>*>(context))(piece);
      },
      const_cast<std::function<void(int64_t)>*>(&body));
}

using Range = std::pair<int64_t, int64_t>;

void run_shares(int64_t units, const std::function<void(int64_t, int64_t)>& body) {
  aclgradParallelForRanges(
      units,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<const std::function<void(int64_t, int64_t)>*>(context))(begin, end);
      },
      const_cast<std::function<void(int64_t, int64_t)>*>(&body));
}

// The ranges of one call, in their order.
std::vector<Range> ranges_of_shares(int64_t units) {
  std::mutex mutex;
  std::vector<Range> ranges;
  run_shares(units, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

void stay_busy(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

class ParallelFor : public ::testing::Test {
 protected:
  void TearDown() override { aclgradSetNumThreads(0); }
};

TEST_F(ParallelFor, EachRunsOnce) {
  for (const int32_t threads : {1, 2, 5}) {
    aclgradSetNumThreads(threads);
    for (const int64_t pieces : {0, 1, 2, 3, 100, 1001}) {
      for (int repetition = 0; repetition < 50; ++repetition) {
        std::vector<std::atomic<int>> hits(static_cast<size_t>(pieces));
        run_chunks(pieces, [&](int64_t i) { ++hits[static_cast<size_t>(i)]; });
        ASSERT_TRUE(std::all_of(hits.begin(), hits.end(), [](const auto& n) { return n == 1; }))
            << threads << " threads, " << pieces << " chunks";
      }
    }
  }
}

TEST_F(ParallelFor, OneThreadIsTheCaller) {
  aclgradSetNumThreads(1);
  run_chunks(20, [caller = std::this_thread::get_id()](int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

// Each chunk waits for the others to have begun: only as many threads as chunks can end this. They
// may rest when it is called, as other programs have kept them from their cores.
bool all_at_once(int32_t threads) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + std::chrono::seconds(30);
  while (steady_clock::now() < deadline) {
    std::atomic<int32_t> begun{0};
    std::atomic<bool> have_met{false};
    run_chunks(threads, [&](int64_t) {
      ++begun;
      const auto end = steady_clock::now() + std::chrono::milliseconds(500);
      while (begun < threads && steady_clock::now() < end) std::this_thread::yield();
      if (begun == threads) have_met = true;
    });
    if (have_met) return true;
  }
  return false;
}

TEST_F(ParallelFor, RunOnSeveralThreadsAtOnce) {
  for (const int32_t threads : {2, 4}) {
    aclgradSetNumThreads(threads);
    EXPECT_TRUE(all_at_once(threads)) << threads;
  }
}

TEST_F(ParallelFor, InsideAChunkStayOnItsThread) {
  aclgradSetNumThreads(3);
  std::atomic<int64_t> count{0};
  run_chunks(6, [&](int64_t) {
    const auto outer = std::this_thread::get_id();
    run_chunks(7, [&](int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      ++count;
    });
  });
  EXPECT_EQ(count, 42);
}

TEST_F(ParallelFor, SeveralCallersShareAtOnce) {
  aclgradSetNumThreads(3);
  std::vector<std::thread> callers;
  for (int64_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([] {
      for (int repetition = 0; repetition < 200; ++repetition) {
        std::atomic<int64_t> sum{0};
        run_shares(50, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) sum += i;
        });
        ASSERT_EQ(sum, 1225);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(ParallelFor, SeveralCallersAtOnce) {
  aclgradSetNumThreads(3);
  std::vector<std::thread> callers;
  for (int64_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([caller] {
      for (int64_t repetition = 0; repetition < 200; ++repetition) {
        std::atomic<int64_t> sum{0};
        run_chunks(50, [&](int64_t i) { sum += i * (caller + 1); });
        ASSERT_EQ(sum, 1225 * (caller + 1));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// Helpers sleep when there is nothing to do, and wake again.
TEST_F(ParallelFor, AfterAPause) {
  aclgradSetNumThreads(2);
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_TRUE(all_at_once(2));
  }
}

TEST_F(ParallelFor, SharesMakeUpTheWhole) {
  for (const int32_t threads : {1, 2, 5}) {
    aclgradSetNumThreads(threads);
    for (const int64_t units : {0, 1, 2, 3, 100, 1001}) {
      for (int repetition = 0; repetition < 50; ++repetition) {
        const std::vector<Range> ranges = ranges_of_shares(units);
        EXPECT_LE(ranges.size(), static_cast<size_t>(threads));
        int64_t done = 0;
        for (const auto& [begin, end] : ranges) {
          ASSERT_EQ(begin, done) << threads << " threads, " << units << " units";
          ASSERT_GT(end, begin);
          done = end;
        }
        ASSERT_EQ(done, units) << threads << " threads";
      }
    }
  }
}

TEST_F(ParallelFor, OneThreadHasOneShare) {
  aclgradSetNumThreads(1);
  EXPECT_EQ(ranges_of_shares(100), (std::vector<Range>{{0, 100}}));
}

TEST_F(ParallelFor, InsideAPieceThereIsOneShare) {
  aclgradSetNumThreads(3);
  run_chunks(6, [](int64_t) { EXPECT_EQ(ranges_of_shares(100), (std::vector<Range>{{0, 100}})); });
}

cpu_set_t cores_of_this_thread() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return cores;
}

void stay_on(const cpu_set_t& cores) { sched_setaffinity(0, sizeof(cores), &cores); }

void stay_on(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<size_t>(core), &cores);
  stay_on(cores);
}

std::vector<int> numbers_of(const cpu_set_t& cores) {
  std::vector<int> numbers;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<size_t>(core), &cores)) numbers.push_back(core);
  }
  return numbers;
}

// Calls until the caller's part of so many units, of which each takes it so many microseconds and
// the other thread so many, is as wanted. False if that takes 30 seconds.
bool share_of_caller_becomes(const std::function<bool(int64_t)>& wanted, int64_t units,
                             int64_t caller_us, int64_t other_us) {
  const auto caller = std::this_thread::get_id();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < deadline) {
    std::atomic<int64_t> first{0};  // the caller's, on any thread
    run_shares(units, [&](int64_t begin, int64_t end) {
      const bool is_caller = std::this_thread::get_id() == caller;
      stay_busy(std::chrono::microseconds((end - begin) * (is_caller ? caller_us : other_us)));
      if (begin == 0) first = end;
    });
    if (wanted(first)) return true;
  }
  return false;
}

TEST_F(ParallelFor, FastThreadsGetMore) {
  if (numbers_of(cores_of_this_thread()).size() < 2) GTEST_SKIP() << "one core";
  aclgradSetNumThreads(2);
  const auto is_between = [](int64_t low, int64_t high) {
    return [=](int64_t units) { return low < units && units < high; };
  };
  EXPECT_TRUE(share_of_caller_becomes(is_between(65, 100), 100, 4, 12));
  EXPECT_TRUE(share_of_caller_becomes(is_between(0, 35), 100, 12, 4))
      << "what has changed is noticed";
}

// Who was slow gets the chance to show that it no longer is, however little there is to do.
TEST_F(ParallelFor, SlowThreadsAreNotForgotten) {
  if (numbers_of(cores_of_this_thread()).size() < 2) GTEST_SKIP() << "one core";
  aclgradSetNumThreads(2);
  const auto all_but_one = [](int64_t units) { return units == 3; };
  const auto half = [](int64_t units) { return units == 2; };
  EXPECT_TRUE(share_of_caller_becomes(all_but_one, 4, 100, 900));
  EXPECT_TRUE(share_of_caller_becomes(half, 4, 100, 100));
  EXPECT_TRUE(share_of_caller_becomes([](int64_t units) { return units > 80; }, 100, 1, 9));
  EXPECT_TRUE(share_of_caller_becomes([](int64_t units) { return units < 60; }, 100, 1, 1));
}

// A helper needs a moment to come. Nothing if none does.
std::optional<cpu_set_t> cores_of_a_helper() {
  const auto caller = std::this_thread::get_id();
  for (int trial = 0; trial < 100; ++trial) {
    std::mutex mutex;
    std::optional<cpu_set_t> found;
    run_chunks(8, [&](int64_t) {
      if (std::this_thread::get_id() == caller) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return;
      }
      const std::lock_guard lock(mutex);
      found = cores_of_this_thread();
    });
    if (found) return found;
  }
  return std::nullopt;
}

// cores_of_a_helper() while the caller is on this core and may use all of them.
std::optional<cpu_set_t> cores_of_a_helper(int core, const cpu_set_t& all) {
  for (int trial = 0; trial < 100; ++trial) {
    stay_on(core);
    stay_on(all);
    const auto found = cores_of_a_helper();
    if (sched_getcpu() == core) return found;  // else the system has moved the caller
  }
  return std::nullopt;
}

TEST_F(ParallelFor, AForkedProcessHasHelpersOfItsOwn) {
  const cpu_set_t all = cores_of_this_thread();
  aclgradSetNumThreads(4);
  for (int i = 0; i < 50; ++i) run_chunks(64, [](int64_t) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    for (const int core : numbers_of(all)) {
      stay_on(core);
      stay_on(all);
      std::atomic<int> count{0};
      run_chunks(64, [&](int64_t) { ++count; });
      const cpu_set_t now = cores_of_this_thread();
      if (count != 64) _exit(4);
      if (CPU_EQUAL(&now, &all) == 0) _exit(5);
    }
    _exit(cores_of_a_helper() ? 3 : 6);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

// Where helpers may run follows the caller, when that gets more cores to choose from.
TEST_F(ParallelFor, HelpersLeaveTheOneCoreOfTheirFirstCaller) {
  const cpu_set_t all = cores_of_this_thread();
  const std::vector<int> numbers = numbers_of(all);
  if (numbers.size() < 2) GTEST_SKIP() << "one core";
  aclgradSetNumThreads(2);
  stay_on(numbers[0]);
  ASSERT_TRUE(cores_of_a_helper());
  const auto cores = cores_of_a_helper(numbers[0], all);
  ASSERT_TRUE(cores);
  EXPECT_NE(numbers_of(*cores), std::vector<int>{numbers[0]});
}

TEST_F(ParallelFor, HelpersAreFreeAgainWhenTheCallerIs) {
  const cpu_set_t all = cores_of_this_thread();
  const std::vector<int> numbers = numbers_of(all);
  if (numbers.size() < 3) GTEST_SKIP() << "fewer than three cores";
  aclgradSetNumThreads(2);
  cpu_set_t two;
  CPU_ZERO(&two);
  CPU_SET(static_cast<size_t>(numbers[0]), &two);
  CPU_SET(static_cast<size_t>(numbers[1]), &two);
  stay_on(two);
  ASSERT_TRUE(cores_of_a_helper());
  const auto cores = cores_of_a_helper(numbers[2], all);
  ASSERT_TRUE(cores);
  EXPECT_GT(CPU_COUNT(&*cores), 1);
}

// The other thread sleeps in its chunk, which to the caller looks as if it had no core.
TEST_F(ParallelFor, HelpersRestAfterTheyHadNoCore) {
  using std::chrono::steady_clock;
  const auto caller = std::this_thread::get_id();
  aclgradSetNumThreads(2);
  const auto deadline = steady_clock::now() + std::chrono::seconds(30);
  bool have_rested = false;
  while (!have_rested && steady_clock::now() < deadline) {
    std::atomic<int> helped{0};
    run_chunks(2, [&](int64_t) {
      if (std::this_thread::get_id() == caller) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++helped;
    });
    if (helped == 0) continue;
    const auto asleep = steady_clock::now() + std::chrono::milliseconds(2);
    std::atomic<int> elsewhere{0};
    int calls = 0;
    for (; steady_clock::now() < asleep; ++calls) {
      run_chunks(16, [&](int64_t) {
        if (std::this_thread::get_id() != caller) ++elsewhere;
      });
    }
    have_rested = calls > 0 && elsewhere == 0;
  }
  EXPECT_TRUE(have_rested);
  EXPECT_TRUE(all_at_once(2)) << "they come back";
}

// Where there is no memory for the helpers, the caller does the work, and asks again the next time.
TEST(ParallelForDeathTest, NoMemoryForHelpers) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a process that has none yet
  EXPECT_EXIT(
      {
        aclgradSetNumThreads(2);
        int ran = 0;
        const std::function<void(int64_t)> count = [&](int64_t) { ++ran; };
        {
          const aclgrad::FailingAllocation failing(0);
          run_chunks(2, count);
          if (!failing.has_failed() || ran != 2) _exit(1);
        }
        _exit(all_at_once(2) ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
