// SPDX-License-Identifier: Apache-2.0
// The end of a process in the middle of work: handlers, static objects and other threads may call
// as before. (programs/late_call.cpp does so behind the back of the libraries.)
#include <unistd.h>

#include <atomic>
#include <thread>

#include "aclnnop/aclnn_selu.h"
#include "tests/environment/sample.h"
#include "tests/ops/runtime/support.h"

namespace aclgrad::test {
namespace {

class ExitDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

std::atomic<int> calls = 0;

// Calls both phases without end.
void call_for_ever() {
  const aclrtStream stream = stream_or_exit();
  const testing::Array self(ACL_FLOAT, {64}, {1, -1});
  const testing::Array out(ACL_FLOAT, {64});
  while (true) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    if (aclnnSeluGetWorkspaceSize(self.tensor(), out.tensor(), &size, &executor) != 0) _exit(2);
    if (aclnnSelu(nullptr, 0, executor, stream) != 0) _exit(3);
    const aclError status = aclrtSynchronizeStream(stream);
    if (status != 0 && status != 107023) _exit(4);  // the process ends
    aclGetRecentErrMsg();
    ++calls;
  }
}

TEST_F(ExitDeathTest, OtherThreadsGoOnCalling) {
  for (int round = 0; round < 5; ++round) {
    EXPECT_EXIT(
        {
          for (int i = 0; i < 3; ++i) std::thread(call_for_ever).detach();
          while (calls < 100) usleep(1000);
          std::exit(0);
        },
        ::testing::ExitedWithCode(0), "")
        << round;
  }
}

TEST_F(ExitDeathTest, AStaticObjectMayPlanAndRun) {
  EXPECT_EXIT(
      {
        static struct Owner {
          ~Owner() {
            uint64_t size = 0;
            aclOpExecutor* executor = nullptr;
            if (aclnnSeluGetWorkspaceSize(self->tensor(), out->tensor(), &size, &executor) != 0) {
              _exit(4);
            }
            if (aclnnSelu(nullptr, 0, executor, nullptr) != 0) _exit(5);
          }
          const testing::Array* self;
          const testing::Array* out;
        } owner;
        if (aclrtSetDevice(0) != 0) _exit(1);
        owner.self = new testing::Array(ACL_FLOAT, {64}, {1, -1});
        owner.out = new testing::Array(ACL_FLOAT, {64});
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace aclgrad::test
