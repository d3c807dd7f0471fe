// SPDX-License-Identifier: Apache-2.0
// The binary interface is the vendor's: numbers, sizes and offsets.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "hccl/hccl.h"

static_assert(sizeof(HcclRootInfo) == 4108 && alignof(HcclRootInfo) == 1);
static_assert(sizeof(HcclComm) == sizeof(void*));

static_assert(sizeof(HcclSendRecvItem) == 32);
static_assert(offsetof(HcclSendRecvItem, sendRecvType) == 0);
static_assert(offsetof(HcclSendRecvItem, buf) == 8);
static_assert(offsetof(HcclSendRecvItem, count) == 16);
static_assert(offsetof(HcclSendRecvItem, dataType) == 24);
static_assert(offsetof(HcclSendRecvItem, remoteRank) == 28);

static_assert(sizeof(HcclCommConfig) == 2248);
static_assert(offsetof(HcclCommConfig, hcclBufferSize) == 24);
static_assert(offsetof(HcclCommConfig, hcclDeterministic) == 28);
static_assert(offsetof(HcclCommConfig, hcclCommName) == 32);
static_assert(offsetof(HcclCommConfig, hcclUdi) == 160);
static_assert(offsetof(HcclCommConfig, hcclOpExpansionMode) == 288);
static_assert(offsetof(HcclCommConfig, hcclRdmaTrafficClass) == 292);
static_assert(offsetof(HcclCommConfig, hcclRdmaServiceLevel) == 296);
static_assert(offsetof(HcclCommConfig, hcclWorldRankID) == 300);
static_assert(offsetof(HcclCommConfig, hcclJobID) == 304);
static_assert(offsetof(HcclCommConfig, aclGraphZeroCopyEnable) == 312);
static_assert(offsetof(HcclCommConfig, hcclExecTimeOut) == 316);
static_assert(offsetof(HcclCommConfig, hcclAlgo) == 320);
static_assert(offsetof(HcclCommConfig, hcclRetryEnable) == 1920);
static_assert(offsetof(HcclCommConfig, hcclRetryParams) == 1970);
static_assert(offsetof(HcclCommConfig, hcclBufferName) == 2098);
static_assert(offsetof(HcclCommConfig, hcclQos) == 2228);
static_assert(offsetof(HcclCommConfig, hcclSymWinMaxMemSizePerRank) == 2232);
static_assert(offsetof(HcclCommConfig, hcclChannelSqDepth) == 2240);

static_assert(HCCL_E_OOM == 24 && HCCL_E_IN_STATUS == 1041 && HCCL_E_RESERVED == 1042);
static_assert(HCCL_REDUCE_MIN == 3 && HCCL_REDUCE_RESERVED == 255);
static_assert(HCCL_DATA_TYPE_INT128 == 12 && HCCL_DATA_TYPE_HIF8 == 14);
static_assert(HCCL_DATA_TYPE_FP8E8M0 == 17 && HCCL_DATA_TYPE_RESERVED == 255);
static_assert(sizeof(HcclConfigValue) == 4);

namespace {

// From C an argument can be any number.
HcclResult from_c(int number) { return static_cast<HcclResult>(number); }

TEST(HcclHeaders, ResultsHaveTheirWords) {
  EXPECT_STREQ(HcclGetErrorString(HCCL_SUCCESS), "no error");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_PARA), "parameter error");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_PTR), "empty pointer");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_TIMEOUT), "timeout");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_REMOTE), "error cqe");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_OOM), "out of memory");
  EXPECT_STREQ(HcclGetErrorString(from_c(25)), "unknown err");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_IN_STATUS), "unknown err");
  EXPECT_STREQ(HcclGetErrorString(HCCL_E_RESERVED), "unknown error");
  EXPECT_STREQ(HcclGetErrorString(from_c(5000)), "unknown error");
  EXPECT_STREQ(HcclGetErrorString(from_c(-1)), "unknown error");
}

TEST(HcclHeaders, TheInitHelperFillsTheTable) {
  HcclCommConfig config;
  std::memset(&config, 0x5a, sizeof config);
  HcclCommConfigInit(&config);
  uint64_t size = 0;
  uint32_t magic = 0, version = 0;
  std::memcpy(&size, config.reserved, 8);
  std::memcpy(&magic, config.reserved + 8, 4);
  std::memcpy(&version, config.reserved + 12, 4);
  EXPECT_EQ(size, sizeof config);
  EXPECT_EQ(magic, 0xf0f0f0f0U);
  EXPECT_EQ(version, 11U);
  for (const uint32_t each :
       {config.hcclBufferSize, config.hcclDeterministic, config.hcclRdmaTrafficClass,
        config.hcclRdmaServiceLevel, config.hcclQos, config.hcclChannelSqDepth}) {
    EXPECT_EQ(each, 0xffffffffU);
  }
  EXPECT_EQ(config.hcclExecTimeOut, -1);
  EXPECT_EQ(config.hcclSymWinMaxMemSizePerRank, 16U);
  EXPECT_EQ(config.hcclOpExpansionMode, 0U);
  EXPECT_EQ(config.aclGraphZeroCopyEnable, 0);
  EXPECT_STREQ(config.hcclCommName, "");
  HcclCommConfigInit(nullptr);  // is ignored
  EXPECT_EQ(HcclGetCommConfigCapability(), 12U);
}

}  // namespace
