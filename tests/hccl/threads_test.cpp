// SPDX-License-Identifier: Apache-2.0
// Threads that are cancelled while they wait for other ranks.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "tests/hccl/ranks.h"

namespace aclgrad::testing {
namespace {

void require(bool holds, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d: %s\n", line, recent_message().c_str());
  _exit(1);
}
#define REQUIRE(holds) require((holds), __LINE__)

struct TwoRanks {
  HcclComm comms[2] = {};
  aclrtStream streams[2] = {};
  std::vector<float> data[2];

  void begin(uint32_t rank) {
    REQUIRE(aclrtSetDevice(static_cast<int32_t>(rank)) == ACL_SUCCESS);
    REQUIRE(HcclAllReduce(data[rank].data(), data[rank].data(), data[rank].size(),
                          HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[rank],
                          streams[rank]) == HCCL_SUCCESS);
  }
};

// Who synchronises does the rank's part meanwhile, most of the time.
void* wait_for_the_other(void* argument) {
  auto& ranks = *static_cast<TwoRanks*>(argument);
  ranks.begin(0);
  aclrtSynchronizeStream(ranks.streams[0]);
  pthread_testcancel();
  return nullptr;
}

void cancel_the_first_rank() {
  TwoRanks ranks;
  int32_t devices[2] = {0, 1};
  REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
  REQUIRE(HcclCommInitAll(2, devices, ranks.comms) == HCCL_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(aclrtSetDevice(i) == ACL_SUCCESS);
    REQUIRE(aclrtCreateStream(&ranks.streams[i]) == ACL_SUCCESS);
  }
  for (int round = 0; round < 5; ++round) {
    for (std::vector<float>& each : ranks.data) each.assign(1000, 1.0F);
    pthread_t waiting;
    REQUIRE(pthread_create(&waiting, nullptr, wait_for_the_other, &ranks) == 0);
    usleep(20000);
    REQUIRE(pthread_cancel(waiting) == 0);
    usleep(10000);
    ranks.begin(1);
    void* result = nullptr;
    REQUIRE(pthread_join(waiting, &result) == 0);
    REQUIRE(result == PTHREAD_CANCELED);
    for (int i = 0; i < 2; ++i) {
      REQUIRE(aclrtSetDevice(i) == ACL_SUCCESS);
      REQUIRE(aclrtSynchronizeStream(ranks.streams[i]) == ACL_SUCCESS);
      REQUIRE(ranks.data[i] == std::vector<float>(1000, 2.0F));
    }
  }
  for (int i = 0; i < 2; ++i) {
    REQUIRE(aclrtSetDevice(i) == ACL_SUCCESS);
    REQUIRE(HcclCommDestroy(ranks.comms[i]) == HCCL_SUCCESS);
  }
  _exit(0);
}

// In a process of its own: what goes wrong here is an abort.
TEST(HcclThreadsDeathTest, MayBeCancelledWhileTheyWaitForAnotherRank) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(cancel_the_first_rank(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace aclgrad::testing
