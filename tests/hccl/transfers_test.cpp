// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tests/hccl/ranks.h"

namespace aclgrad::testing {
namespace {

using ::testing::HasSubstr;

HcclResult send(const Rank& rank, std::vector<float>& data, uint32_t to) {
  return HcclSend(data.data(), data.size(), HCCL_DATA_TYPE_FP32, to, rank.comm, rank.stream);
}

HcclResult receive(const Rank& rank, std::vector<float>& data, uint32_t from) {
  return HcclRecv(data.data(), data.size(), HCCL_DATA_TYPE_FP32, from, rank.comm, rank.stream);
}

TEST(Transfers, PassAlongALine) {
  with_ranks(4, [](Rank& rank) {
    std::vector<float> data(5000, rank.rank == 0 ? 3.5F : 0.0F);
    if (rank.rank > 0) {
      ASSERT_EQ(receive(rank, data, rank.rank - 1), HCCL_SUCCESS);
    }
    if (rank.rank < 3) {
      ASSERT_EQ(send(rank, data, rank.rank + 1), HCCL_SUCCESS);
    }
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(data, std::vector<float>(5000, 3.5F));
  });
}

TEST(Transfers, BetweenTwoRanksMeetInOrder) {
  with_ranks(2, [](Rank& rank) {
    std::vector<std::vector<float>> data;
    for (int i = 0; i < 10; ++i)
      data.emplace_back(3, rank.rank == 0 ? static_cast<float>(i) : -1.0F);
    for (std::vector<float>& each : data) {
      ASSERT_EQ(rank.rank == 0 ? send(rank, each, 1) : receive(rank, each, 0), HCCL_SUCCESS);
    }
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(data[static_cast<size_t>(i)], std::vector<float>(3, static_cast<float>(i)));
    }
  });
}

// A ring in which every rank sends first: no transfer of a batch waits for another.
TEST(Transfers, OfABatchDoNotWaitForEachOther) {
  with_ranks(5, [](Rank& rank) {
    const uint32_t next = (rank.rank + 1) % rank.size;
    const uint32_t last = (rank.rank + rank.size - 1) % rank.size;
    std::vector<float> mine(100, static_cast<float>(rank.rank)), theirs(100), own(100);
    HcclSendRecvItem items[] = {
        {HCCL_SEND, mine.data(), 100, HCCL_DATA_TYPE_FP32, next},
        {HCCL_SEND, nullptr, 100, HCCL_DATA_TYPE_RESERVED, 99},  // is skipped
        {HCCL_RECV, own.data(), 100, HCCL_DATA_TYPE_FP32, rank.rank},
        {HCCL_RECV, theirs.data(), 100, HCCL_DATA_TYPE_FP32, last},
        {HCCL_SEND, mine.data(), 100, HCCL_DATA_TYPE_FP32, rank.rank},
    };
    ASSERT_EQ(HcclBatchSendRecv(items, 5, rank.comm, rank.stream), HCCL_SUCCESS);
    for (HcclSendRecvItem& item : items) item = {};
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(theirs, std::vector<float>(100, static_cast<float>(last)));
    EXPECT_EQ(own, mine);
  });
}

TEST(Transfers, ToTheOwnRankMustPairUp) {
  with_ranks(2, [](Rank& rank) {
    float data[8] = {};
    HcclSendRecvItem alone{HCCL_SEND, data, 4, HCCL_DATA_TYPE_FP32, rank.rank};
    EXPECT_EQ(HcclBatchSendRecv(&alone, 1, rank.comm, rank.stream), HCCL_E_PARA);
    EXPECT_THAT(recent_message(), HasSubstr("no counterpart"));
    HcclSendRecvItem unequal[] = {alone, {HCCL_RECV, data + 4, 3, HCCL_DATA_TYPE_FP32, rank.rank}};
    EXPECT_EQ(HcclBatchSendRecv(unequal, 2, rank.comm, rank.stream), HCCL_E_PARA);
    EXPECT_EQ(HcclSend(data, 4, HCCL_DATA_TYPE_FP32, rank.rank, rank.comm, rank.stream),
              HCCL_E_NOT_SUPPORT);
    EXPECT_EQ(HcclRecv(data, 4, HCCL_DATA_TYPE_FP32, 2, rank.comm, rank.stream), HCCL_E_PARA);
    EXPECT_THAT(recent_message(), HasSubstr("argument srcRank is 2"));
  });
}

// The sender's stream does not pass before the receive is there.
TEST(Transfers, WaitForTheOtherEnd) {
  with_ranks(2, [](Rank& rank) {
    std::vector<float> data(4, static_cast<float>(rank.rank));
    if (rank.rank == 0) {
      ASSERT_EQ(send(rank, data, 1), HCCL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(rank.stream, 50),
                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
      recent_message();
      ASSERT_EQ(HcclBarrier(rank.comm, rank.stream), HCCL_SUCCESS);
    } else {
      aclrtStream second = nullptr;
      ASSERT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      ASSERT_EQ(receive(rank, data, 0), HCCL_SUCCESS);
      ASSERT_EQ(HcclBarrier(rank.comm, second), HCCL_SUCCESS);
      ASSERT_EQ(aclrtSynchronizeStream(second), ACL_SUCCESS);
      ASSERT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
    }
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(data, std::vector<float>(4, 0.0F));
  });
}

}  // namespace
}  // namespace aclgrad::testing
