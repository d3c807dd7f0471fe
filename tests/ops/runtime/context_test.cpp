// SPDX-License-Identifier: Apache-2.0
// Contexts, their default streams and the settings kept in them.
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

using Context = DeviceTest;

TEST_F(Context, SetDeviceMakesTheDefaultOneCurrent) {
  const aclrtContext first = current_context();
  EXPECT_NE(first, nullptr);
  std::thread([&] {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    const aclrtContext other = current_context();
    EXPECT_EQ(other, first) << "threads share the default context";
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }).join();
}

TEST_F(Context, ExplicitOneIsCurrentWithItsOwnDefaultStream) {
  aclrtContext by_default = nullptr;
  aclrtStream default_stream = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&by_default), ACL_SUCCESS);
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&default_stream), ACL_SUCCESS);
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 1), ACL_SUCCESS);
  aclrtContext current = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, made);
  EXPECT_NE(made, by_default);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 1);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
  EXPECT_NE(stream, default_stream);

  EXPECT_EQ(aclrtSetCurrentContext(by_default), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(aclrtSetCurrentContext(made), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS) << "overrides the explicit context";
  EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, by_default);
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(Context, DestroyingWaitsAndEndsItEverywhere) {
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  std::atomic<bool> ran{false};
  queue(stream, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ran = true;
  });
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
  EXPECT_TRUE(ran);
  aclrtContext current = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&current), 107002);
  EXPECT_EQ(aclrtDestroyContext(made), 107000);
  EXPECT_EQ(aclrtSetCurrentContext(made), 107000);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 107017);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST_F(Context, StreamsOfAnotherOneAreRefused) {
  const aclrtStream stream = new_stream();
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  aclrtStreamStatus status{};
  char byte = 0;
  const std::vector<std::function<aclError()>> calls{
      [&] { return aclrtSynchronizeStream(stream); },
      [&] { return aclrtSynchronizeStreamWithTimeout(stream, 5); },
      [&] { return aclrtDestroyStream(stream); },
      [&] { return aclrtStreamQuery(stream, &status); },
      [&] { return aclrtRecordEvent(event, stream); },
      [&] { return aclrtStreamWaitEvent(stream, event); },
      [&] { return aclrtMemsetAsync(&byte, 1, 0, 1, stream); },
      [&] {
        return aclrtLaunchHostFunc(
            stream, [](void*) {}, nullptr);
      },
      [&] { return aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED); },
      [&] { return launch(stream, [] { return ACL_SUCCESS; }); },
  };
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_TRUE(fails(calls[i](), 107003, {"stream", "context"})) << "call " << i;
  }
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
}

TEST_F(Context, PrimaryState) {
  uint32_t flags = 9;
  int32_t active = -1;
  EXPECT_EQ(aclrtGetPrimaryCtxState(0, &flags, &active), ACL_SUCCESS);
  EXPECT_EQ(flags, 0U);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(aclrtGetPrimaryCtxState(1, &flags, &active), ACL_SUCCESS);
  EXPECT_EQ(active, 0);
}

// Every other call without one is in tests/contract.
TEST_F(Context, WithoutOneThereIsNoDefaultStream) {
  std::thread([] {
    EXPECT_TRUE(fails(aclrtSynchronizeStream(nullptr), 107002, {"context", "aclrtSetDevice"}));
    EXPECT_TRUE(fails(launch(nullptr, [] { return ACL_SUCCESS; }), 107002, {"context"}));
  }).join();
}

TEST_F(Context, SystemOptionsOfProcessAndContext) {
  int64_t value = -1;
  EXPECT_TRUE(fails(aclrtGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value), 107021,
                    {"aclrtGetSysParamOpt", "never set"}));
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107021);
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 3), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace aclgrad::test
