// SPDX-License-Identifier: Apache-2.0
// ACLGRAD_LOG.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "run_misuse.h"

namespace aclgrad::test {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;
using Json = nlohmann::json;

std::vector<std::string> lines_of(std::istream&& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(Log, PrintsEveryCallWithItsArguments) {
  const Outcome outcome = run_misuse("logged", "ACLGRAD_LOG=text");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(
      lines_of(std::istringstream(outcome.output)),
      UnorderedElementsAre(
          HasSubstr(
              "aclgrad: call 0: aclnnEluGetWorkspaceSize(self DT_FLOAT[2, 3] strides [1, 2] "
              "offset 2, alpha \"DT_FLOAT 0.5\", scale null, inputScale \"DT_FLOAT 0.5\", out "
              "DT_FLOAT[2, 3]) = 161001, workspace 0 bytes, "),
          HasSubstr("aclgrad: call 1: aclnnEluGetWorkspaceSize("),
          HasSubstr("aclgrad: call 1: aclnnElu on stream 0x"),
          HasSubstr("aclgrad: call 1: aclnnElu ran = 0, ")));
}

TEST(Log, WritesLinesOfJsonToAFile) {
  char path[] = "log_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  close(file);
  const Outcome outcome =
      run_misuse("logged", std::string("ACLGRAD_LOG=json ACLGRAD_LOG_FILE=") + path);
  EXPECT_EQ(outcome.output, "");
  std::vector<std::string> events;
  for (const std::string& line : lines_of(std::ifstream(path))) {
    const Json entry = Json::parse(line, nullptr, false);
    ASSERT_FALSE(entry.is_discarded()) << line;
    events.push_back(entry["event"]);
    EXPECT_EQ(entry["operator"], "aclnnElu");
    EXPECT_GE(entry["microseconds"], 0);
    if (entry["event"] != "plan") continue;
    const Json& self = entry["arguments"][0];
    EXPECT_EQ(self["name"], "self");
    EXPECT_EQ(self["role"], "input");
    EXPECT_EQ(self["dtype"], "DT_FLOAT");
    EXPECT_EQ(self["shape"], Json({2, 3}));
    EXPECT_EQ(self["strides"], Json({1, 2}));
    EXPECT_EQ(self["offset"], 2);
    EXPECT_EQ(self["contiguous"], false);
    EXPECT_EQ(entry["workspace"], 0);
    EXPECT_EQ(entry["status"], entry["call"] == 0 ? 161001 : 0);
  }
  EXPECT_THAT(events, UnorderedElementsAre("plan", "plan", "launch", "run"));
  unlink(path);
}

TEST(Log, PrintsTheTensorsOfAList) {
  const Outcome outcome = run_misuse("logged_list", "ACLGRAD_LOG=text");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              HasSubstr("aclnnCatGetWorkspaceSize(tensors [DT_FLOAT[2, 3], null], dim 0, out "
                        "DT_FLOAT[4, 3]) = 161001"));
  const std::string json = run_misuse("logged_list", "ACLGRAD_LOG=json").output;
  for (const std::string& line : lines_of(std::istringstream(json))) {
    const Json entry = Json::parse(line.substr(line.find('{')), nullptr, false);
    ASSERT_FALSE(entry.is_discarded()) << line;
    const Json& list = entry["arguments"][0]["tensors"];
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0]["shape"], Json({2, 3}));
    EXPECT_EQ(list[1].is_null(), entry["status"] != 0);
  }
}

TEST(Log, ComplainsAboutUnknownWords) {
  EXPECT_EQ(run_misuse("logged", "ACLGRAD_LOG=yaml").output,
            "aclgrad: ACLGRAD_LOG knows no \"yaml\"; its words are text and json.\n");
}

TEST(Log, DoesNotChangeWhatARecordingComputes) {
  EXPECT_EQ(run_misuse("logged_replay", "ACLGRAD_LOG=text").status, 0);
  EXPECT_EQ(run_misuse("logged_replay", "").status, 0);
}

TEST(Log, CountsNoFindings) {
  const Outcome outcome = run_misuse("dead_tensor", "ACLGRAD_LOG=text ACLGRAD_CHECK=handles");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("self a dead handle, out a dead handle"));
}

}  // namespace
}  // namespace aclgrad::test
