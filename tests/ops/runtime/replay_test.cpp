// SPDX-License-Identifier: Apache-2.0
// Replay: recorded models run as often as wanted, say what failed, and cost no allocation.
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.h"
#include "tests/support/allocations.h"

namespace aclgrad::test {
namespace {

class Replay : public StreamTest {
 protected:
  void SetUp() override {
    StreamTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
  }

  // What record() submits, as a model.
  aclmdlRI capture(const std::function<void()>& record) {
    EXPECT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
    record();
    aclmdlRI model = nullptr;
    EXPECT_EQ(aclmdlRICaptureEnd(stream_, &model), ACL_SUCCESS);
    return model;
  }

  void note(aclrtStream stream, int what) {
    queue(stream, [this, what] { trace_.push_back(what); });
  }

  aclError run(aclmdlRI model) {
    if (const aclError status = aclmdlRIExecuteAsync(model, stream_)) return status;
    return aclrtSynchronizeStream(stream_);
  }

  aclrtStream other_ = nullptr;
  std::vector<int> trace_;
};

TEST_F(Replay, RunsTheSequenceAsOftenAsWanted) {
  const aclmdlRI model = capture([&] {
    note(stream_, 1);
    note(stream_, 2);
  });
  EXPECT_EQ(run(model), ACL_SUCCESS);
  EXPECT_EQ(run(model), ACL_SUCCESS);
  EXPECT_THAT(trace_, testing::ElementsAre(1, 2, 1, 2));
  EXPECT_EQ(aclmdlRIExecute(model, -1), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIExecute(model, 1000), ACL_SUCCESS);
  EXPECT_THAT(trace_, testing::ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_EQ(aclgradFailedTask(model), -1);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclmdlRIExecuteAsync(model, stream_), 107000, {"modelRI"}));
}

TEST_F(Replay, StandsInOrderWithOtherTasks) {
  const aclmdlRI model = capture([&] { note(stream_, 2); });
  note(stream_, 1);
  ASSERT_EQ(aclmdlRIExecuteAsync(model, stream_), ACL_SUCCESS);
  note(stream_, 3);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(trace_, testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, KeepsTheOrderOfForkAndJoin) {
  aclrtEvent fork = nullptr;
  aclrtEvent join = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC), ACL_SUCCESS);
  const aclmdlRI model = capture([&] {
    note(stream_, 1);
    ASSERT_EQ(aclrtRecordEvent(fork, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(other_, fork), ACL_SUCCESS);
    note(other_, 2);
    ASSERT_EQ(aclrtRecordEvent(join, other_), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(stream_, join), ACL_SUCCESS);
    note(stream_, 3);
  });
  note(other_, 0);  // the other stream is free again
  ASSERT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(run(model), ACL_SUCCESS);
  EXPECT_THAT(trace_, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, CopiesAndFillsActOnTheirMemoryEachTime) {
  void* a = nullptr;
  void* b = nullptr;
  ASSERT_EQ(aclrtMalloc(&a, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&b, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const aclmdlRI model = capture([&] {
    ASSERT_EQ(aclrtMemcpyAsync(b, 64, a, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemsetAsync(a, 64, 9, 64, stream_), ACL_SUCCESS);
  });
  auto* const first = static_cast<unsigned char*>(a);
  auto* const second = static_cast<unsigned char*>(b);
  for (const unsigned char value : std::initializer_list<unsigned char>{3, 4}) {
    ASSERT_EQ(aclrtMemset(a, 64, value, 64), ACL_SUCCESS);
    ASSERT_EQ(run(model), ACL_SUCCESS);
    EXPECT_EQ(second[63], value);
    EXPECT_EQ(first[63], 9);
  }
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, HostFunctionsRunOnTheStreamsOwnThread) {
  static std::atomic<int> calls{0};
  static std::thread::id where;
  const aclmdlRI model = capture([&] {
    ASSERT_EQ(aclrtLaunchHostFunc(
                  stream_,
                  [](void*) {
                    ++calls;
                    where = std::this_thread::get_id();
                  },
                  nullptr),
              ACL_SUCCESS);
  });
  ASSERT_EQ(run(model), ACL_SUCCESS);
  ASSERT_EQ(run(model), ACL_SUCCESS);
  EXPECT_EQ(calls, 2);
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, AnExternalEventIsRecordedByEachRun) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_EXTERNAL), ACL_SUCCESS);
  const aclmdlRI model = capture([&] { ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS); });
  auto status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  ASSERT_EQ(run(model), ACL_SUCCESS);
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, TheFirstFailureEndsTheRunAndIsNamed) {
  aclError answer = 507015;
  const aclmdlRI model = capture([&] {
    note(stream_, 1);
    ASSERT_EQ(launch(stream_, [&] { return answer; }), ACL_SUCCESS);
    note(stream_, 3);
  });
  EXPECT_TRUE(fails(run(model), 507015, {"recorded model", "its task 1"}));
  EXPECT_THAT(trace_, testing::ElementsAre(1));
  EXPECT_EQ(aclgradFailedTask(model), 1);
  answer = ACL_SUCCESS;
  EXPECT_EQ(run(model), ACL_SUCCESS) << "the model is as good as before";
  EXPECT_THAT(trace_, testing::ElementsAre(1, 1, 3));
  EXPECT_EQ(aclgradFailedTask(model), -1);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, AnExceptionIsAFailureToo) {
  const aclmdlRI model = capture([&] {
    ASSERT_EQ(launch(stream_, []() -> aclError { throw std::runtime_error("out of ink"); }),
              ACL_SUCCESS);
  });
  EXPECT_TRUE(fails(run(model), 507000, {"its task 0", "out of ink"}));
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, OneRunAtATime) {
  const aclmdlRI model = capture([&] { note(stream_, 1); });
  {
    Roadblock roadblock(stream_);
    ASSERT_EQ(aclmdlRIExecuteAsync(model, stream_), ACL_SUCCESS);
    EXPECT_TRUE(fails(aclmdlRIExecuteAsync(model, other_), 107037, {"still runs"}));
    EXPECT_TRUE(fails(aclmdlRIExecute(model, -1), 107037, {"still runs"}));
    EXPECT_TRUE(fails(aclmdlRIDestroy(model), 107037, {"Synchronise"}));
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIExecuteAsync(model, other_), ACL_SUCCESS)
      << "any stream of the context will do";
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, ExecuteStopsWaitingAtItsTimeout) {
  aclrtStream by_default = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&by_default), ACL_SUCCESS);
  const aclmdlRI model = capture([&] { note(stream_, 1); });
  {
    Roadblock roadblock(by_default);
    EXPECT_TRUE(fails(aclmdlRIExecute(model, 10), 507046, {"timeout"}));
  }
  EXPECT_EQ(aclrtSynchronizeStream(by_default), ACL_SUCCESS);
  EXPECT_THAT(trace_, testing::ElementsAre(1));
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, ARefusedModelLeavesAnEmptyRecordingThatRuns) {
  const aclmdlRI model = capture([] {});
  ASSERT_EQ(aclmdlRICaptureBegin(other_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclmdlRIExecuteAsync(model, other_), 207000, {"another one"}));
  aclmdlRI second = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(other_, &second), ACL_SUCCESS);
  EXPECT_EQ(run(second), ACL_SUCCESS) << "an empty recording runs";
  EXPECT_EQ(aclmdlRIDestroy(second), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, WhatAModelHoldsGoesWithIt) {
  const auto held = std::make_shared<int>(1);
  const aclmdlRI model = capture([&] { queue(stream_, [held] {}); });
  EXPECT_EQ(held.use_count(), 2);
  ASSERT_EQ(run(model), ACL_SUCCESS);
  EXPECT_EQ(held.use_count(), 2);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(Replay, AllocatesNothing) {
  int value = 0;
  const aclmdlRI model = capture([&] {
    for (int i = 0; i < 20; ++i) {
      queue(stream_, [&] { ++value; });
    }
  });
  for (int i = 0; i < 10; ++i) ASSERT_EQ(run(model), ACL_SUCCESS);
  const int64_t before = allocation_count();
  for (int i = 0; i < 100; ++i) run(model);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(value, 110 * 20);
  note(stream_, 1);
  EXPECT_GT(allocation_count(), before) << "the libraries' allocations are counted";
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

TEST_F(Replay, AMoveThatFindsNoMemoryMovesNothing) {
  static constexpr aclgradTiling kMoving{
      .units = [](const void*) { return int64_t{0}; },
      .operands = [](const void*, aclgradFootprint*, size_t) { return size_t{0}; },
      .row_groups = nullptr,
      .run = nullptr,
      .move = [](void* argument, const void*, intptr_t bytes) -> int32_t {
        *static_cast<intptr_t*>(argument) += bytes;
        return 1;
      },
  };
  intptr_t places[5] = {};
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  for (intptr_t& place : places) {
    ASSERT_EQ(aclgradLaunchTiled(
                  stream_, "x", [](void*) { return ACL_SUCCESS; }, &place, nullptr, &kMoving),
              ACL_SUCCESS);
  }
  aclmdlRI model = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &model), ACL_SUCCESS);
  int tensor = 0;
  for (int64_t n = 0;; ++n) {
    const FailingAllocation failing(n);
    const aclError status = aclgradModelMoveTensor(model, &tensor, 64);
    if (!failing.has_failed()) {
      EXPECT_EQ(status, ACL_SUCCESS);
      break;
    }
    EXPECT_EQ(status, 200000);
    EXPECT_THAT(places, testing::Each(0)) << "allocation " << n;
  }
  EXPECT_THAT(places, testing::Each(64));
  ASSERT_EQ(aclgradModelMoveTensor(model, &tensor, -16), ACL_SUCCESS);
  EXPECT_THAT(places, testing::Each(48));
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclgrad::test
