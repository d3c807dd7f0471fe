// SPDX-License-Identifier: Apache-2.0
// The chip's name and the number of threads, by function and by environment.
#include <cstdlib>
#include <string>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

class SocName : public testing::Test {
 protected:
  void SetUp() override { clear_errors(); }
  void TearDown() override { EXPECT_EQ(aclgradSetSocName(nullptr), ACL_SUCCESS); }
};

TEST_F(SocName, HasADefault) { EXPECT_STREQ(aclrtGetSocName(), "Ascend910B1"); }

TEST_F(SocName, FullNamesAndFamiliesAreKnown) {
  const struct {
    const char* given;
    const char* full;
    int64_t arch;
  } rows[] = {
      {"Ascend910A", "Ascend910A", 1001},
      {"Ascend910ProB", "Ascend910ProB", 1001},
      {"Ascend910PremiumA", "Ascend910PremiumA", 1001},
      {"Ascend910", "Ascend910A", 1001},
      {"Ascend310P3", "Ascend310P3", 2002},
      {"Ascend310P", "Ascend310P1", 2002},
      {"Ascend910B4-1", "Ascend910B4-1", 2201},
      {"Ascend910B2C", "Ascend910B2C", 2201},
      {"Ascend910B", "Ascend910B1", 2201},
      {"Ascend910_9392", "Ascend910_9392", 2201},
      {"Ascend910_93", "Ascend910_9362", 2201},
      {"Ascend310B1", "Ascend310B1", 3002},
      {"Ascend950PR_9579", "Ascend950PR_9579", 3510},
      {"Ascend950DT_x", "Ascend950DT_x", 3510},
      {"Ascend950", "Ascend950PR_9589", 3510},
  };
  for (const auto& row : rows) {
    ASSERT_EQ(aclgradSetSocName(row.given), ACL_SUCCESS) << row.given;
    EXPECT_STREQ(aclrtGetSocName(), row.full);
    int64_t arch = 0;
    EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_NPU_ARCH, &arch), ACL_SUCCESS);
    EXPECT_EQ(arch, row.arch) << row.given;
  }
}

TEST_F(SocName, UnknownOnesChangeNothing) {
  ASSERT_EQ(aclgradSetSocName("Ascend310P7"), ACL_SUCCESS);
  for (const char* name : {"", "Ascend", "Ascend910C", "ascend910b1", "Ascend950PR_"}) {
    EXPECT_TRUE(fails(aclgradSetSocName(name), 100000, {"aclgradSetSocName", "name", name}));
  }
  EXPECT_STREQ(aclrtGetSocName(), "Ascend310P7");
}

TEST_F(SocName, TheStringStays) {
  ASSERT_EQ(aclgradSetSocName(std::string("Ascend950PR_1234").c_str()), ACL_SUCCESS);
  const char* const name = aclrtGetSocName();
  ASSERT_EQ(aclgradSetSocName("Ascend910A"), ACL_SUCCESS);
  EXPECT_STREQ(name, "Ascend950PR_1234");
}

TEST_F(SocName, NullReturnsToTheEnvironment) {
  setenv("ACLGRAD_SOC", "Ascend910_93", 1);
  EXPECT_EQ(aclgradSetSocName(nullptr), ACL_SUCCESS);
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910_9362");
  setenv("ACLGRAD_SOC", "Pentium", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(aclgradSetSocName(nullptr), ACL_SUCCESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("Pentium"));
  EXPECT_STREQ(aclrtGetSocName(), "Ascend910B1");
  unsetenv("ACLGRAD_SOC");
}

TEST(EnvironmentDeathTest, IsReadAtTheFirstUse) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  setenv("ACLGRAD_SOC", "Ascend310P5", 1);
  EXPECT_EXIT(std::exit(std::string(aclrtGetSocName()) == "Ascend310P5" ? 0 : 1),
              testing::ExitedWithCode(0), "");
  unsetenv("ACLGRAD_SOC");
  const auto threads_are = [](int32_t expected) {
    std::exit(aclgradGetNumThreads() == expected ? 0 : 1);
  };
  setenv("OMP_NUM_THREADS", "5", 1);
  EXPECT_EXIT(threads_are(5), testing::ExitedWithCode(0), "");
  setenv("OMP_NUM_THREADS", "3,2", 1);
  EXPECT_EXIT(threads_are(3), testing::ExitedWithCode(0), "");
  unsetenv("OMP_NUM_THREADS");
}

TEST(NumThreads, CanBeChosenAndRestored) {
  const int32_t by_default = aclgradGetNumThreads();
  EXPECT_GE(by_default, 1);
  EXPECT_EQ(aclgradSetNumThreads(7), ACL_SUCCESS);
  EXPECT_EQ(aclgradGetNumThreads(), 7);
  clear_errors();
  EXPECT_TRUE(fails(aclgradSetNumThreads(-1), 100000, {"aclgradSetNumThreads", "count", "-1"}));
  EXPECT_EQ(aclgradGetNumThreads(), 7);
  EXPECT_EQ(aclgradSetNumThreads(0), ACL_SUCCESS);
  EXPECT_EQ(aclgradGetNumThreads(), by_default);
}

}  // namespace
}  // namespace aclgrad::test
