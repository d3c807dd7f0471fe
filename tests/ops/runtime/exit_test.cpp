// SPDX-License-Identifier: Apache-2.0
// Programs that end without cleaning up must still end well.
#include <unistd.h>

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

// More work than a test has time for; its end must not be waited for.
aclrtStream stream_with_work() {
  aclrtStream stream = nullptr;
  if (aclrtCreateStream(&stream) != ACL_SUCCESS) std::exit(1);
  for (int i = 0; i < 1000; ++i) {
    launch(stream, [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return ACL_SUCCESS;
    });
  }
  return stream;
}

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

// The object is older than the stream, so it is destroyed after the streams are frozen.
TEST_F(ExitDeathTest, AStaticObjectMayEndWhatItOwns) {
  EXPECT_EXIT(
      {
        alarm(20);
        static struct Owner {
          ~Owner() {
            if (aclrtSynchronizeStream(stream) != 107023) _exit(4);
            if (aclrtSynchronizeStreamWithTimeout(stream, 10000) != 107023) _exit(5);
            if (aclrtDestroyStream(stream) != ACL_SUCCESS) _exit(6);
            if (aclFinalize() != ACL_SUCCESS) _exit(7);
          }
          aclrtStream stream = nullptr;
        } owner;
        if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) std::exit(1);
        owner.stream = stream_with_work();
        stream_with_work();  // for aclFinalize
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(ExitDeathTest, AStaticObjectMayJoinAThreadThatSynchronises) {
  EXPECT_EXIT(
      {
        alarm(20);
        static struct Joiner {
          ~Joiner() { thread.join(); }
          std::thread thread;
        } joiner;
        if (aclrtSetDevice(0) != ACL_SUCCESS) std::exit(1);
        aclrtStream stream = stream_with_work();
        joiner.thread = std::thread([stream] {
          aclrtSetDevice(0);
          if (aclrtSynchronizeStreamWithTimeout(stream, -1) != 107023) _exit(4);
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

// Thread-local objects of the main thread die before static ones.
TEST_F(ExitDeathTest, AStaticObjectMayCallAsBefore) {
  setenv("MALLOC_PERTURB_", "165", 1);  // freed memory must not look as it did
  EXPECT_EXIT(
      {
        static struct Caller {
          ~Caller() {
            const char* text = aclGetRecentErrMsg();
            if (text == nullptr || std::string(text).find("devPtr") == std::string::npos) _exit(4);
            if (aclrtFree(nullptr) != 100000 || aclGetRecentErrMsg() == nullptr) _exit(5);
            if (aclrtMemset(memory, 8, 1, 8) != ACL_SUCCESS) _exit(6);
            if (aclrtDestroyContext(context) != ACL_SUCCESS) _exit(7);
            if (aclrtSynchronizeDevice() != 107002) _exit(8);
            if (aclrtSetDevice(0) != ACL_SUCCESS || aclrtResetDevice(0) != ACL_SUCCESS) _exit(9);
            if (aclrtSynchronizeDevice() != 107002) _exit(10);
          }
          aclrtContext context = nullptr;
          void* memory = nullptr;
        } caller;
        aclrtCreateContext(&caller.context, 0);
        aclrtMalloc(&caller.memory, 8, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtFree(nullptr);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
  unsetenv("MALLOC_PERTURB_");
}

// The thread's first call comes after the object, which the thread therefore destroys later.
TEST(ThreadExit, LateCallsFindNoContext) {
  static aclError in_context = ACL_SUCCESS;
  static aclError as_argument = ACL_SUCCESS;
  static bool left_message = true;
  struct Late {
    ~Late() {
      in_context = aclrtSynchronizeDevice();
      as_argument = aclrtFree(nullptr);
      left_message = aclGetRecentErrMsg() != nullptr;
      aclrtSetDevice(0);
    }
    bool used = false;
  };
  std::thread([] {
    thread_local Late late;
    late.used = true;
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(nullptr), 100000);
  }).join();
  EXPECT_EQ(in_context, 107002);
  EXPECT_EQ(as_argument, 100000);
  EXPECT_FALSE(left_message);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
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
