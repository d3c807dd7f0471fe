// SPDX-License-Identifier: Apache-2.0
// Operations are tasks like any other: in order with the rest of a stream, recorded and replayed.
#include <gtest/gtest.h>

#include <vector>

#include "tests/hccl/ranks.h"

namespace aclgrad::testing {
namespace {

constexpr uint64_t kNumbers = 10000;

HcclResult all_reduce(const Rank& rank, std::vector<float>& data) {
  return HcclAllReduce(data.data(), data.data(), data.size(), HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                       rank.comm, rank.stream);
}

TEST(HcclCapture, IsReplayedAsOftenAsWanted) {
  with_ranks(4, [](Rank& rank) {
    std::vector<float> data(kNumbers, 1.0F), passed(8, static_cast<float>(rank.rank));
    ASSERT_EQ(aclmdlRICaptureBegin(rank.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    ASSERT_EQ(all_reduce(rank, data), HCCL_SUCCESS);
    ASSERT_EQ(
        HcclBroadcast(passed.data(), passed.size(), HCCL_DATA_TYPE_FP32, 3, rank.comm, rank.stream),
        HCCL_SUCCESS);
    if (rank.rank == 0) {
      ASSERT_EQ(HcclSend(data.data(), 8, HCCL_DATA_TYPE_FP32, 1, rank.comm, rank.stream),
                HCCL_SUCCESS);
    } else if (rank.rank == 1) {
      ASSERT_EQ(HcclRecv(passed.data(), 8, HCCL_DATA_TYPE_FP32, 0, rank.comm, rank.stream),
                HCCL_SUCCESS);
    }
    aclmdlRI model = nullptr;
    ASSERT_EQ(aclmdlRICaptureEnd(rank.stream, &model), ACL_SUCCESS);
    EXPECT_EQ(data, std::vector<float>(kNumbers, 1.0F));  // nothing has run yet
    float expected = 1;
    for (int replay = 0; replay < 5; ++replay) {
      ASSERT_EQ(aclmdlRIExecuteAsync(model, rank.stream), ACL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS) << recent_message();
      expected *= 4;
      EXPECT_EQ(data, std::vector<float>(kNumbers, expected));
      EXPECT_EQ(passed, std::vector<float>(8, rank.rank == 1 ? expected : 3.0F));
      // What is not recorded does not get mixed up with what is.
      std::vector<float> other(3, 2.0F);
      ASSERT_EQ(all_reduce(rank, other), HCCL_SUCCESS);
      ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
      EXPECT_EQ(other, std::vector<float>(3, 8.0F));
    }
    ASSERT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  });
}

TEST(HcclCapture, FailuresOfAReplayAreExplained) {
  with_ranks(2, impatient(1), [](Rank& rank) {
    if (rank.rank == 1) return;
    std::vector<float> data(kNumbers, 1.0F);
    ASSERT_EQ(aclmdlRICaptureBegin(rank.stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), ACL_SUCCESS);
    ASSERT_EQ(all_reduce(rank, data), HCCL_SUCCESS);
    aclmdlRI model = nullptr;
    ASSERT_EQ(aclmdlRICaptureEnd(rank.stream, &model), ACL_SUCCESS);
    ASSERT_EQ(aclmdlRIExecuteAsync(model, rank.stream), ACL_SUCCESS);
    EXPECT_NE(rank.synchronize(), ACL_SUCCESS);
    const std::string message = recent_message();
    EXPECT_NE(message.find("HcclAllReduce"), std::string::npos) << message;
    EXPECT_NE(message.find("rank 1"), std::string::npos) << message;
    ASSERT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
  });
}

// Two streams of a rank, ordered by events, as training overlaps communication with computation.
TEST(HcclCapture, StreamsOrderedByEvents) {
  with_ranks(2, [](Rank& rank) {
    aclrtStream second = nullptr;
    aclrtEvent ready = nullptr, reduced = nullptr;
    ASSERT_EQ(aclrtCreateStream(&second), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&ready), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&reduced), ACL_SUCCESS);
    std::vector<float> data(kNumbers), result(kNumbers);
    const std::vector<float> source(kNumbers, 1.5F);
    const size_t bytes = kNumbers * sizeof(float);
    ASSERT_EQ(aclrtMemcpyAsync(data.data(), bytes, source.data(), bytes,
                               ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream),
              ACL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(ready, rank.stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(second, ready), ACL_SUCCESS);
    ASSERT_EQ(HcclAllReduce(data.data(), data.data(), kNumbers, HCCL_DATA_TYPE_FP32,
                            HCCL_REDUCE_SUM, rank.comm, second),
              HCCL_SUCCESS);
    ASSERT_EQ(aclrtRecordEvent(reduced, second), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(rank.stream, reduced), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpyAsync(result.data(), bytes, data.data(), bytes,
                               ACL_MEMCPY_DEVICE_TO_DEVICE, rank.stream),
              ACL_SUCCESS);
    ASSERT_EQ(rank.synchronize(), ACL_SUCCESS);
    EXPECT_EQ(result, std::vector<float>(kNumbers, 3.0F));
    EXPECT_EQ(aclrtDestroyEvent(ready), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(reduced), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(second), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace aclgrad::testing
