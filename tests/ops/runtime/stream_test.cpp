// SPDX-License-Identifier: Apache-2.0
// Streams: creation, order, synchronisation, timeouts.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <future>
#include <numeric>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

class Stream : public StreamTest {
 protected:
  std::vector<int> counted(int count) const {
    std::vector<int> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
};

TEST_F(Stream, ConfigurationIsKept) {
  aclrtStream made = nullptr;
  constexpr uint32_t kFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
  ASSERT_EQ(aclrtCreateStreamWithConfig(&made, 7, kFlags), ACL_SUCCESS);
  uint32_t number = 0;
  EXPECT_EQ(aclrtStreamGetPriority(made, &number), ACL_SUCCESS);
  EXPECT_EQ(number, 7U);
  EXPECT_EQ(aclrtStreamGetFlags(made, &number), ACL_SUCCESS);
  EXPECT_EQ(number, kFlags);
  int32_t id = -1;
  int32_t other = -1;
  EXPECT_EQ(aclrtStreamGetId(made, &id), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(stream_, &other), ACL_SUCCESS);
  EXPECT_NE(id, other);
  EXPECT_EQ(aclrtSetStreamFailureMode(made, 1), ACL_SUCCESS);
}

TEST_F(Stream, ThoseForTheDeviceTakeNoTasks) {
  for (const uint32_t flag :
       {ACL_STREAM_PERSISTENT, ACL_STREAM_DEVICE_USE_ONLY, ACL_STREAM_CPU_SCHEDULE}) {
    aclrtStream made = nullptr;
    ASSERT_EQ(aclrtCreateStreamWithConfig(&made, 0, flag), ACL_SUCCESS);
    bool released = false;
    EXPECT_EQ(aclgradLaunchTask(
                  made, "x", [](void*) { return ACL_SUCCESS; }, &released,
                  [](void* argument) { *static_cast<bool*>(argument) = true; }),
              207000);
    EXPECT_TRUE(released);
    EXPECT_EQ(aclrtSynchronizeStream(made), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
  }
}

TEST_F(Stream, TheNumberIsLimitedPerDevice) {
  uint32_t available = 0;
  ASSERT_EQ(aclrtGetStreamAvailableNum(&available), ACL_SUCCESS);
  EXPECT_EQ(available, 1983U) << "1984 less the one of the fixture";
  ASSERT_EQ(aclgradSetSocName("Ascend310B1"), ACL_SUCCESS);
  std::vector<aclrtStream> made(511);
  for (aclrtStream& stream : made) ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  aclrtStream one_more = nullptr;
  EXPECT_TRUE(fails(aclrtCreateStream(&one_more), 207008, {"aclrtCreateStream", "512"}));
  EXPECT_EQ(aclrtGetStreamAvailableNum(&available), ACL_SUCCESS);
  EXPECT_EQ(available, 0U);
  EXPECT_EQ(aclrtDestroyStream(made.back()), ACL_SUCCESS);
  EXPECT_EQ(aclrtCreateStream(&one_more), ACL_SUCCESS);
  EXPECT_EQ(aclgradSetSocName(nullptr), ACL_SUCCESS);
}

TEST_F(Stream, TasksRunInOrder) {
  constexpr int kCount = 5000;
  std::vector<int> seen;
  for (int i = 0; i < kCount; ++i) {
    queue(stream_, [&seen, i] { seen.push_back(i); });
    // Sometimes this thread runs the tasks, sometimes the worker.
    if (i % 97 == 0) {
      ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    }
  }
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(seen, counted(kCount));
}

TEST_F(Stream, OnlyOneThreadRunsTasksAtATime) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  int unguarded = 0;  // a data race, and a wrong sum, if two tasks ever overlapped
  const aclrtContext context = current_context();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      for (int i = 0; i < kEach; ++i) {
        queue(stream_, [&] {
          if (++inside > most) most = inside.load();
          ++unguarded;
          --inside;
        });
        if (i % 3 == 0) {
          ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(unguarded, kThreads * kEach);
  EXPECT_EQ(most, 1);
}

TEST_F(Stream, WorkGoesOnWithoutSynchronisation) {
  for (int i = 0; i < 3; ++i) {
    std::promise<void> done;
    queue(stream_, [&] { done.set_value(); });
    done.get_future().wait();
    // Long enough for the worker to go to sleep in between.
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * i));
  }
}

// It would take a core from the threads that do.
TEST_F(Stream, TheWorkerSeldomLooksWhileWaitingThreadsDoTheWork) {
  const auto switches = [](int who) {
    rusage usage{};
    getrusage(who, &usage);
    return usage.ru_nvcsw;
  };
  const auto of_others = [&] { return switches(RUSAGE_SELF) - switches(RUSAGE_THREAD); };
  const auto synchronise_for = [&](std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      queue(stream_, [] {});
      ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    }
  };
  synchronise_for(std::chrono::milliseconds(20));
  const long before = of_others();
  synchronise_for(std::chrono::milliseconds(160));
  // One look in 1.6 ms, and some waits for the stream's lock; a look in 0.1 ms would be over a
  // thousand.
  EXPECT_LT(of_others() - before, 500);
}

TEST_F(Stream, DifferentOnesOverlap) {
  const aclrtStream other = new_stream();
  Roadblock block(stream_);
  bool ran = false;
  queue(other, [&] { ran = true; });
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_TRUE(ran) << "while the first stream is still busy";
  aclrtStreamStatus status{};
  EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  block.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST_F(Stream, SynchronizingDoesNotWaitForLaterWork) {
  queue(stream_, [] {});
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  Roadblock block(stream_);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 5), 507046);
}

TEST_F(Stream, SeveralThreadsMayWait) {
  const aclrtContext context = current_context();
  std::atomic<int> ran{0};
  Roadblock block(stream_);
  for (int i = 0; i < 10; ++i) {
    queue(stream_, [&] { ++ran; });
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
      EXPECT_EQ(ran, 10);
    });
  }
  block.open();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Stream, NullMeansTheDefaultStream) {
  aclrtStream by_default = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&by_default), ACL_SUCCESS);
  std::vector<int> seen;
  for (int i = 0; i < 10; ++i) {
    queue(i % 2 == 0 ? nullptr : by_default, [&seen, i] { seen.push_back(i); });
  }
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(seen, counted(10));
  EXPECT_TRUE(fails(aclrtDestroyStream(by_default), 107000, {"default stream"}));
  EXPECT_EQ(aclrtSynchronizeStream(by_default), ACL_SUCCESS) << "still there";
}

TEST_F(Stream, TimeoutsOfSynchronizing) {
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 1), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  Roadblock block(stream_);
  queue(stream_, [&] { ran = true; });
  EXPECT_TRUE(fails(aclrtSynchronizeStreamWithTimeout(stream_, 5), 507046, {"timeout"}));
  block.open();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, -1), ACL_SUCCESS) << "the work goes on";
  EXPECT_TRUE(ran);
}

TEST_F(Stream, TheTimeoutHoldsForATaskThatHasNotStarted) {
  // The waiting thread must not start this task itself: it could not come back in time.
  std::promise<void> opened;
  auto is_open = opened.get_future().share();
  queue(stream_, [is_open] { is_open.wait(); });
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 5), 507046);
  opened.set_value();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(Stream, ATaskCannotWaitForItsOwnStream) {
  const aclrtContext context = current_context();
  aclError synchronized = ACL_SUCCESS;
  aclError destroyed = ACL_SUCCESS;
  queue(stream_, [&] {
    aclrtSetCurrentContext(context);
    synchronized = aclrtSynchronizeStream(stream_);
    destroyed = aclrtDestroyStream(stream_);
  });
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(synchronized, 207000);
  EXPECT_EQ(destroyed, 207000);
}

}  // namespace
}  // namespace aclgrad::test
