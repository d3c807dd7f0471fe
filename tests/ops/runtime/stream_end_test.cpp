// SPDX-License-Identifier: Apache-2.0
// The end of streams: what happens to their tasks, and to handles of what is gone.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

using StreamEnd = StreamTest;

TEST_F(StreamEnd, DestroyingDrains) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i) {
    queue(stream_, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++ran;
    });
  }
  EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(ran, 20);
}

TEST_F(StreamEnd, ForcedDestroyingDropsAndReleases) {
  std::atomic<int> ran{0};
  std::atomic<int> released{0};
  struct Counters {
    std::atomic<int>* ran;
    std::atomic<int>* released;
  } counters{&ran, &released};
  Roadblock block(stream_);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(aclgradLaunchTask(
                  stream_, "counted",
                  [](void* argument) {
                    ++*static_cast<Counters*>(argument)->ran;
                    return ACL_SUCCESS;
                  },
                  &counters, [](void* argument) { ++*static_cast<Counters*>(argument)->released; }),
              ACL_SUCCESS);
  }
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    block.open();
  });
  EXPECT_EQ(aclrtDestroyStreamForce(stream_), ACL_SUCCESS);
  opener.join();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(released, 20);
}

TEST_F(StreamEnd, DestroyedOrForeignHandlesAreRecognised) {
  ASSERT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  int nonsense = 0;
  new_stream();  // which does not become the one that is gone
  for (const aclrtStream bad :
       {stream_, static_cast<aclrtStream>(event), static_cast<aclrtStream>(&nonsense)}) {
    aclrtStreamStatus status{};
    int32_t id = 0;
    char byte = 0;
    EXPECT_TRUE(fails(aclrtDestroyStream(bad), 107017, {"aclrtDestroyStream", "stream"}));
    EXPECT_TRUE(fails(aclrtSynchronizeStream(bad), 107017, {"aclrtSynchronizeStream"}));
    EXPECT_TRUE(fails(aclrtStreamQuery(bad, &status), 107017, {"aclrtStreamQuery"}));
    EXPECT_TRUE(fails(aclrtStreamGetId(bad, &id), 107017, {"aclrtStreamGetId"}));
    EXPECT_TRUE(fails(aclrtRecordEvent(event, bad), 107017, {"aclrtRecordEvent", "stream"}));
    EXPECT_TRUE(fails(aclrtStreamWaitEvent(bad, event), 107017, {"aclrtStreamWaitEvent"}));
    EXPECT_TRUE(fails(aclrtMemsetAsync(&byte, 1, 0, 1, bad), 107017, {"aclrtMemsetAsync"}));
    EXPECT_TRUE(fails(launch(bad, [] { return ACL_SUCCESS; }), 107017, {"aclgradLaunchTask"}));
  }
}

// Threads remember the stream that they used last.
TEST_F(StreamEnd, WhatAnotherThreadDestroysIsGone) {
  const aclrtContext context = current_context();
  const aclrtStream other = new_stream();
  for (const aclrtStream used : {stream_, other}) {
    ASSERT_EQ(aclrtSynchronizeStream(used), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeStream(used), ACL_SUCCESS);
    std::thread([&] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      ASSERT_EQ(aclrtDestroyStream(used), ACL_SUCCESS);
    }).join();
    EXPECT_TRUE(fails(aclrtSynchronizeStream(used), 107017, {"aclrtSynchronizeStream"}));
  }
}

// The thread that waits for the first stream runs the task, and must not forget the first for the
// second.
TEST_F(StreamEnd, MayBeDestroyedWhileItsTaskWaitsForAnother) {
  const aclrtContext context = current_context();
  for (int round = 0; round < 20; ++round) {
    const aclrtStream first = new_stream();
    std::thread destroyer;
    std::promise<void> is_started;
    queue(first, [&] {
      aclrtSetCurrentContext(context);
      EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
      destroyer = std::thread([&] {
        ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
        EXPECT_EQ(aclrtDestroyStream(first), ACL_SUCCESS);
      });
      is_started.set_value();
      int32_t id = 0;
      while (aclrtStreamGetId(first, &id) == ACL_SUCCESS) {
        std::this_thread::yield();
      }
      EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    });
    // Or the stream's own thread was quicker, and then it may be gone already.
    const aclError status = aclrtSynchronizeStream(first);
    EXPECT_TRUE(status == ACL_SUCCESS || status == 107017) << status;
    is_started.get_future().wait();
    destroyer.join();
    clear_errors();
  }
}

TEST_F(StreamEnd, AHandleThatWasRefusedMayBecomeAStream) {
  const aclrtStream before = new_stream();
  const aclrtStream next = static_cast<char*>(before) + 16;
  EXPECT_TRUE(fails(aclrtSynchronizeStream(next), 107017, {"aclrtSynchronizeStream"}));
  const aclrtStream made = new_stream();
  EXPECT_EQ(made, next);
  EXPECT_EQ(aclrtSynchronizeStream(made), ACL_SUCCESS);
}

TEST_F(StreamEnd, OneOfSeveralDestroyersWins) {
  const aclrtContext context = current_context();
  std::atomic<int> won{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      const aclError status = aclrtDestroyStream(stream_);
      if (status == ACL_SUCCESS) {
        ++won;
      } else {
        EXPECT_EQ(status, 107017);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
}

}  // namespace
}  // namespace aclgrad::test
