// SPDX-License-Identifier: Apache-2.0
// Wrong arguments of operations: the documented status and a message that names the argument, in
// the documented order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "aclgrad_ext.h"
#include "tests/hccl/ranks.h"

namespace aclgrad::testing {
namespace {

using ::testing::HasSubstr;

constexpr auto kFp32 = HCCL_DATA_TYPE_FP32;
constexpr auto kSum = HCCL_REDUCE_SUM;
constexpr auto kNoType = static_cast<HcclDataType>(13);
constexpr auto kNoOp = static_cast<HcclReduceOp>(7);
constexpr uint64_t kTooMany = 0x7FFFFFFFFu + uint64_t{1};

// A group of one rank, with two buffers.
class Arguments : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    HcclRootInfo info;
    ASSERT_EQ(HcclGetRootInfo(&info), HCCL_SUCCESS);
    ASSERT_EQ(HcclCommInitRootInfo(1, &info, 0, &comm_), HCCL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    recent_message();
  }
  void TearDown() override {
    EXPECT_EQ(aclgradSetSocName(nullptr), 0);
    EXPECT_EQ(HcclCommDestroy(comm_), HCCL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }

  // The status with a message that begins with the function's name and has the word.
  void expect(HcclResult expected, const char* word, HcclResult got) {
    const std::string message = recent_message();
    EXPECT_EQ(got, expected) << word << ": " << message;
    EXPECT_THAT(message, HasSubstr(" returned " + std::to_string(expected)));
    EXPECT_THAT(message, HasSubstr("(EI0003): Hccl"));
    EXPECT_THAT(message, HasSubstr(word));
  }

  HcclComm comm_ = nullptr;
  aclrtStream stream_ = nullptr;
  float a_[4] = {}, b_[4] = {};
};

TEST_F(Arguments, OfAllReduceInOrder) {
  void* const no = nullptr;
  expect(HCCL_E_PTR, "argument comm ", HcclAllReduce(no, no, kTooMany, kNoType, kNoOp, no, no));
  expect(HCCL_E_PTR, "argument sendBuf",
         HcclAllReduce(no, no, kTooMany, kNoType, kNoOp, comm_, no));
  expect(HCCL_E_PTR, "argument recvBuf",
         HcclAllReduce(a_, no, kTooMany, kNoType, kNoOp, comm_, no));
  expect(HCCL_E_PTR, "argument stream", HcclAllReduce(a_, b_, kTooMany, kNoType, kNoOp, comm_, no));
  expect(HCCL_E_PARA, "argument count is 34359738368, expected at most 34359738367",
         HcclAllReduce(a_, b_, kTooMany, kNoType, kNoOp, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument dataType is 13",
         HcclAllReduce(a_, b_, 1, kNoType, kNoOp, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument op is 7",
         HcclAllReduce(a_, b_, 1, HCCL_DATA_TYPE_UINT8, kNoOp, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "HCCL_REDUCE_PROD of HCCL_DATA_TYPE_INT16",
         HcclAllReduce(a_, b_, 1, HCCL_DATA_TYPE_INT16, HCCL_REDUCE_PROD, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "HCCL_REDUCE_SUM of HCCL_DATA_TYPE_UINT8",
         HcclAllReduce(a_, b_, 1, HCCL_DATA_TYPE_UINT8, kSum, comm_, stream_));
}

TEST_F(Arguments, OfReduceScatterAndReduceInOrder) {
  void* const no = nullptr;
  expect(HCCL_E_PTR, "argument stream", HcclReduceScatter(no, no, 1, kNoType, kNoOp, no, no));
  expect(HCCL_E_PTR, "argument comm ", HcclReduceScatter(no, no, 1, kNoType, kNoOp, no, stream_));
  expect(HCCL_E_PTR, "argument sendBuf",
         HcclReduceScatter(no, no, 1, kNoType, kNoOp, comm_, stream_));
  expect(HCCL_E_PTR, "argument recvBuf",
         HcclReduceScatter(a_, no, 1, kNoType, kNoOp, comm_, stream_));
  expect(HCCL_E_PARA, "argument recvCount",
         HcclReduceScatter(a_, b_, kTooMany, kNoType, kNoOp, comm_, stream_));
  // A bad root comes after the rule about products and before what else cannot be reduced.
  expect(HCCL_E_NOT_SUPPORT, "HCCL_REDUCE_PROD of HCCL_DATA_TYPE_BFP16",
         HcclReduce(a_, b_, 1, HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_PROD, 1, comm_, stream_));
  expect(HCCL_E_PARA, "argument root is 1, expected less than the size of the group, 1",
         HcclReduce(a_, b_, 1, HCCL_DATA_TYPE_UINT8, kSum, 1, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "HCCL_DATA_TYPE_UINT8",
         HcclReduce(a_, b_, 1, HCCL_DATA_TYPE_UINT8, kSum, 0, comm_, stream_));
}

TEST_F(Arguments, OfMovesInOrder) {
  void* const no = nullptr;
  expect(HCCL_E_PTR, "argument stream", HcclBroadcast(no, 1, kNoType, 1, no, no));
  expect(HCCL_E_PTR, "argument comm ", HcclBroadcast(no, 1, kNoType, 1, no, stream_));
  expect(HCCL_E_PTR, "argument buf ", HcclBroadcast(no, 1, kNoType, 1, comm_, stream_));
  expect(HCCL_E_PARA, "argument count", HcclBroadcast(a_, kTooMany, kNoType, 1, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument dataType", HcclBroadcast(a_, 1, kNoType, 1, comm_, stream_));
  expect(HCCL_E_PARA, "argument root", HcclBroadcast(a_, 1, kFp32, 1, comm_, stream_));

  expect(HCCL_E_PTR, "argument comm ", HcclAllGather(no, no, 1, kNoType, no, no));
  expect(HCCL_E_PTR, "argument sendBuf", HcclAllGather(no, no, 1, kNoType, comm_, no));
  expect(HCCL_E_PTR, "argument recvBuf", HcclAllGather(a_, no, 1, kNoType, comm_, no));
  expect(HCCL_E_PTR, "argument stream", HcclAllGather(a_, b_, 1, kNoType, comm_, no));
  expect(HCCL_E_PARA, "argument sendCount",
         HcclAllGather(a_, b_, kTooMany, kNoType, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument dataType",
         HcclAllGather(a_, b_, 1, kNoType, comm_, stream_));

  expect(HCCL_E_PTR, "argument comm ", HcclScatter(no, no, 0, kNoType, 1, no, no));
  expect(HCCL_E_PTR, "argument recvBuf", HcclScatter(no, no, 1, kNoType, 1, comm_, no));
  expect(HCCL_E_PTR, "argument stream", HcclScatter(no, b_, 1, kNoType, 1, comm_, no));
  expect(HCCL_E_PTR, "argument sendBuf", HcclScatter(no, b_, 1, kNoType, 0, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument dataType",
         HcclScatter(no, b_, 1, kNoType, 1, comm_, stream_));
  expect(HCCL_E_PARA, "argument root", HcclScatter(no, b_, 1, kFp32, 1, comm_, stream_));
}

TEST_F(Arguments, OfAlltoAllInOrder) {
  void* const no = nullptr;
  expect(HCCL_E_PTR, "argument sendBuf", HcclAlltoAll(no, 1, kNoType, no, 0, kFp32, no, no));
  expect(HCCL_E_PTR, "argument recvBuf", HcclAlltoAll(a_, 1, kNoType, no, 0, kFp32, no, no));
  expect(HCCL_E_PARA, "sendCount and recvCount differ: 1 and 0",
         HcclAlltoAll(a_, 1, kNoType, a_, 0, kFp32, no, no));
  expect(HCCL_E_PARA, "sendType and recvType differ",
         HcclAlltoAll(a_, 1, kNoType, a_, 1, kFp32, no, no));
  expect(HCCL_E_PTR, "argument stream", HcclAlltoAll(a_, 1, kNoType, a_, 1, kNoType, no, no));
  expect(HCCL_E_PTR, "argument comm ", HcclAlltoAll(a_, 1, kNoType, a_, 1, kNoType, no, stream_));
  expect(HCCL_E_PARA, "the same buffer",
         HcclAlltoAll(a_, 1, kNoType, a_, 1, kNoType, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument sendType",
         HcclAlltoAll(a_, 1, kNoType, b_, 1, kNoType, comm_, stream_));

  const uint64_t one[] = {1}, zero[] = {0}, many[] = {kTooMany};
  const auto all_to_all_v = [&](const void* send, const void* counts, HcclDataType type,
                                const void* receive, const void* received, aclrtStream stream) {
    return HcclAlltoAllV(send, counts, zero, type, receive, received, zero, kFp32, comm_, stream);
  };
  expect(HCCL_E_PTR, "argument sendCounts", all_to_all_v(no, no, kNoType, no, no, no));
  expect(HCCL_E_PTR, "argument recvCounts", all_to_all_v(no, one, kNoType, no, no, no));
  expect(HCCL_E_PTR, "argument stream", all_to_all_v(no, one, kNoType, no, one, no));
  expect(HCCL_E_PARA, "the same buffer", all_to_all_v(a_, many, kNoType, a_, one, stream_));
  expect(HCCL_E_PARA, "argument sendCounts", all_to_all_v(no, many, kNoType, b_, one, stream_));
  expect(HCCL_E_PTR, "argument sendBuf", all_to_all_v(no, one, kNoType, b_, one, stream_));
  expect(HCCL_E_PTR, "argument recvBuf", all_to_all_v(a_, one, kNoType, no, one, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument sendType", all_to_all_v(a_, one, kNoType, b_, one, stream_));
  EXPECT_EQ(all_to_all_v(no, zero, kFp32, no, zero, stream_), HCCL_SUCCESS);
}

TEST_F(Arguments, OfTransfersInOrder) {
  void* const no = nullptr;
  expect(HCCL_E_PTR, "argument comm ", HcclSend(no, 1, kNoType, 0, no, no));
  expect(HCCL_E_PTR, "argument sendBuf", HcclSend(no, 1, kNoType, 0, comm_, no));
  expect(HCCL_E_PTR, "argument recvBuf", HcclRecv(no, 1, kNoType, 0, comm_, no));
  expect(HCCL_E_PTR, "argument stream", HcclSend(a_, 1, kNoType, 0, comm_, no));
  expect(HCCL_E_PARA, "argument count", HcclSend(a_, kTooMany, kNoType, 0, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument dataType", HcclSend(a_, 1, kNoType, 0, comm_, stream_));
  expect(HCCL_E_NOT_SUPPORT, "argument destRank is 0, the own rank",
         HcclSend(a_, 1, kFp32, 0, comm_, stream_));
  expect(HCCL_E_PARA, "argument srcRank is 1", HcclRecv(a_, 1, kFp32, 1, comm_, stream_));

  HcclSendRecvItem item{HCCL_SEND, a_, kTooMany, kNoType, 9};
  expect(HCCL_E_PTR, "argument comm ", HcclBatchSendRecv(nullptr, 0, no, no));
  expect(HCCL_E_PTR, "argument stream", HcclBatchSendRecv(nullptr, 0, comm_, no));
  expect(HCCL_E_PTR, "argument sendRecvInfo", HcclBatchSendRecv(nullptr, 0, comm_, stream_));
  EXPECT_EQ(HcclBatchSendRecv(&item, 0, comm_, stream_), HCCL_SUCCESS);
  expect(HCCL_E_NOT_SUPPORT, "argument dataType", HcclBatchSendRecv(&item, 1, comm_, stream_));
  item.dataType = kFp32;
  expect(HCCL_E_PARA, "argument count", HcclBatchSendRecv(&item, 1, comm_, stream_));
  item.count = 1;
  expect(HCCL_E_PARA, "argument remoteRank is 9", HcclBatchSendRecv(&item, 1, comm_, stream_));
  item.sendRecvType = HCCL_SEND_RECV_RESERVED;
  item.remoteRank = 0;
  expect(HCCL_E_PARA, "argument sendRecvType is 2", HcclBatchSendRecv(&item, 1, comm_, stream_));
}

TEST_F(Arguments, AStreamOfAnotherDeviceIsRefused) {
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  expect(HCCL_E_PARA, "belongs to device 0", HcclBarrier(comm_, other));
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(HcclBarrier(comm_, other), HCCL_E_PARA);
  EXPECT_THAT(recent_message(), HasSubstr("not a live stream of device 0"));
  int local = 0;
  EXPECT_EQ(HcclBarrier(comm_, &local), HCCL_E_PARA);
  recent_message();
  // Nothing was counted: the group still works.
  EXPECT_EQ(HcclBarrier(comm_, stream_), HCCL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(1), ACL_SUCCESS);
}

// What each family can move and reduce, as the contract's table has it.
TEST_F(Arguments, DataTypesFollowTheProduct) {
  const HcclDataType all[] = {HCCL_DATA_TYPE_INT8,    HCCL_DATA_TYPE_INT16,  HCCL_DATA_TYPE_INT32,
                              HCCL_DATA_TYPE_FP16,    HCCL_DATA_TYPE_FP32,   HCCL_DATA_TYPE_INT64,
                              HCCL_DATA_TYPE_UINT64,  HCCL_DATA_TYPE_UINT8,  HCCL_DATA_TYPE_UINT16,
                              HCCL_DATA_TYPE_UINT32,  HCCL_DATA_TYPE_FP64,   HCCL_DATA_TYPE_BFP16,
                              HCCL_DATA_TYPE_INT128,  HCCL_DATA_TYPE_HIF8,   HCCL_DATA_TYPE_FP8E4M3,
                              HCCL_DATA_TYPE_FP8E5M2, HCCL_DATA_TYPE_FP8E8M0};
  struct Row {
    const char* product;
    std::vector<bool> moved, summed, multiplied;
  };
  const Row rows[] = {{"Ascend910B",
                       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0},
                       {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
                       {1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
                      {"Ascend910_93",
                       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0},
                       {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0},
                       {1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
                      {"Ascend950",
                       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1},
                       {1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0},
                       {1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}},
                      {"Ascend910",
                       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0},
                       {1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                       {1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
                      {"Ascend310P",
                       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0},
                       {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                       {1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}};
  for (const Row& row : rows) {
    ASSERT_EQ(aclgradSetSocName(row.product), 0);
    for (size_t i = 0; i < std::size(all); ++i) {
      SCOPED_TRACE(::testing::Message() << row.product << " type " << all[i]);
      const auto status = [](bool supported) {
        return supported ? HCCL_SUCCESS : HCCL_E_NOT_SUPPORT;
      };
      EXPECT_EQ(HcclAllGather(a_, b_, 1, all[i], comm_, stream_), status(row.moved[i]));
      EXPECT_EQ(HcclAllReduce(a_, b_, 1, all[i], kSum, comm_, stream_), status(row.summed[i]));
      EXPECT_EQ(HcclAllReduce(a_, b_, 1, all[i], HCCL_REDUCE_PROD, comm_, stream_),
                status(row.multiplied[i]));
    }
  }
  ASSERT_EQ(aclgradSetSocName("Ascend310P"), 0);
  EXPECT_EQ(HcclAllReduce(a_, b_, 1, HCCL_DATA_TYPE_INT16, HCCL_REDUCE_MAX, comm_, stream_),
            HCCL_E_NOT_SUPPORT);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  recent_message();
}

}  // namespace
}  // namespace aclgrad::testing
