// SPDX-License-Identifier: Apache-2.0
// Making communicators, asking about them, ending them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "aclgrad_ext.h"
#include "tests/hccl/ranks.h"

namespace aclgrad::testing {
namespace {

using ::testing::HasSubstr;

// Device 0, and a group that has it alone.
class Communicator : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(HcclGetRootInfo(&info_), HCCL_SUCCESS);
    recent_message();
  }
  void TearDown() override { aclrtResetDeviceForce(0); }

  HcclResult make(const HcclCommConfig& config, HcclComm* comm) {
    HcclRootInfo info;
    EXPECT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS);
    return HcclCommInitRootInfoConfig(1, &info, 0, &config, comm);
  }

  HcclRootInfo info_;
};

struct Variable {
  Variable(const char* variable, const char* value) : name(variable) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name); }
  const char* name;
};

TEST_F(Communicator, TellsRankSizeAndName) {
  with_ranks(3, [](Rank& rank) {
    uint32_t number = 99, size = 99;
    char name[COMM_NAME_MAX_LENGTH] = {};
    EXPECT_EQ(HcclGetRankId(rank.comm, &number), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetRankSize(rank.comm, &size), HCCL_SUCCESS);
    EXPECT_EQ(HcclGetCommName(rank.comm, name), HCCL_SUCCESS);
    EXPECT_EQ(number, rank.rank);
    EXPECT_EQ(size, 3U);
    static std::string first;
    if (rank.rank == 0) first = name;
    ASSERT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(name, first);
    EXPECT_FALSE(first.empty());
  });
}

TEST_F(Communicator, ChecksInTheDocumentedOrder) {
  HcclComm comm = nullptr;
  int32_t devices[] = {0, 0}, missing[] = {0, 99};
  HcclComm comms[2] = {};
  EXPECT_EQ(HcclGetRootInfo(nullptr), HCCL_E_PTR);
  EXPECT_EQ(HcclCommInitRootInfo(0, nullptr, 0, nullptr), HCCL_E_PARA);
  EXPECT_THAT(recent_message(), HasSubstr("argument nRanks is 0, expected 1 or more"));
  EXPECT_EQ(HcclCommInitRootInfo(2, nullptr, 2, nullptr), HCCL_E_PARA);
  EXPECT_THAT(recent_message(), HasSubstr("argument rank is 2, expected less than nRanks, 2"));
  EXPECT_EQ(HcclCommInitRootInfo(1, nullptr, 0, nullptr), HCCL_E_PTR);
  EXPECT_THAT(recent_message(), HasSubstr("argument comm"));
  EXPECT_EQ(HcclCommInitRootInfo(1, nullptr, 0, &comm), HCCL_E_PTR);
  EXPECT_THAT(recent_message(), HasSubstr("argument rootInfo"));
  EXPECT_EQ(HcclCommInitRootInfoConfig(1, &info_, 0, nullptr, &comm), HCCL_E_PARA);
  EXPECT_EQ(HcclCommInitAll(0, nullptr, nullptr), HCCL_E_PARA);
  EXPECT_EQ(HcclCommInitAll(1, nullptr, nullptr), HCCL_E_PTR);
  recent_message();
  EXPECT_EQ(HcclCommInitAll(1, nullptr, comms), HCCL_E_PTR);
  EXPECT_THAT(recent_message(), HasSubstr("argument devices"));
  EXPECT_EQ(HcclCommInitAll(2, devices, comms), HCCL_E_PARA);
  EXPECT_EQ(HcclCommInitAll(2, missing, comms), HCCL_E_INTERNAL);
  EXPECT_THAT(recent_message(), HasSubstr("ACLGRAD_DEVICE_COUNT"));
  EXPECT_EQ(comms[0], nullptr);
  uint32_t number = 0;
  HcclResult error = HCCL_SUCCESS;
  char name[COMM_NAME_MAX_LENGTH];
  EXPECT_EQ(HcclGetRankId(nullptr, &number), HCCL_E_PTR);
  EXPECT_EQ(HcclGetRankSize(nullptr, &number), HCCL_E_PTR);
  EXPECT_EQ(HcclGetCommName(nullptr, name), HCCL_E_PTR);
  EXPECT_EQ(HcclGetCommAsyncError(nullptr, &error), HCCL_E_PTR);
  EXPECT_EQ(HcclBarrier(nullptr, nullptr), HCCL_E_PTR);
  EXPECT_EQ(HcclCommDestroy(nullptr), HCCL_SUCCESS);
}

TEST_F(Communicator, NeedsADevice) {
  std::thread([&] {
    HcclComm comm = nullptr;
    HcclRootInfo info;
    int32_t device = 0;
    EXPECT_EQ(HcclGetRootInfo(nullptr), HCCL_E_RUNTIME);
    EXPECT_THAT(recent_message(), HasSubstr("aclrtSetDevice"));
    EXPECT_EQ(HcclCommInitRootInfo(0, nullptr, 0, nullptr), HCCL_E_RUNTIME);
    EXPECT_EQ(HcclCommInitRootInfoConfig(0, &info, 0, nullptr, &comm), HCCL_E_RUNTIME);
    EXPECT_EQ(HcclCommInitAll(1, &device, &comm), HCCL_E_RUNTIME);
    EXPECT_EQ(HcclCommDestroy(nullptr), HCCL_E_RUNTIME);
  }).join();
}

TEST_F(Communicator, AStaleOrForeignHandleIsRefused) {
  HcclComm comm = nullptr;
  ASSERT_EQ(HcclCommInitRootInfo(1, &info_, 0, &comm), HCCL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_E_PARA);  // of device 0
  ASSERT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  uint32_t number = 0;
  int local = 0;
  for (HcclComm each : {comm, static_cast<HcclComm>(&local)}) {
    recent_message();
    EXPECT_EQ(HcclCommDestroy(each), HCCL_E_PARA);
    EXPECT_THAT(recent_message(), HasSubstr("not a live communicator"));
    EXPECT_EQ(HcclGetRankId(each, &number), HCCL_E_PARA);
    EXPECT_EQ(HcclBarrier(each, &local), HCCL_E_PARA);
  }
}

TEST_F(Communicator, ARootInfoIsGoodForOneGroup) {
  HcclComm first = nullptr, second = nullptr;
  ASSERT_EQ(HcclCommInitRootInfo(1, &info_, 0, &first), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommInitRootInfo(1, &info_, 0, &second), HCCL_E_PARA);
  EXPECT_THAT(recent_message(), HasSubstr("already"));
  info_.internal[0] = 'x';
  EXPECT_EQ(HcclCommInitRootInfo(1, &info_, 0, &second), HCCL_E_PARA);
  EXPECT_THAT(recent_message(), HasSubstr("HcclGetRootInfo did not write"));
  EXPECT_EQ(second, nullptr);
  ASSERT_EQ(HcclCommDestroy(first), HCCL_SUCCESS);
}

TEST_F(Communicator, AMissingRankIsNamedInTime) {
  const Variable timeout("ACLGRAD_HCCL_CONNECT_TIMEOUT", "1");
  HcclComm comm = nullptr;
  EXPECT_EQ(HcclCommInitRootInfo(3, &info_, 1, &comm), HCCL_E_TIMEOUT);
  const std::string message = recent_message();
  EXPECT_THAT(message, HasSubstr("ranks 0, 2 of 3 did not join within 1 s"));
  EXPECT_THAT(message, HasSubstr("mpirun"));
}

TEST_F(Communicator, RanksThatDisagreeAreNamed) {
  const Variable timeout("ACLGRAD_HCCL_CONNECT_TIMEOUT", "20");
  for (const bool same_rank : {true, false}) {
    HcclRootInfo info;
    ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] {
        ASSERT_EQ(aclrtSetDevice(static_cast<int32_t>(i)), ACL_SUCCESS);
        HcclComm comm = nullptr;
        EXPECT_EQ(HcclCommInitRootInfo(same_rank ? 2 : 2 + i, &info, same_rank ? 1 : i, &comm),
                  HCCL_E_PARA);
        EXPECT_THAT(recent_message(),
                    ::testing::AnyOf(HasSubstr("two ranks join the group as rank 1"),
                                     HasSubstr("disagree on their number"), HasSubstr("already")));
        EXPECT_EQ(aclrtResetDevice(static_cast<int32_t>(i)), ACL_SUCCESS);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_F(Communicator, BadVariablesAreNamed) {
  const std::pair<const char*, const char*> rows[] = {
      {"HCCL_DETERMINISTIC", "1"},       {"HCCL_DETERMINISTIC", "yes"},
      {"HCCL_CONNECT_TIMEOUT", "119"},   {"HCCL_CONNECT_TIMEOUT", "7201"},
      {"HCCL_CONNECT_TIMEOUT", "200 s"}, {"HCCL_EXEC_TIMEOUT", "-1"},
      {"HCCL_EXEC_TIMEOUT", "soon"},     {"ACLGRAD_HCCL_CONNECT_TIMEOUT", "0"}};
  for (const auto& [name, value] : rows) {
    const Variable variable(name, value);
    HcclComm comm = nullptr;
    EXPECT_EQ(HcclCommInitRootInfo(1, &info_, 0, &comm), HCCL_E_PARA) << name;
    const std::string message = recent_message();
    EXPECT_THAT(message, HasSubstr(name));
    EXPECT_THAT(message, HasSubstr(value));
  }
  for (const char* const value : {"true", "FALSE", "Strict"}) {
    const Variable variable("HCCL_DETERMINISTIC", value);
    HcclRootInfo info;
    HcclComm comm = nullptr;
    ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS);
    EXPECT_EQ(HcclCommInitRootInfo(1, &info, 0, &comm), HCCL_SUCCESS) << recent_message();
    EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  }
}

TEST_F(Communicator, ConfigsAreChecked) {
  HcclComm comm = nullptr;
  HcclCommConfig good;
  HcclCommConfigInit(&good);
  const auto refuse = [&](const HcclCommConfig& config, const char* word) {
    EXPECT_EQ(make(config, &comm), HCCL_E_PARA) << word;
    EXPECT_THAT(recent_message(), HasSubstr(word));
  };
  HcclCommConfig config = good;
  config.reserved[8] = 0;
  refuse(config, "HcclCommConfigInit");
  config = good;
  config.hcclBufferSize = 0;
  refuse(config, "hcclBufferSize 0");
  config = good;
  config.hcclDeterministic = 3;
  refuse(config, "hcclDeterministic 3");
  config = good;
  config.aclGraphZeroCopyEnable = 2;
  refuse(config, "aclGraphZeroCopyEnable 2");
  config = good;
  std::memset(config.hcclCommName, 'x', sizeof config.hcclCommName);
  refuse(config, "name");
  // Level 2 is there on Ascend910B only.
  config = good;
  config.hcclDeterministic = 2;
  EXPECT_EQ(make(config, &comm), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  refuse(config, "hcclDeterministic 2");
  ASSERT_EQ(aclgradSetSocName(nullptr), 0);
}

TEST_F(Communicator, ConfigsOfOtherVersionsAreUnderstood) {
  HcclCommConfig config;
  HcclCommConfigInit(&config);
  std::strcpy(config.hcclCommName, "training");
  config.aclGraphZeroCopyEnable = 9;  // of version 7: not there yet
  const uint64_t size = 312;
  const uint32_t version = 6;
  std::memcpy(config.reserved, &size, 8);
  std::memcpy(config.reserved + 12, &version, 4);
  HcclComm comm = nullptr, other = nullptr;
  ASSERT_EQ(make(config, &comm), HCCL_SUCCESS) << recent_message();
  char name[COMM_NAME_MAX_LENGTH];
  EXPECT_EQ(HcclGetCommName(comm, name), HCCL_SUCCESS);
  EXPECT_STREQ(name, "training");
  // The name is taken on this device, until the communicator goes.
  EXPECT_EQ(make(config, &other), HCCL_E_PARA);
  EXPECT_THAT(recent_message(), HasSubstr("\"training\" already"));
  EXPECT_EQ(HcclCommDestroy(comm), HCCL_SUCCESS);
  EXPECT_EQ(make(config, &other), HCCL_SUCCESS);
  EXPECT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
}

TEST_F(Communicator, TheLevelOfDeterminismIsKept) {
  HcclConfigValue value{.value = 9};
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, nullptr), HCCL_E_PTR);
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, {.value = 3}), HCCL_E_PARA);
  EXPECT_EQ(HcclSetConfig(HCCL_CONFIG_RESERVED, {.value = 1}), HCCL_E_PARA);
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, {.value = 1}), HCCL_SUCCESS);
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_SUCCESS);
  EXPECT_EQ(value.value, 1);
  {
    const Variable variable("HCCL_DETERMINISTIC", "strict");
    EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, {.value = 0}), HCCL_SUCCESS);  // is ignored
    EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_SUCCESS);
    EXPECT_EQ(value.value, 2);
  }
  EXPECT_EQ(HcclGetConfig(HCCL_DETERMINISTIC, &value), HCCL_SUCCESS);
  EXPECT_EQ(value.value, 1);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, {.value = 2}), HCCL_E_NOT_SUPPORT);
  ASSERT_EQ(aclgradSetSocName(nullptr), 0);
  EXPECT_EQ(HcclSetConfig(HCCL_DETERMINISTIC, {.value = 0}), HCCL_SUCCESS);
}

TEST_F(Communicator, PartsOfAGroupAreGroups) {
  with_ranks(4, [](Rank& rank) {
    uint32_t even[] = {0, 2}, twice[] = {2, 2}, far[] = {0, 7};
    HcclComm part = rank.comm;
    if (rank.rank % 2 == 1) {
      EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, nullptr, 0xFFFFFFFF, 0, nullptr, &part),
                HCCL_SUCCESS);
      EXPECT_EQ(part, nullptr);
      return;
    }
    const uint32_t index = rank.rank / 2;
    EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, twice, 5, index, nullptr, &part), HCCL_E_PARA);
    EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, far, 5, index, nullptr, &part), HCCL_E_PARA);
    EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, even, 5, 1 - index, nullptr, &part),
              HCCL_E_PARA);
    EXPECT_EQ(HcclCreateSubCommConfig(&rank.comm, 5, even, 5, index, nullptr, &part), HCCL_E_PARA);
    ASSERT_EQ(HcclCreateSubCommConfig(&rank.comm, 2, even, 5, index, nullptr, &part), HCCL_SUCCESS)
        << recent_message();
    float sum = static_cast<float>(rank.rank + 1);
    ASSERT_EQ(HcclAllReduce(&sum, &sum, 1, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, part, rank.stream),
              HCCL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(sum, 4.0F);
    HcclComm again = nullptr;
    uint32_t alone[] = {index};
    EXPECT_EQ(HcclCreateSubCommConfig(&part, 1, alone, 6, 0, nullptr, &again), HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclCommDestroy(part), HCCL_SUCCESS);
  });
}

}  // namespace
}  // namespace aclgrad::testing
