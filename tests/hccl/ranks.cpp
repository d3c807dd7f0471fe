// SPDX-License-Identifier: Apache-2.0
#include "tests/hccl/ranks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace aclgrad::testing {
namespace {

// Before the runtime counts its devices.
[[maybe_unused]] const int kDevicesAreSet =
    setenv("ACLGRAD_DEVICE_COUNT", std::to_string(kDevices).c_str(), /*replace=*/1);

void run_rank(Rank& rank, const HcclRootInfo& info, const HcclCommConfig* config,
              const std::function<void(Rank&)>& body) {
  ASSERT_EQ(aclrtSetDevice(static_cast<int32_t>(rank.rank)), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&rank.stream), ACL_SUCCESS);
  const HcclResult made =
      config == nullptr
          ? HcclCommInitRootInfo(rank.size, &info, rank.rank, &rank.comm)
          : HcclCommInitRootInfoConfig(rank.size, &info, rank.rank, config, &rank.comm);
  ASSERT_EQ(made, HCCL_SUCCESS) << recent_message();
  body(rank);
  EXPECT_EQ(HcclCommDestroy(rank.comm), HCCL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(rank.stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(static_cast<int32_t>(rank.rank)), ACL_SUCCESS);
}

void run_ranks(uint32_t count, const HcclCommConfig* config,
               const std::function<void(Rank&)>& body) {
  HcclRootInfo info;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS);
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      Rank rank{.rank = i, .size = count};
      run_rank(rank, info, config, body);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace

void with_ranks(uint32_t count, const std::function<void(Rank&)>& body) {
  run_ranks(count, nullptr, body);
}

void with_ranks(uint32_t count, const HcclCommConfig& config,
                const std::function<void(Rank&)>& body) {
  run_ranks(count, &config, body);
}

HcclCommConfig impatient(int32_t seconds) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  config.hcclExecTimeOut = seconds;
  return config;
}

std::string recent_message() {
  const char* const message = aclGetRecentErrMsg();
  return message == nullptr ? "" : message;
}

}  // namespace aclgrad::testing
