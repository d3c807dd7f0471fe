// SPDX-License-Identifier: Apache-2.0
// Element sizes, half precision, data buffers, versions.
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

TEST(DataTypeSize, FollowsTheTable) {
  const std::vector<std::pair<aclDataType, size_t>> table{{ACL_DT_UNDEFINED, 0},
                                                          {ACL_FLOAT, 4},
                                                          {ACL_FLOAT16, 2},
                                                          {ACL_INT8, 1},
                                                          {ACL_INT32, 4},
                                                          {ACL_UINT8, 1},
                                                          {ACL_INT16, 2},
                                                          {ACL_UINT16, 2},
                                                          {ACL_UINT32, 4},
                                                          {ACL_INT64, 8},
                                                          {ACL_UINT64, 8},
                                                          {ACL_DOUBLE, 8},
                                                          {ACL_BOOL, 1},
                                                          {ACL_STRING, 0},
                                                          {ACL_COMPLEX64, 8},
                                                          {ACL_COMPLEX128, 16},
                                                          {ACL_BF16, 2},
                                                          {ACL_INT4, 1},
                                                          {ACL_UINT1, 1},
                                                          {ACL_COMPLEX32, 4},
                                                          {ACL_HIFLOAT8, 1},
                                                          {ACL_FLOAT8_E5M2, 1},
                                                          {ACL_FLOAT8_E4M3FN, 1},
                                                          {ACL_FLOAT8_E8M0, 1},
                                                          {ACL_FLOAT6_E3M2, 8},
                                                          {ACL_FLOAT6_E2M3, 8},
                                                          {ACL_FLOAT4_E2M1, 8},
                                                          {ACL_FLOAT4_E1M2, 8},
                                                          {no_member<aclDataType>(5), 8},
                                                          {no_member<aclDataType>(999), 8}};
  for (const auto& [type, size] : table) EXPECT_EQ(aclDataTypeSize(type), size) << type;
}

// The value of a pattern by the plain definition, exponent 31 read like any other.
double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(Float16, EveryPatternReadsExactly) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<aclFloat16>(bits);
    ASSERT_EQ(static_cast<double>(aclFloat16ToFloat(half)), half_value(half)) << bits;
  }
  EXPECT_EQ(aclFloat16ToFloat(0x7C00), 65536.0F);
  EXPECT_EQ(aclFloat16ToFloat(0xFC00), -65536.0F);
  EXPECT_EQ(aclFloat16ToFloat(0x7E00), 98304.0F);
  EXPECT_TRUE(std::signbit(aclFloat16ToFloat(0x8000)));
}

TEST(Float16, EveryFinitePatternComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (((bits >> 10) & 31U) == 31U) continue;
    const auto half = static_cast<aclFloat16>(bits);
    ASSERT_EQ(aclFloatToFloat16(aclFloat16ToFloat(half)), half) << bits;
  }
}

TEST(Float16, RoundsToNearestTiesToEven) {
  for (uint16_t bits = 0; bits < 0x7BFF; ++bits) {
    const double low = half_value(bits);
    const double high = half_value(static_cast<uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    const uint16_t even = (bits & 1) == 0 ? bits : static_cast<uint16_t>(bits + 1);
    ASSERT_EQ(aclFloatToFloat16(middle), even) << bits;
    ASSERT_EQ(aclFloatToFloat16(std::nextafter(middle, 0.0F)), bits) << bits;
    ASSERT_EQ(aclFloatToFloat16(std::nextafter(middle, 1e9F)), bits + 1) << bits;
    ASSERT_EQ(aclFloatToFloat16(-middle), even | 0x8000) << bits;
  }
}

TEST(Float16, Saturates) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float large : {65504.0F, 65519.9F, 65520.0F, 1e30F, kInfinity}) {
    EXPECT_EQ(aclFloatToFloat16(large), 0x7BFF) << large;
    EXPECT_EQ(aclFloatToFloat16(-large), 0xFBFF) << -large;
  }
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN()), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(1e-30F), 0);
  EXPECT_EQ(aclFloatToFloat16(-0.0F), 0x8000);
}

TEST(DataBuffer, HoldsAddressAndSize) {
  int value = 0;
  aclDataBuffer* const buffer = aclCreateDataBuffer(&value, sizeof(value));
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &value);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 4U);
  constexpr size_t kLarge = (size_t{1} << 32) + 7;
  EXPECT_EQ(aclUpdateDataBuffer(buffer, nullptr, kLarge), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), kLarge);
  EXPECT_EQ(aclGetDataBufferSize(buffer), 7U);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
}

TEST(DataBuffer, EmptyOnesAreAllowedAndNullIsNot) {
  aclDataBuffer* const buffer = aclCreateDataBuffer(nullptr, 0);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferAddr(nullptr), nullptr);
  EXPECT_EQ(aclGetDataBufferSize(nullptr), 0U);
  EXPECT_EQ(aclGetDataBufferSizeV2(nullptr), 0U);
}

TEST(Version, IsTheStudiedOne) {
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = -1;
  ASSERT_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
  EXPECT_THAT((std::vector{major, minor, patch}), testing::ElementsAre(1, 17, 0));
}

TEST(CannAttribute, TellsFeatures) {
  int32_t value = -1;
  EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
}

TEST(AppLog, WritesErrorsAndDropsLesserLines) {
  testing::internal::CaptureStderr();
  ACL_APP_LOG(ACL_ERROR, "step %d of %s", 3, "nine");
  ACL_APP_LOG(ACL_WARNING, "not to be seen");
  aclAppLog(ACL_ERROR, nullptr, nullptr, 0, "%s", "bare");
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, testing::HasSubstr("step 3 of nine"));
  EXPECT_THAT(log, testing::HasSubstr("base_helpers_test.cpp"));
  EXPECT_THAT(log, testing::HasSubstr("bare"));
  EXPECT_THAT(log, testing::Not(testing::HasSubstr("not to be seen")));
}

}  // namespace
}  // namespace aclgrad::test
