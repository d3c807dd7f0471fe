// SPDX-License-Identifier: Apache-2.0
// Tasks that fail: who hears of it, when, and what becomes of later tasks.
#include <atomic>
#include <stdexcept>

#include "support.h"

namespace aclgrad::test {
namespace {

class Failure : public StreamTest {
 protected:
  void launch_failing(aclrtStream stream, aclError status) {
    ASSERT_EQ(launch(stream, [status] { return status; }), ACL_SUCCESS);
  }

  void launch_counting(aclrtStream stream) {
    queue(stream, [this] { ++ran_; });
  }

  std::atomic<int> ran_{0};
};

TEST_F(Failure, IsReportedOnceByTheNextSynchronisation) {
  launch_failing(stream_, 507015);
  EXPECT_TRUE(fails(aclrtSynchronizeStream(stream_), 507015,
                    {"aclrtSynchronizeStream", "test task", "507015"}));
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(Failure, TheFirstOneCounts) {
  launch_failing(stream_, 507015);
  launch_failing(stream_, 507018);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 507015);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(Failure, SurfacesAtTheDeviceToo) {
  launch_failing(stream_, 507015);
  EXPECT_TRUE(fails(aclrtSynchronizeDevice(), 507015, {"aclrtSynchronizeDevice"}));
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  launch_failing(nullptr, 507018);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(1000), 507018);
}

TEST_F(Failure, StaysWithItsStream) {
  const aclrtStream other = new_stream();
  launch_failing(stream_, 507015);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 1000), 507015);
}

TEST_F(Failure, ExceptionsBecomeInternalErrors) {
  ASSERT_EQ(launch(stream_, []() -> aclError { throw std::runtime_error("no luck today"); }),
            ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeStream(stream_), 507000, {"no luck today"}));
  ASSERT_EQ(launch(stream_, []() -> aclError { throw 3; }), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclrtSynchronizeStream(stream_), 507000, {"unknown type"}));
}

TEST_F(Failure, LaterTasksRunByDefault) {
  launch_failing(stream_, 507015);
  launch_counting(stream_);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 507015);
  EXPECT_EQ(ran_, 1);
}

TEST_F(Failure, StopModeDropsLaterTasksUntilSetAgain) {
  ASSERT_EQ(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  launch_counting(stream_);
  launch_failing(stream_, 507015);
  launch_counting(stream_);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 507015);
  EXPECT_EQ(ran_, 1);
  launch_counting(stream_);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 507015) << "stays stopped, and says so";
  EXPECT_EQ(ran_, 1);
  ASSERT_EQ(aclrtSetStreamFailureMode(stream_, ACL_CONTINUE_ON_FAILURE), ACL_SUCCESS);
  launch_counting(stream_);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 507015);
  EXPECT_EQ(ran_, 2);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(Failure, DroppedTasksAreReleasedAndNotWaitedFor) {
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetStreamFailureMode(stream_, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  launch_failing(stream_, 507015);
  int released = 0;
  ASSERT_EQ(aclgradLaunchTask(
                stream_, "x", [](void*) { return ACL_SUCCESS; }, &released,
                [](void* argument) { ++*static_cast<int*>(argument); }),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 507015);
  EXPECT_EQ(released, 1);
}

TEST_F(Failure, IsTheLastErrorOfTheSynchronisingThread) {
  launch_failing(stream_, 507015);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), 507015);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507015);
}

}  // namespace
}  // namespace aclgrad::test
