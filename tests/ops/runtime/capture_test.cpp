// SPDX-License-Identifier: Apache-2.0
// Capture: what is recorded, what is refused meanwhile, how it ends. Replay is in replay_test.cpp.
#include <array>
#include <thread>

#include "support.h"

namespace aclgrad::test {
namespace {

constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr auto kThreadLocal = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

class Capture : public StreamTest {
 protected:
  void SetUp() override {
    StreamTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEventExWithFlag(&fork_, ACL_EVENT_SYNC), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEventExWithFlag(&join_, ACL_EVENT_SYNC), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&device_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  }

  aclError begin(aclmdlRICaptureMode mode = kRelaxed) {
    return aclmdlRICaptureBegin(stream_, mode);
  }

  aclmdlRICaptureStatus status() {
    auto status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, &status, nullptr), ACL_SUCCESS);
    return status;
  }

  // The capture is void, and its end says so; the stream then works as ever.
  void expect_void() {
    EXPECT_EQ(status(), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    EXPECT_TRUE(fails(aclrtMemsetAsync(device_, kBytes, 0, kBytes, stream_), 507903, {"void"}));
    aclmdlRI model = nullptr;
    EXPECT_TRUE(fails(aclmdlRICaptureEnd(stream_, &model), 507903, {"aclmdlRICaptureEnd"}));
    EXPECT_EQ(model, nullptr);
    EXPECT_EQ(status(), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  }

  void end_and_destroy() {
    aclmdlRI model = nullptr;
    ASSERT_EQ(aclmdlRICaptureEnd(stream_, &model), ACL_SUCCESS);
    EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  }

  static constexpr size_t kBytes = 64;
  aclrtStream other_ = nullptr;
  aclrtEvent fork_ = nullptr;
  aclrtEvent join_ = nullptr;
  void* device_ = nullptr;
  std::array<char, kBytes> pageable_{};
};

TEST_F(Capture, BeginChecksItsArguments) {
  for (const int mode : {-1, 3}) {
    EXPECT_TRUE(fails(begin(no_member<aclmdlRICaptureMode>(mode)), 107000,
                      {"mode", (" is " + std::to_string(mode)).c_str()}));
  }
  int nonsense = 0;
  EXPECT_TRUE(fails(aclmdlRICaptureBegin(&nonsense, kGlobal), 107017, {"stream"}));
  EXPECT_EQ(status(), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(begin(), 107027, {"already"}));
  EXPECT_EQ(status(), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE) << "a second Begin does no harm";
  end_and_destroy();
}

TEST_F(Capture, GetInfoTellsStatusAndModel) {
  auto status = ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
  aclmdlRI model = &status;
  EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &model), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  EXPECT_EQ(model, nullptr);
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, &status, nullptr), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, nullptr, &model), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclmdlRIExecuteAsync(model, other_), 107026, {"still being captured"}));
  EXPECT_TRUE(fails(aclmdlRIDestroy(model), 107026, {"still being captured"}));
  aclmdlRI ended = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &ended), ACL_SUCCESS);
  EXPECT_EQ(ended, model);
  EXPECT_EQ(aclmdlRIDestroy(ended), ACL_SUCCESS);
}

TEST_F(Capture, TasksAreRecordedNotRun) {
  bool ran = false;
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_EQ(aclgradCapturedTaskCount(stream_), 0U);
  queue(stream_, [&] { ran = true; });
  ASSERT_EQ(aclrtMemsetAsync(device_, kBytes, 7, kBytes, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclgradCapturedTaskCount(stream_), 2U);
  end_and_destroy();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_FALSE(ran);
  EXPECT_EQ(aclgradCapturedTaskCount(stream_), 0U);
}

TEST_F(Capture, EndNamesTheStreamOfItsBegin) {
  aclmdlRI model = nullptr;
  ASSERT_EQ(begin(), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(fork_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, fork_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclmdlRICaptureEnd(other_, &model), 107036, {"another stream"}));
  ASSERT_EQ(aclrtRecordEvent(join_, other_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, join_), ACL_SUCCESS);
  end_and_destroy();
}

TEST_F(Capture, EndBelongsToTheThreadUnlessRelaxed) {
  for (const auto mode : {kGlobal, kThreadLocal}) {
    ASSERT_EQ(begin(mode), ACL_SUCCESS);
    std::thread([&] {
      ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      aclmdlRI model = nullptr;
      EXPECT_TRUE(fails(aclmdlRICaptureEnd(stream_, &model), 107038, {"another thread"}));
      ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    }).join();
    end_and_destroy();
  }
  ASSERT_EQ(begin(kRelaxed), ACL_SUCCESS);
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    end_and_destroy();
    ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }).join();
}

TEST_F(Capture, AStreamThatJoinedMustBeJoinedBack) {
  for (const bool with_task : {false, true}) {
    ASSERT_EQ(begin(), ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(fork_, stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(other_, fork_), ACL_SUCCESS);
    if (with_task) {
      ASSERT_EQ(aclrtRecordEvent(join_, other_), ACL_SUCCESS);
      ASSERT_EQ(aclrtStreamWaitEvent(stream_, join_), ACL_SUCCESS);
      // After the join: not covered by it.
      ASSERT_EQ(aclrtMemsetAsync(device_, kBytes, 7, kBytes, other_), ACL_SUCCESS);
    }
    aclmdlRI model = nullptr;
    EXPECT_TRUE(fails(aclmdlRICaptureEnd(stream_, &model), 107025, {"not joined back"}));
    EXPECT_EQ(model, nullptr);
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS) << "both streams are free again";
  }
}

TEST_F(Capture, LookingAtACapturedStreamMakesItVoid) {
  auto stream_status = ACL_STREAM_STATUS_COMPLETE;
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeStream(stream_), 107027, {"captured"}));
  expect_void();
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeStreamWithTimeout(stream_, 10), 107027, {"captured"}));
  expect_void();
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtStreamQuery(stream_, &stream_status), 107027, {"captured"}));
  expect_void();
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeDevice(), 107027, {"device"}));
  expect_void();
}

TEST_F(Capture, LookingAtACapturedEventMakesItVoid) {
  auto recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  for (const bool query : {false, true}) {
    ASSERT_EQ(begin(), ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(fork_, stream_), ACL_SUCCESS);
    EXPECT_TRUE(
        fails(query ? aclrtQueryEventStatus(fork_, &recorded) : aclrtSynchronizeEvent(fork_),
              107028, {"event"}));
    expect_void();
    EXPECT_EQ(aclrtSynchronizeEvent(fork_), ACL_SUCCESS) << "as if never recorded";
  }
}

TEST_F(Capture, ACapturedStreamCannotBeDestroyed) {
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtDestroyStream(stream_), 107027, {"End the capture"}));
  EXPECT_EQ(status(), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  end_and_destroy();
}

TEST_F(Capture, WhatActsAtOnceIsForbiddenByMode) {
  const auto copy = [&] {
    return aclrtMemcpy(device_, kBytes, pageable_.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE);
  };
  const auto fill = [&] { return aclrtMemset(device_, kBytes, 1, kBytes); };
  const auto copy_async = [&] {
    return aclrtMemcpyAsync(device_, kBytes, pageable_.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                            other_);
  };
  const auto elsewhere = [](const auto& body) {
    std::thread([&] {
      ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      body();
      ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    }).join();
  };
  const auto forbidden = [&] {
    EXPECT_TRUE(fails(copy(), 107030, {"aclrtMemcpy", "RELAXED"}));
    EXPECT_TRUE(fails(fill(), 107030, {"aclrtMemset"}));
    EXPECT_TRUE(fails(copy_async(), 107041, {"aclrtMemcpyAsync"}));
  };
  const auto allowed = [&] {
    EXPECT_EQ(copy(), ACL_SUCCESS);
    EXPECT_EQ(fill(), ACL_SUCCESS);
    EXPECT_EQ(copy_async(), ACL_SUCCESS);
  };
  ASSERT_EQ(begin(kGlobal), ACL_SUCCESS);
  forbidden();
  elsewhere(forbidden);
  elsewhere([&] {
    auto mode = kThreadLocal;
    ASSERT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
    allowed();
  });
  EXPECT_EQ(status(), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  end_and_destroy();
  ASSERT_EQ(begin(kThreadLocal), ACL_SUCCESS);
  forbidden();
  elsewhere(allowed);
  end_and_destroy();
  ASSERT_EQ(begin(kRelaxed), ACL_SUCCESS);
  allowed();
  elsewhere(allowed);
  end_and_destroy();
  allowed();
}

TEST_F(Capture, EventsOfOtherKindsStayOutside) {
  aclrtEvent plain = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&plain), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(plain, other_), ACL_SUCCESS);
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtRecordEvent(plain, stream_), 207000, {"aclrtCreateEventExWithFlag"}));
  EXPECT_TRUE(fails(aclrtStreamWaitEvent(stream_, plain), 107024, {"not recorded in its"}));
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, fork_), ACL_SUCCESS) << "never recorded: no wait";
  ASSERT_EQ(aclrtRecordEvent(fork_, stream_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtStreamWaitEvent(nullptr, fork_), 207000, {"default stream"}));
  ASSERT_EQ(aclmdlRICaptureBegin(other_, kRelaxed), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtStreamWaitEvent(other_, fork_), 107032, {"another capture"}));
  aclmdlRI model = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(other_, &model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  end_and_destroy();
}

TEST_F(Capture, ACallbackForAnotherThreadIsRefused) {
  ASSERT_EQ(begin(), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_BLOCK, stream_), 207000,
                    {"aclrtLaunchHostFunc"}));
  end_and_destroy();
}

TEST_F(Capture, EndsWithItsContext) {
  aclrtContext context = nullptr;
  const aclrtContext mine = current_context();
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  ASSERT_EQ(aclmdlRICaptureBegin(stream, kGlobal), ACL_SUCCESS);
  auto released = std::make_shared<int>(1);
  queue(stream, [released] {});
  ASSERT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(released.use_count(), 1) << "what was recorded is gone";
  ASSERT_EQ(aclrtSetCurrentContext(mine), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(device_, kBytes, 1, kBytes), ACL_SUCCESS) << "no capture forbids it";
}

TEST_F(Capture, TheModeOfAThreadCanBeSwapped) {
  auto mode = kRelaxed;
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, kGlobal);
  std::thread([] {
    auto other = kThreadLocal;
    EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&other), ACL_SUCCESS);
    EXPECT_EQ(other, kGlobal);
  }).join();
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, kRelaxed);
  EXPECT_TRUE(fails(aclmdlRICaptureThreadExchangeMode(nullptr), 100000, {"mode"}));
  mode = no_member<aclmdlRICaptureMode>(3);
  EXPECT_TRUE(fails(aclmdlRICaptureThreadExchangeMode(&mode), 107000, {"mode", "3"}));
}

TEST_F(Capture, AVoidOneFailsInEveryCall) {
  ASSERT_EQ(begin(), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(fork_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, fork_), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeStream(stream_), 107027, {"captured"}));
  EXPECT_TRUE(fails(aclrtRecordEvent(join_, other_), 507903, {"aclrtRecordEvent", "void"}));
  EXPECT_TRUE(fails(aclrtStreamWaitEvent(stream_, fork_), 507903, {"aclrtStreamWaitEvent"}));
  const aclrtStream third = new_stream();
  EXPECT_TRUE(fails(aclrtStreamWaitEvent(third, fork_), 507903, {"void"}));
  auto joined = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  EXPECT_EQ(aclmdlRICaptureGetInfo(third, &joined, nullptr), ACL_SUCCESS);
  EXPECT_EQ(joined, ACL_MODEL_RI_CAPTURE_STATUS_NONE) << "no stream joins a void capture";
  expect_void();  // although the other stream was never joined back
}

TEST_F(Capture, ACapturedEventIsNotRecordedElsewhere) {
  ASSERT_EQ(begin(), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(fork_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(fork_, stream_), ACL_SUCCESS) << "there it may be, again";
  ASSERT_EQ(aclmdlRICaptureBegin(other_, kRelaxed), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtRecordEvent(fork_, other_), 107032, {"aclrtRecordEvent", "another"}));
  aclmdlRI model = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(other_, &model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  EXPECT_EQ(status(), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  EXPECT_TRUE(fails(aclrtRecordEvent(fork_, other_), 107028, {"aclrtRecordEvent", "event"}));
  expect_void();
  EXPECT_EQ(aclrtRecordEvent(fork_, other_), ACL_SUCCESS) << "the capture is over";
}

}  // namespace
}  // namespace aclgrad::test
