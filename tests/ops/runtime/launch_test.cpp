// SPDX-License-Identifier: Apache-2.0
// The way into streams for operator libraries.
#include "support.h"

namespace aclgrad::test {
namespace {

using Launch = StreamTest;

TEST_F(Launch, NeedsAFunctionAndReleasesInAnyCase) {
  int released = 0;
  const auto release = [](void* argument) { ++*static_cast<int*>(argument); };
  EXPECT_TRUE(fails(aclgradLaunchTask(stream_, "x", nullptr, &released, release), 100000,
                    {"aclgradLaunchTask", "run"}));
  EXPECT_EQ(released, 1);
  const auto run = [](void*) { return ACL_SUCCESS; };
  EXPECT_EQ(aclgradLaunchTask(&released, "x", run, &released, release), 107017);
  EXPECT_EQ(released, 2);
  EXPECT_EQ(aclgradLaunchTask(stream_, nullptr, run, &released, release), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(released, 3);
}

TEST_F(Launch, DescribedTasksAreCheckedLikeOthers) {
  int released = 0;
  const auto release = [](void* argument) { ++*static_cast<int*>(argument); };
  EXPECT_TRUE(
      fails(aclgradLaunchDescribed(stream_, "x", nullptr, &released, release, nullptr, nullptr, 0),
            100000, {"run"}));
  EXPECT_EQ(released, 1);
  EXPECT_EQ(
      aclgradLaunchDescribed(
          stream_, nullptr, [](void*) { return 507015; }, &released, release, nullptr, nullptr, 0),
      ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeStream(stream_), 507015, {"task task"}));
  EXPECT_EQ(released, 2);
}

TEST_F(Launch, WakesStreamsThatAreBeingCapturedToo) {
  ASSERT_EQ(aclmdlRICaptureBegin(stream_, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), ACL_SUCCESS);
  EXPECT_EQ(aclgradWakeStream(stream_), ACL_SUCCESS);
  aclmdlRI model = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(stream_, &model), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRIDestroy(model), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclgrad::test
