// SPDX-License-Identifier: Apache-2.0
// What happens when ranks disagree, stay away or leave: a status, a message that names rank and
// operation, and no rank waits for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/hccl/ranks.h"

namespace aclgrad::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr aclError kFailed = 507000;

HcclResult all_reduce(const Rank& rank, std::vector<float>& data, uint64_t count,
                      HcclReduceOp op = HCCL_REDUCE_SUM) {
  return HcclAllReduce(data.data(), data.data(), count, HCCL_DATA_TYPE_FP32, op, rank.comm,
                       rank.stream);
}

HcclResult async_error(const Rank& rank) {
  HcclResult error = HCCL_E_RESERVED;
  EXPECT_EQ(HcclGetCommAsyncError(rank.comm, &error), HCCL_SUCCESS);
  return error;
}

// Every rank queues something that does not fit the others; all must hear of it.
void expect_disagreement(
    const std::function<HcclResult(Rank& rank, std::vector<float>& data)>& issue,
    const std::vector<std::string>& words) {
  with_ranks(2, impatient(20), [&](Rank& rank) {
    std::vector<float> data(64, 1.0F);
    EXPECT_EQ(async_error(rank), HCCL_SUCCESS);
    ASSERT_EQ(issue(rank, data), HCCL_SUCCESS) << recent_message();
    EXPECT_EQ(rank.synchronize(), kFailed);
    const std::string message = recent_message();
    EXPECT_THAT(message, HasSubstr("disagree"));
    for (const std::string& word : words) EXPECT_THAT(message, HasSubstr(word));
    EXPECT_EQ(async_error(rank), HCCL_E_PARA);
    // The group is of no more use.
    ASSERT_EQ(all_reduce(rank, data, 4), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), kFailed);
    recent_message();
  });
}

TEST(Faults, DifferentCountsAreNamed) {
  expect_disagreement(
      [](Rank& rank, std::vector<float>& data) { return all_reduce(rank, data, 8 + rank.rank); },
      {"rank 0", "HcclAllReduce of 8 HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM",
       "HcclAllReduce of 9 HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM"});
}

TEST(Faults, DifferentReductionsAreNamed) {
  expect_disagreement(
      [](Rank& rank, std::vector<float>& data) {
        return all_reduce(rank, data, 8, rank.rank == 0 ? HCCL_REDUCE_MAX : HCCL_REDUCE_MIN);
      },
      {"HCCL_REDUCE_MAX", "HCCL_REDUCE_MIN"});
}

TEST(Faults, DifferentTypesAreNamed) {
  expect_disagreement(
      [](Rank& rank, std::vector<float>& data) {
        return HcclBroadcast(data.data(), 8,
                             rank.rank == 0 ? HCCL_DATA_TYPE_FP32 : HCCL_DATA_TYPE_INT32, 0,
                             rank.comm, rank.stream);
      },
      {"HcclBroadcast of 8 HCCL_DATA_TYPE_INT32, root 0"});
}

TEST(Faults, DifferentRootsAreNamed) {
  expect_disagreement(
      [](Rank& rank, std::vector<float>& data) {
        return HcclBroadcast(data.data(), 8, HCCL_DATA_TYPE_FP32, rank.rank, rank.comm,
                             rank.stream);
      },
      {"root 0", "root 1"});
}

TEST(Faults, AnotherOrderIsNamed) {
  expect_disagreement(
      [](Rank& rank, std::vector<float>& data) {
        if (rank.rank == 0) return all_reduce(rank, data, 8);
        return HcclBarrier(rank.comm, rank.stream);
      },
      {"HcclAllReduce", "HcclBarrier"});
}

TEST(Faults, DifferentTransfersAreNamed) {
  expect_disagreement(
      [](Rank& rank, std::vector<float>& data) {
        if (rank.rank == 0) {
          return HcclSend(data.data(), 8, HCCL_DATA_TYPE_FP32, 1, rank.comm, rank.stream);
        }
        return HcclRecv(data.data(), 9, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream);
      },
      {"8 HCCL_DATA_TYPE_FP32", "9 HCCL_DATA_TYPE_FP32"});
}

TEST(Faults, UnequalCountsOfAlltoAllVAreNamed) {
  with_ranks(2, impatient(20), [](Rank& rank) {
    std::vector<float> send(8), received(8);
    const uint64_t counts[] = {1, 2}, places[] = {0, 4};
    const uint64_t expected[] = {rank.rank + uint64_t{1}, rank.rank + uint64_t{2}};
    ASSERT_EQ(HcclAlltoAllV(send.data(), counts, places, HCCL_DATA_TYPE_FP32, received.data(),
                            expected, places, HCCL_DATA_TYPE_FP32, rank.comm, rank.stream),
              HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), kFailed);
    EXPECT_THAT(recent_message(), HasSubstr("which expects"));
    EXPECT_EQ(async_error(rank), HCCL_E_PARA);
  });
}

TEST(Faults, ARankThatStaysAwayIsNamedInTime) {
  std::atomic<int> gave_up = 0;
  with_ranks(3, impatient(1), [&](Rank& rank) {
    std::vector<float> data(64, 1.0F);
    if (rank.rank == 1) {
      while (gave_up < 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      while (async_error(rank) == HCCL_SUCCESS) {
        ASSERT_EQ(all_reduce(rank, data, 8), HCCL_SUCCESS);
        EXPECT_EQ(rank.synchronize(), kFailed);
      }
      EXPECT_EQ(async_error(rank), HCCL_E_REMOTE);
      EXPECT_THAT(recent_message(), HasSubstr("the group has ended"));
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(all_reduce(rank, data, 8), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), kFailed);
    ++gave_up;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    EXPECT_EQ(async_error(rank), HCCL_E_TIMEOUT);
    EXPECT_THAT(recent_message(), HasSubstr("rank 1 did not come to HcclAllReduce of 8 "
                                            "HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM within 1 s"));
  });
}

TEST(Faults, ATransferThatIsNotReceivedEnds) {
  with_ranks(2, impatient(1), [](Rank& rank) {
    std::vector<float> data(8);
    if (rank.rank == 1) return;
    ASSERT_EQ(HcclSend(data.data(), 8, HCCL_DATA_TYPE_FP32, 1, rank.comm, rank.stream),
              HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), kFailed);
    EXPECT_THAT(async_error(rank), AnyOf(HCCL_E_TIMEOUT, HCCL_E_REMOTE));
    EXPECT_THAT(recent_message(), HasSubstr("rank 1"));
  });
}

// A rank that destroyed its communicator never comes: the others do not wait for the timeout then.
TEST(Faults, ARankThatLeavesEndsTheOthersAtOnce) {
  with_ranks(3, impatient(600), [](Rank& rank) {
    std::vector<float> data(8);
    if (rank.rank == 2) return;
    ASSERT_EQ(all_reduce(rank, data, 8), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), kFailed);
    EXPECT_THAT(recent_message(), HasSubstr("rank 2"));
    EXPECT_EQ(async_error(rank), HCCL_E_REMOTE);
  });
}

TEST(Faults, DestroyingWaitsForWhatIsQueued) {
  with_ranks(2, [](Rank& rank) {
    static std::vector<float> data[2];
    data[rank.rank].assign(100000, 1.0F);
    HcclComm parent = rank.comm, other = nullptr;
    uint32_t ranks[] = {0, 1};
    ASSERT_EQ(HcclCreateSubCommConfig(&parent, 2, ranks, 1, rank.rank, nullptr, &other),
              HCCL_SUCCESS);
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(HcclAllReduce(data[rank.rank].data(), data[rank.rank].data(), 100000,
                              HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, other, rank.stream),
                HCCL_SUCCESS);
    }
    ASSERT_EQ(HcclCommDestroy(other), HCCL_SUCCESS);
    EXPECT_EQ(rank.synchronize(), ACL_SUCCESS) << recent_message();
    EXPECT_EQ(data[rank.rank], std::vector<float>(100000, 32.0F));
  });
}

}  // namespace
}  // namespace aclgrad::testing
