// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <sstream>
#include <string>

#include "aclgrad_ext.h"
#include "ops/meta/dtypes.h"
#include "tests/ops/meta/from_number.h"

namespace aclgrad::ops {
namespace {

const std::map<std::string, aclDataType> kShort = {
    {"f32", ACL_FLOAT},      {"f16", ACL_FLOAT16}, {"f64", ACL_DOUBLE},    {"bf16", ACL_BF16},
    {"s8", ACL_INT8},        {"u8", ACL_UINT8},    {"s16", ACL_INT16},     {"s32", ACL_INT32},
    {"s64", ACL_INT64},      {"bool", ACL_BOOL},   {"c32", ACL_COMPLEX32}, {"c64", ACL_COMPLEX64},
    {"c128", ACL_COMPLEX128}};

// The promotion table of the contract, upper triangle, row by row.
constexpr char kPromotions[] = R"(
f32  f32 f32 f64 f32 f32 f32 f32 f32 f32 f32 c64 c64 c128
f16  f16 f64 f32 f16 f16 f16 f16 f16 f16 c32 c64 c128
f64  f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 c128
bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 c32 c64 c128
s8   s8 s16 s16 s32 s64 s8 c32 c64 c128
u8   u8 s16 s32 s64 u8 c32 c64 c128
s16  s16 s32 s64 s16 c32 c64 c128
s32  s32 s64 s32 c32 c64 c128
s64  s64 s64 c32 c64 c128
bool bool c32 c64 c128
c32  c32 c64 c128
c64  c64 c128
c128 c128
)";

TEST(Dtypes, PromotionFollowsTheTable) {
  const std::vector<std::string> order = {"f32", "f16", "f64",  "bf16", "s8",  "u8",  "s16",
                                          "s32", "s64", "bool", "c32",  "c64", "c128"};
  std::istringstream lines(kPromotions);
  std::string line;
  size_t cells = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string row;
    if (!(words >> row)) continue;
    auto column = std::find(order.begin(), order.end(), row);
    for (std::string expected; words >> expected; ++column, ++cells) {
      const aclDataType a = kShort.at(row);
      const aclDataType b = kShort.at(*column);
      EXPECT_EQ(promote_types(a, b), kShort.at(expected)) << row << " with " << *column;
      EXPECT_EQ(promote_types(b, a), kShort.at(expected)) << *column << " with " << row;
    }
    EXPECT_EQ(column, order.end()) << row;
  }
  EXPECT_EQ(cells, 13u * 14u / 2u);
}

TEST(Dtypes, WideUnsignedPromoteOnlyWithThemselves) {
  for (aclDataType dtype : {ACL_UINT16, ACL_UINT32, ACL_UINT64}) {
    EXPECT_EQ(promote_types(dtype, dtype), dtype);
    for (aclDataType other : {ACL_FLOAT, ACL_INT64, ACL_BOOL, ACL_COMPLEX64, ACL_UINT8}) {
      EXPECT_EQ(promote_types(dtype, other), std::nullopt) << dtype_name(other);
      EXPECT_EQ(promote_types(other, dtype), std::nullopt) << dtype_name(other);
    }
  }
  EXPECT_EQ(promote_types(ACL_STRING, ACL_STRING), std::nullopt);
}

TEST(Dtypes, CastRefusesExactlyTheThreeCases) {
  const std::vector<aclDataType> integers = {ACL_INT8,  ACL_INT16,  ACL_INT32,  ACL_INT64,
                                             ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64};
  const std::vector<aclDataType> floats = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
  const std::vector<aclDataType> complexes = {ACL_COMPLEX32, ACL_COMPLEX64, ACL_COMPLEX128};
  std::vector<aclDataType> all = {ACL_BOOL};
  for (const auto* list : {&integers, &floats, &complexes}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  const auto in = [](const std::vector<aclDataType>& list, aclDataType dtype) {
    return std::find(list.begin(), list.end(), dtype) != list.end();
  };
  for (aclDataType from : all) {
    for (aclDataType to : all) {
      const bool refused = (in(complexes, from) && !in(complexes, to)) ||
                           (in(floats, from) && in(integers, to)) ||
                           (from != ACL_BOOL && to == ACL_BOOL);
      EXPECT_EQ(can_cast(from, to), !refused) << dtype_name(from) << " to " << dtype_name(to);
    }
  }
}

TEST(Dtypes, WhatNoKernelReadsCannotBeCast) {
  for (aclDataType dtype : {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_HIFLOAT8, ACL_FLOAT4_E2M1,
                            ACL_STRING, ACL_DT_UNDEFINED, from_number<aclDataType>(77)}) {
    EXPECT_FALSE(can_cast(dtype, ACL_FLOAT)) << dtype_name(dtype);
    EXPECT_FALSE(can_cast(ACL_FLOAT, dtype)) << dtype_name(dtype);
  }
}

TEST(Dtypes, NamesAreTheVendors) {
  EXPECT_EQ(dtype_name(ACL_BF16), "DT_BF16");
  EXPECT_EQ(dtype_name(ACL_COMPLEX64), "DT_COMPLEX64");
  EXPECT_EQ(dtype_name(from_number<aclDataType>(77)), "DT_UNKNOWN(77)");
}

class Products : public ::testing::Test {
 protected:
  void TearDown() override {
    aclgradSetSocName(nullptr);
    aclgradSetAcceptDouble(0);
  }
};

TEST_F(Products, Bfloat16ComesWithTheA2Generation) {
  const DtypeSet set({ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16});
  for (const char* name :
       {"Ascend910B", "Ascend910B3", "Ascend910_93", "Ascend910_9381", "Ascend950"}) {
    ASSERT_EQ(aclgradSetSocName(name), ACL_SUCCESS) << name;
    EXPECT_TRUE(set.contains(ACL_BF16)) << name;
    EXPECT_EQ(set.to_string(), "[DT_FLOAT, DT_FLOAT16, DT_BF16]") << name;
  }
  for (const char* name :
       {"Ascend910", "Ascend910A", "Ascend910ProB", "Ascend310P", "Ascend310P3"}) {
    ASSERT_EQ(aclgradSetSocName(name), ACL_SUCCESS) << name;
    EXPECT_FALSE(set.contains(ACL_BF16)) << name;
    EXPECT_EQ(set.to_string(), "[DT_FLOAT, DT_FLOAT16]") << name;
  }
}

TEST_F(Products, DoubleJoinsFloatOnlyOnRequest) {
  const DtypeSet floats({ACL_FLOAT});
  const DtypeSet integers({ACL_INT32});
  EXPECT_FALSE(floats.contains(ACL_DOUBLE));
  aclgradSetAcceptDouble(1);
  EXPECT_TRUE(floats.contains(ACL_DOUBLE));
  EXPECT_FALSE(integers.contains(ACL_DOUBLE));
  aclgradSetAcceptDouble(0);
  EXPECT_FALSE(floats.contains(ACL_DOUBLE));
}

TEST(DtypeSet, RefusesNumbersThatAreNoType) {
  const DtypeSet set({ACL_FLOAT});
  for (int number : {-1, 5, 42, 63, 64, 1000, -1000}) {
    EXPECT_FALSE(set.contains(from_number<aclDataType>(number))) << number;
  }
}

}  // namespace
}  // namespace aclgrad::ops
