// SPDX-License-Identifier: Apache-2.0
// Words for results, and the helper of the header. What the header declares is stated in
// tests/contract/specification/hccl.cpp.
#include <gtest/gtest.h>

#include <cstring>

#include "hccl/hccl.h"

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
