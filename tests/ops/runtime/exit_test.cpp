// SPDX-License-Identifier: Apache-2.0
// Programs that end without cleaning up must still end well.
#include <cstdlib>
#include <thread>
#include <vector>

#include "support.h"

namespace aclgrad::test {
namespace {

class ExitDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

// Everything alive and busy: two streams with work, one waiting, events, memory.
void leave_everything_behind() {
  if (aclrtSetDevice(0) != ACL_SUCCESS) std::exit(1);
  aclrtStream busy = nullptr;
  aclrtStream waiting = nullptr;
  aclrtEvent event = nullptr;
  void* memory = nullptr;
  aclrtCreateStream(&busy);
  aclrtCreateStream(&waiting);
  aclrtCreateEvent(&event);
  aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
  for (int i = 0; i < 100; ++i) {
    launch(busy, [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return ACL_SUCCESS;
    });
  }
  aclrtRecordEvent(event, busy);
  aclrtStreamWaitEventWithTimeout(waiting, event, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

TEST_F(ExitDeathTest, ForgottenStreamsDoNotMatter) {
  EXPECT_EXIT(
      {
        leave_everything_behind();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ExitDeathTest, TasksDoNotRunIntoDestroyedStatics) {
  EXPECT_EXIT(
      {
        // Destroyed at exit; a task that ran later would find it empty and abort.
        static std::vector<int>& numbers = *new std::vector<int>(1000, 1);
        static const struct Clearer {
          ~Clearer() { numbers.clear(); }
        } clearer;
        aclrtSetDevice(0);
        for (int i = 0; i < 1000; ++i) {
          launch(nullptr, [] {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (numbers.size() != 1000) std::abort();
            return ACL_SUCCESS;
          });
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ExitDeathTest, ATaskMayEndTheProcess) {
  EXPECT_EXIT(
      {
        aclrtSetDevice(0);
        launch(nullptr, []() -> aclError { std::exit(3); });
        aclrtSynchronizeStreamWithTimeout(nullptr, -1);
        std::exit(0);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(ExitDeathTest, TheProperOrderWorksToo) {
  EXPECT_EXIT(
      {
        leave_everything_behind();
        const bool good = aclrtResetDeviceForce(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS;
        std::exit(good ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace aclgrad::test
