// SPDX-License-Identifier: Apache-2.0
// Threads that are ended, by pthread_cancel or pthread_exit, in the middle of a call: only they
// end, and what they used goes on.
#include <pthread.h>
#include <unistd.h>

#include "tests/ops/runtime/support.h"

namespace aclgrad::test {
namespace {

// In processes of their own: what goes wrong here is an abort.
class ThreadsDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

void require(bool holds, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d, message: %s\n", line, [] {
    const char* const text = aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
  }());
  _exit(1);
}
#define REQUIRE(holds) require((holds), __LINE__)

void expect_usable(aclrtStream stream) {
  bool ran = false;
  REQUIRE(launch(stream, [&] {
            ran = true;
            return ACL_SUCCESS;
          }) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStreamWithTimeout(stream, 60000) == ACL_SUCCESS);
  REQUIRE(ran);
  REQUIRE(launch(stream, [] { return ACL_SUCCESS; }) == ACL_SUCCESS);
  REQUIRE(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  REQUIRE(aclrtDestroyStream(stream) == ACL_SUCCESS);
  REQUIRE(aclrtResetDeviceForce(0) == ACL_SUCCESS);
}

// Runs the body on a thread of its own, with a device. True when the thread was cancelled.
pthread_t start(std::function<void()> body) {
  pthread_t thread;
  using Body = std::function<void()>;
  const auto run = [](void* argument) -> void* {
    const std::unique_ptr<Body> mine(static_cast<Body*>(argument));
    REQUIRE(aclrtSetDevice(0) == ACL_SUCCESS);
    (*mine)();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, nullptr, run, new Body(std::move(body))) == 0);
  return thread;
}

void* result_of(pthread_t thread) {
  void* result = nullptr;
  REQUIRE(pthread_join(thread, &result) == 0);
  return result;
}

// A thread that waits for work which does not end is cancelled.
void cancel_in(const std::function<aclError(aclrtStream)>& wait) {
  const aclrtStream stream = stream_or_exit();
  {
    Roadblock block(stream);
    const pthread_t waiting = start([&] { wait(stream); });
    REQUIRE(pthread_cancel(waiting) == 0);
    REQUIRE(result_of(waiting) == PTHREAD_CANCELED);
  }
  expect_usable(stream);
  _exit(0);
}

TEST_F(ThreadsDeathTest, MayBeCancelledWhileTheyWaitForAStream) {
  EXPECT_EXIT(cancel_in(aclrtSynchronizeStream), ::testing::ExitedWithCode(0), "");
}

TEST_F(ThreadsDeathTest, MayBeCancelledWhileTheyWaitForAStreamWithATimeout) {
  EXPECT_EXIT(cancel_in([](aclrtStream stream) {
                return aclrtSynchronizeStreamWithTimeout(stream, 600000);
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(ThreadsDeathTest, MayBeCancelledWhileTheyWaitForADevice) {
  EXPECT_EXIT(cancel_in([](aclrtStream) { return aclrtSynchronizeDevice(); }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(ThreadsDeathTest, MayBeCancelledWhileTheyWaitForAnEvent) {
  EXPECT_EXIT(cancel_in([](aclrtStream stream) {
                aclrtEvent event = nullptr;
                REQUIRE(aclrtCreateEvent(&event) == ACL_SUCCESS);
                REQUIRE(aclrtRecordEvent(event, stream) == ACL_SUCCESS);
                return aclrtSynchronizeEvent(event);
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(ThreadsDeathTest, MayBeCancelledWhileTheyWaitForCallbacks) {
  EXPECT_EXIT(cancel_in([](aclrtStream stream) {
                const auto self = static_cast<uint64_t>(pthread_self());
                REQUIRE(aclrtSubscribeReport(self, stream) == ACL_SUCCESS);
                return aclrtProcessReport(-1);
              }),
              ::testing::ExitedWithCode(0), "");
}

// What destroys something is not left halfway.
TEST_F(ThreadsDeathTest, EndAfterAStreamIsDestroyed) {
  EXPECT_EXIT(
      {
        const aclrtStream stream = stream_or_exit();
        aclError destroyed = -1;
        pthread_t ending;
        {
          Roadblock block(stream);
          ending = start([&] {
            destroyed = aclrtDestroyStream(stream);
            pthread_testcancel();
          });
          REQUIRE(pthread_cancel(ending) == 0);
          usleep(20000);
        }
        REQUIRE(result_of(ending) == PTHREAD_CANCELED);
        REQUIRE(destroyed == ACL_SUCCESS);
        REQUIRE(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
        expect_usable(stream_or_exit());
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// A task ends the thread that waits for it and runs it meanwhile.
TEST_F(ThreadsDeathTest, MayBeEndedByATaskThatTheyRun) {
  EXPECT_EXIT(
      {
        const aclrtStream stream = stream_or_exit();
        const pthread_t waiting = start([&] {
          const pthread_t self = pthread_self();
          // Sooner or later it is this thread that runs it, not the stream's worker.
          while (true) {
            REQUIRE(launch(stream, [self] {
                      if (pthread_equal(pthread_self(), self) != 0) pthread_exit(nullptr);
                      return ACL_SUCCESS;
                    }) == ACL_SUCCESS);
            REQUIRE(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
          }
        });
        result_of(waiting);
        REQUIRE(fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INTERNAL_ERROR,
                      {"test task", "thread"}));
        expect_usable(stream);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// What belongs to a task is released once, and the stream goes on.
void end_in_release(void (*end)()) {
  const aclrtStream stream = stream_or_exit();
  static std::atomic<int> releases = 0;
  static pthread_t self;
  static void (*end_thread)();
  end_thread = end;
  int launched = 0;
  result_of(start([&] {
    self = pthread_self();
    const auto release = [](void*) {
      ++releases;
      if (pthread_equal(pthread_self(), self) != 0) end_thread();
    };
    while (true) {
      ++launched;
      REQUIRE(aclgradLaunchTask(
                  stream, "test task", [](void*) -> aclError { return ACL_SUCCESS; }, nullptr,
                  release) == ACL_SUCCESS);
      REQUIRE(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
      pthread_testcancel();
    }
  }));
  aclrtSynchronizeStream(stream);
  clear_errors();
  REQUIRE(releases == launched);
  expect_usable(stream);
  _exit(0);
}

TEST_F(ThreadsDeathTest, MayBeCancelledWhileTheyReleaseATask) {
  EXPECT_EXIT(end_in_release([] {
                pthread_cancel(pthread_self());
                pthread_testcancel();
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST_F(ThreadsDeathTest, MayBeEndedByTheReleaseOfATask) {
  EXPECT_EXIT(end_in_release([] { pthread_exit(nullptr); }), ::testing::ExitedWithCode(0), "");
}

// The rest of the stream's tasks run before it is gone; its reports are not waited for any more.
TEST_F(ThreadsDeathTest, MayBeEndedByATaskOfAStreamThatTheyDestroy) {
  EXPECT_EXIT(
      {
        const aclrtStream other = stream_or_exit();
        static std::atomic<int> ran = 0;
        const auto processing = static_cast<uint64_t>(pthread_self());
        int launched = 0;
        result_of(start([&] {
          const pthread_t self = pthread_self();
          while (true) {
            const aclrtStream stream = stream_or_exit();
            REQUIRE(aclrtSubscribeReport(processing, stream) == ACL_SUCCESS);
            REQUIRE(launch(stream, [self] {
                      if (pthread_equal(pthread_self(), self) != 0) pthread_exit(nullptr);
                      return ACL_SUCCESS;
                    }) == ACL_SUCCESS);
            ++launched;
            REQUIRE(launch(stream, [] {
                      usleep(20000);
                      ++ran;
                      return ACL_SUCCESS;
                    }) == ACL_SUCCESS);
            REQUIRE(aclrtDestroyStream(stream) == ACL_SUCCESS);
          }
        }));
        REQUIRE(ran == launched);
        REQUIRE(aclrtProcessReport(1000) == ACL_ERROR_RT_THREAD_SUBSCRIBE);
        expect_usable(other);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// Others work on their behalf until the last piece is done.
TEST_F(ThreadsDeathTest, AreNotCancelledWhileTheyRunPieces) {
  EXPECT_EXIT(
      {
        static std::atomic<int> ran = 0;
        const pthread_t running = start([] {
          REQUIRE(aclgradSetNumThreads(2) == ACL_SUCCESS);
          REQUIRE(pthread_cancel(pthread_self()) == 0);
          aclgradParallelFor(
              1000,
              [](void*, int64_t) {
                pthread_testcancel();
                ++ran;
              },
              nullptr);
          pthread_testcancel();
        });
        REQUIRE(result_of(running) == PTHREAD_CANCELED);
        REQUIRE(ran == 1000);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// Which is a thread of the library.
TEST_F(ThreadsDeathTest, AHostFunctionMayEndTheThreadThatItFinds) {
  EXPECT_EXIT(
      {
        const aclrtStream stream = stream_or_exit();
        static std::atomic<int> ran = 0;
        const auto count = [](void*) { ++ran; };
        for (int i = 0; i < 3; ++i) {
          REQUIRE(aclrtLaunchHostFunc(
                      stream, [](void*) { pthread_exit(nullptr); }, nullptr) == ACL_SUCCESS);
          REQUIRE(aclrtLaunchHostFunc(stream, count, nullptr) == ACL_SUCCESS);
          REQUIRE(fails(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INTERNAL_ERROR,
                        {"host function", "thread"}));
          REQUIRE(ran == i + 1);
        }
        expect_usable(stream);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(ThreadsDeathTest, ACallbackMayEndTheThreadThatProcessesIt) {
  EXPECT_EXIT(
      {
        const aclrtStream stream = stream_or_exit();
        const pthread_t processing = start([&] {
          const auto self = static_cast<uint64_t>(pthread_self());
          REQUIRE(aclrtSubscribeReport(self, stream) == ACL_SUCCESS);
          REQUIRE(aclrtLaunchCallback([](void*) { pthread_exit(nullptr); }, nullptr,
                                      ACL_CALLBACK_BLOCK, stream) == ACL_SUCCESS);
          aclrtProcessReport(-1);
          _exit(2);
        });
        result_of(processing);
        expect_usable(stream);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// In a recorded model.
TEST_F(ThreadsDeathTest, ATaskOfAModelMayEndItsThread) {
  EXPECT_EXIT(
      {
        const aclrtStream stream = stream_or_exit();
        aclmdlRI model = nullptr;
        REQUIRE(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED) == ACL_SUCCESS);
        REQUIRE(launch(stream, []() -> aclError { pthread_exit(nullptr); }) == ACL_SUCCESS);
        REQUIRE(aclmdlRICaptureEnd(stream, &model) == ACL_SUCCESS);
        result_of(start([&] {
          REQUIRE(aclmdlRIExecuteAsync(model, stream) == ACL_SUCCESS);
          REQUIRE(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
        }));
        aclrtSynchronizeStream(stream);
        clear_errors();
        REQUIRE(aclmdlRIDestroy(model) == ACL_SUCCESS);
        expect_usable(stream);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace aclgrad::test
