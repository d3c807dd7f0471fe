// SPDX-License-Identifier: Apache-2.0
// Setting, resetting and asking devices.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "support.h"

namespace aclgrad::test {
namespace {

using testing::HasSubstr;

class Device : public testing::Test {
 protected:
  void SetUp() override {
    aclFinalize();
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    clear_errors();
  }
  void TearDown() override { EXPECT_EQ(aclFinalize(), ACL_SUCCESS); }
};

TEST_F(Device, CountComesFromTheEnvironment) {
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 2U);
}

TEST(DeviceDeathTest, CountIsOneByDefaultAndHasLimits) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto count_is = [](uint32_t expected) {
    uint32_t count = 0;
    std::exit(aclrtGetDeviceCount(&count) == ACL_SUCCESS && count == expected ? 0 : 1);
  };
  setenv("ACLGRAD_TEST_KEEP_ENVIRONMENT", "1", 1);
  unsetenv("ACLGRAD_DEVICE_COUNT");
  EXPECT_EXIT(count_is(1), testing::ExitedWithCode(0), "");
  setenv("ACLGRAD_DEVICE_COUNT", "16", 1);
  EXPECT_EXIT(count_is(16), testing::ExitedWithCode(0), "");
  setenv("ACLGRAD_DEVICE_COUNT", "17", 1);
  EXPECT_EXIT(count_is(16), testing::ExitedWithCode(0), "");
  setenv("ACLGRAD_DEVICE_COUNT", "none", 1);
  EXPECT_EXIT(count_is(1), testing::ExitedWithCode(0), "");
  const auto ensures = [&](int32_t wanted, uint32_t expected) {
    if (aclgradEnsureDevices(wanted) != ACL_SUCCESS) std::exit(2);
    if (aclrtSetDevice(static_cast<int32_t>(expected) - 1) != ACL_SUCCESS) std::exit(3);
    count_is(expected);
  };
  EXPECT_EXIT(ensures(3, 3), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ensures(-1, 1), testing::ExitedWithCode(0), "");
  setenv("ACLGRAD_DEVICE_COUNT", "4", 1);
  EXPECT_EXIT(ensures(3, 4), testing::ExitedWithCode(0), "");
  unsetenv("ACLGRAD_TEST_KEEP_ENVIRONMENT");
  setenv("ACLGRAD_DEVICE_COUNT", "2", 1);
}

TEST_F(Device, UnknownOnesAreRefused) {
  for (const int32_t id : {-1, 2, 1000}) {
    const std::string number = " is " + std::to_string(id);
    EXPECT_TRUE(fails(aclrtSetDevice(id), 107001, {"aclrtSetDevice", "deviceId", number.c_str()}));
    EXPECT_TRUE(fails(aclrtResetDevice(id), 107001, {"aclrtResetDevice", number.c_str()}));
    EXPECT_TRUE(fails(aclrtResetDeviceForce(id), 107001, {"aclrtResetDeviceForce"}));
    aclrtDeviceStatus status{};
    EXPECT_TRUE(fails(aclrtQueryDeviceStatus(id, &status), 107001, {"deviceId"}));
    uint32_t flags = 0;
    int32_t active = 0;
    EXPECT_TRUE(fails(aclrtGetPrimaryCtxState(id, &flags, &active), 107001, {"deviceId"}));
  }
}

TEST_F(Device, IsCurrentOnTheThreadThatSetIt) {
  int32_t device = -1;
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 1);
  std::thread([] {
    int32_t other = -1;
    EXPECT_EQ(aclrtGetDevice(&other), 107002);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetDevice(&other), ACL_SUCCESS);
    EXPECT_EQ(other, 0);
  }).join();
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 1);
}

TEST_F(Device, UsesAreCounted) {
  EXPECT_TRUE(fails(aclrtResetDevice(0), 507007, {"aclrtResetDevice", "device 0"}));
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  std::thread([] { ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }).join();
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  int32_t device = -1;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), 107002);
  EXPECT_EQ(aclrtResetDevice(0), 507007);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS) << "can be set again";
}

TEST_F(Device, ForcedResetIgnoresTheCount) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtResetDeviceForce(0), 507007, {"aclrtResetDeviceForce"}));
}

TEST_F(Device, ResetWaitsForWorkAndReleasesEverything) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext context = nullptr;
  aclrtStream default_stream = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  void* memory = nullptr;
  void* host_memory = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&default_stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHost(&host_memory, 8), ACL_SUCCESS);
  std::atomic<int> ran{0};
  for (const aclrtStream where : {static_cast<aclrtStream>(nullptr), stream}) {
    queue(where, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++ran;
    });
  }
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(ran, 2);
  clear_errors();
  EXPECT_TRUE(fails(aclrtFree(memory), 107017, {"aclrtFree", "devPtr"}));
  EXPECT_EQ(aclrtFreeHost(host_memory), ACL_SUCCESS) << "host memory stays the program's";
  EXPECT_EQ(aclrtSetCurrentContext(context), 107000);
  EXPECT_EQ(aclrtDestroyEvent(event), 107017);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 107002);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 107017);
  EXPECT_EQ(aclrtSynchronizeStream(default_stream), 107017);
}

TEST_F(Device, ResetLeavesTheOtherDeviceAlone) {
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  void* memory = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST_F(Device, ForcedResetDropsWhatHasNotStarted) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  std::atomic<bool> ran{false};
  Roadblock block(nullptr);
  queue(nullptr, [&] { ran = true; });
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    block.open();
  });
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  opener.join();
  EXPECT_FALSE(ran);
}

TEST_F(Device, CannotBeResetFromInsideItsTasks) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclError reset = ACL_SUCCESS;
  aclError finalize = ACL_SUCCESS;
  queue(nullptr, [&] {
    reset = aclrtResetDevice(0);
    finalize = aclFinalize();
  });
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(reset, 207000);
  EXPECT_EQ(finalize, 207000);
}

TEST_F(Device, TellsWhatItIs) {
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_HOST);

  int32_t least = -1;
  int32_t greatest = -1;
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(&least, &greatest), ACL_SUCCESS);
  EXPECT_EQ(least, 7);
  EXPECT_EQ(greatest, 0);

  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  EXPECT_EQ(aclrtQueryDeviceStatus(0, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
}

TEST_F(Device, InfoHasSensibleValues) {
  int64_t value = 0;
  for (const aclrtDevAttr attribute :
       {ACL_DEV_ATTR_AICPU_CORE_NUM, ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_CUBE_CORE_NUM,
        ACL_DEV_ATTR_VECTOR_CORE_NUM, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE,
        ACL_DEV_ATTR_L2_CACHE_SIZE}) {
    value = 0;
    EXPECT_EQ(aclrtGetDeviceInfo(0, attribute, &value), ACL_SUCCESS);
    EXPECT_GT(value, 0) << attribute;
  }
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 2201);

  for (const aclDeviceInfo info :
       {ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_DEVICE_INFO_L2_SIZE}) {
    value = 0;
    EXPECT_EQ(aclGetDeviceCapability(0, info, &value), ACL_SUCCESS);
    EXPECT_GT(value, 0) << info;
  }

  uint32_t cores = 0;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores), ACL_SUCCESS);
  EXPECT_GT(cores, 0U);
}

TEST_F(Device, PeersShareTheMemory) {
  int32_t can = -1;
  EXPECT_EQ(aclrtDeviceCanAccessPeer(&can, 0, 1), ACL_SUCCESS);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(aclrtDeviceCanAccessPeer(&can, 1, 1), ACL_SUCCESS);
  EXPECT_EQ(can, 0);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceDisablePeerAccess(1), ACL_SUCCESS);
}

TEST_F(Device, SynchronizeCoversAllItsStreams) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream streams[3] = {};
  std::atomic<int> ran{0};
  const auto work = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++ran;
  };
  for (aclrtStream& stream : streams) {
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    queue(stream, work);
  }
  queue(nullptr, work);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(ran, 4);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(1000), ACL_SUCCESS);
}

TEST_F(Device, SynchronizeWithTimeout) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  clear_errors();
  Roadblock block(nullptr);
  EXPECT_TRUE(fails(aclrtSynchronizeDeviceWithTimeout(5), 507046, {"device 0"}));
  block.open();
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), ACL_SUCCESS);
}

TEST_F(Device, TakesItsRecordedModelsAlong) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  const auto held = std::make_shared<int>(1);
  aclmdlRI model = nullptr;
  ASSERT_EQ(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
  queue(stream, [held] {});
  ASSERT_EQ(aclmdlRICaptureEnd(stream, &model), ACL_SUCCESS);
  ASSERT_EQ(aclmdlRIExecuteAsync(model, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(held.use_count(), 1) << "what its tasks held is gone";
  EXPECT_TRUE(fails(aclmdlRIDestroy(model), 107000, {"modelRI"}));
}

}  // namespace
}  // namespace aclgrad::test
