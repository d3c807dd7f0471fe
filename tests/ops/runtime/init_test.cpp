// SPDX-License-Identifier: Apache-2.0
// aclInit, aclFinalize and the configuration file.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support.h"

namespace aclgrad::test {
namespace {

class Init : public testing::Test {
 protected:
  void SetUp() override {
    aclFinalize();
    clear_errors();
  }

  void TearDown() override {
    aclFinalize();
    clear_errors();
    for (const std::string& file : files_) std::filesystem::remove(file);
  }

  std::string file_with(const std::string& text) {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    files_.push_back(testing::TempDir() + "aclgrad_" + test->name() +
                     std::to_string(files_.size()) + ".json");
    std::ofstream(files_.back()) << text;
    return files_.back();
  }

  std::vector<std::string> files_;
};

TEST_F(Init, WithoutConfiguration) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclInit(""), ACL_SUCCESS);
}

TEST_F(Init, RepeatedCallsAreCounted) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclInit(nullptr), 100002, {"aclInit", "initialised already"}));
  EXPECT_EQ(aclInit(""), 100002);
  uint64_t left = 9;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 2U);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 0U);
  EXPECT_TRUE(fails(aclFinalizeReference(&left), 100037, {"aclFinalizeReference"}));
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
}

TEST_F(Init, FinalizeEndsAllUsesAtOnce) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), 100002);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  clear_errors();
  EXPECT_TRUE(fails(aclFinalize(), 100037, {"aclFinalize", "finalized already"}));
}

TEST(InitDeathTest, FinalizeWithoutInitSucceedsOnce) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(std::exit(aclFinalize() == ACL_SUCCESS && aclFinalize() == 100037 ? 0 : 1),
              testing::ExitedWithCode(0), "");
}

TEST_F(Init, FinalizeReleasesDevices) {
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  bool ran = false;
  queue(stream, [&] { ran = true; });
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_TRUE(ran);
  int32_t device = 0;
  EXPECT_TRUE(fails(aclrtGetDevice(&device), 107002, {"aclrtGetDevice", "aclrtSetDevice"}));
  EXPECT_EQ(aclrtResetDevice(0), 507007);
  EXPECT_EQ(aclrtResetDevice(1), 507007);
}

TEST_F(Init, BadFilesHaveAStatusEach) {
  const struct {
    std::string path;
    aclError status;
    const char* word;
  } rows[] = {
      {"/no/such/folder/config.json", 100003, "opened"},
      {testing::TempDir(), 100003, "read"},
      {file_with(""), 100005, "0 bytes"},
      {file_with(std::string((10U << 20) + 1, ' ')), 100005, "bytes"},
      {file_with("{ \"dump\": "), 100006, "JSON"},
      {file_with("[1, 2]"), 100006, "JSON"},
      {file_with(R"({"dump": 3})"), 100009, "dump"},
      {file_with(R"({"dump": {"dump_mode": "sometimes"}})"), 100009, "sometimes"},
      {file_with(R"({"dump": {"dump_path": 7}})"), 100009, "dump_path"},
      {file_with(R"({"dump": {"dump_list": {}}})"), 100009, "dump_list"},
      {file_with(R"({"profiler": "on"})"), 100010, "profiler"},
      {file_with(R"({"profiler": {"switch": "perhaps"}})"), 100010, "perhaps"},
      {file_with(R"({"err_msg_mode": 1})"), 100000, "err_msg_mode"},
      {file_with(R"({"err_msg_mode": "2"})"), 100000, "err_msg_mode"},
  };
  for (const auto& row : rows) {
    EXPECT_TRUE(fails(aclInit(row.path.c_str()), row.status,
                      {"aclInit", "configPath", row.path.c_str(), row.word}));
  }
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS) << "a failed call must not count";
}

TEST_F(Init, GoodFilesAreTaken) {
  for (const char* text :
       {"{}", R"({"dump": {"dump_mode": "all", "dump_path": "x", "dump_list": []}})",
        R"({"profiler": {"switch": "off"}, "err_msg_mode": "0", "something_else": [1]})"}) {
    EXPECT_EQ(aclInit(file_with(text).c_str()), ACL_SUCCESS) << text;
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  }
}

TEST_F(Init, AnotherConfigurationIsRefused) {
  const std::string first = file_with("{}");
  ASSERT_EQ(aclInit(first.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclInit(file_with("{}").c_str()), 100002) << "the same text in another file";
  clear_errors();
  EXPECT_TRUE(fails(aclInit(nullptr), 100000, {"aclInit", "differs"}));
  EXPECT_TRUE(fails(aclInit(file_with(R"({"a": 1})").c_str()), 100000, {"differs"}));
  uint64_t left = 0;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 1U) << "refused calls do not count";
}

TEST_F(Init, MessagesCanBePerProcess) {
  ASSERT_EQ(aclInit(file_with(R"({"err_msg_mode": "1"})").c_str()), ACL_SUCCESS);
  std::thread([] { EXPECT_EQ(aclrtFree(nullptr), 100000); }).join();
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_THAT(std::string(text), testing::HasSubstr("aclrtFree"));
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  std::thread([] { EXPECT_EQ(aclrtFree(nullptr), 100000); }).join();
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "per thread again after a finalize";
}

TEST_F(Init, MessagesOfTheProcessCanBeReadAfterItsEnd) {
  ASSERT_EQ(aclInit(file_with(R"({"err_msg_mode": "1"})").c_str()), ACL_SUCCESS);
  std::thread([] { EXPECT_EQ(aclrtFree(nullptr), 100000); }).join();
  ASSERT_EQ(aclFinalize(), ACL_SUCCESS);
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_THAT(std::string(text), testing::HasSubstr("aclrtFree"));
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

}  // namespace
}  // namespace aclgrad::test
