// SPDX-License-Identifier: Apache-2.0
// ACLGRAD_CHECK=device.
#include <gmock/gmock.h>

#include <sstream>
#include <vector>

#include "run_misuse.h"

namespace aclgrad::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// What is said about devices, without the stacks.
std::vector<std::string> sentences(const std::string& output) {
  std::vector<std::string> found;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("aclgrad: device: ")) found.push_back(line);
  }
  return found;
}

TEST(DeviceCheck, SaysOnceOfEachCallWhatADeviceWasSeenToAnswer) {
  const Outcome outcome = run_misuse("device", "ACLGRAD_CHECK=device");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(sentences(outcome.output),
              ElementsAre(HasSubstr("MaxPool2dWithIndicesBackward: indices is INT64, not INT32; on "
                                    "910B this was refused with 161002 (source: Torch-FL"),
                          HasSubstr("MaxPool2dWithIndicesBackward: a tensor has the format ND"),
                          HasSubstr("aclnnCumsum: self is BOOL; on 910B this was refused with"),
                          HasSubstr("aclnnNeg: self is a view with gaps; on 910B this was refused "
                                    "with 561103"),
                          HasSubstr("aclnnForeachMulScalarV2: a list has more than 50 tensors; on "
                                    "910B this left those from number 50 on as they were")));
  EXPECT_THAT(outcome.output, HasSubstr("  at main"));
}

TEST(DeviceCheck, FollowsTheProduct) {
  for (const auto& [soc, expected] : {std::pair{"Ascend910_9362", 4}, {"Ascend950", 0}}) {
    const Outcome outcome =
        run_misuse("device", std::string("ACLGRAD_CHECK=device ACLGRAD_SOC=") + soc);
    EXPECT_EQ(sentences(outcome.output).size(), expected) << outcome.output;
  }
  EXPECT_THAT(sentences(run_misuse("device", "ACLGRAD_CHECK=device ACLGRAD_SOC=Ascend310P").output),
              ElementsAre(HasSubstr("aclnnForeachMulScalarV2: on 310P this is never called")));
}

TEST(DeviceCheck, IsNoneOfAll) {
  for (const char* const checks : {"ACLGRAD_CHECK=all", "ACLGRAD_LOG=text", "ACLGRAD_CHECK="}) {
    EXPECT_THAT(sentences(run_misuse("device", checks).output), IsEmpty()) << checks;
  }
}

TEST(DeviceCheck, StandsInTheLogBeforeEveryCallThatItIsAbout) {
  const Outcome outcome =
      run_misuse("device", "ACLGRAD_CHECK=device ACLGRAD_CHECK_FILE=/dev/null ACLGRAD_LOG=text");
  // The second call with INT64 indices is told, too.
  EXPECT_EQ(sentences(outcome.output).size(), 6U) << outcome.output;
  const size_t sentence = outcome.output.find("device: aclnnCumsum");
  const size_t call = outcome.output.find("aclnnCumsumGetWorkspaceSize(");
  EXPECT_LT(sentence, call);
  EXPECT_NE(call, std::string::npos);
}

TEST(DeviceCheck, LeavesLinesOfJsonAlone) {
  const Outcome outcome =
      run_misuse("device", "ACLGRAD_CHECK=device ACLGRAD_CHECK_FILE=/dev/null ACLGRAD_LOG=json");
  EXPECT_THAT(outcome.output, Not(HasSubstr("aclgrad:")));
}

}  // namespace
}  // namespace aclgrad::test
