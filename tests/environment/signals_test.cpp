// SPDX-License-Identifier: Apache-2.0
// The signals of a program are its threads', not the library's.
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/environment/sample.h"
#include "tests/ops/runtime/support.h"

namespace aclgrad::test {
namespace {

void use_every_thread() {
  aclrtStream stream = nullptr;
  if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) _exit(90);
  aclgradSetNumThreads(3);
  if (launch(stream,
             [] {
               aclgradParallelFor(
                   100, [](void*, int64_t) {}, nullptr);
               return ACL_SUCCESS;
             }) != 0 ||
      aclrtSynchronizeStream(stream) != 0) {
    _exit(91);
  }
}

class SignalsDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

// The program blocks the signal only after its first calls.
TEST_F(SignalsDeathTest, AProgramMayWaitForASignalThatItBlocksLate) {
  EXPECT_EXIT(
      {
        use_every_thread();
        sigset_t wanted;
        sigemptyset(&wanted);
        sigaddset(&wanted, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
        kill(getpid(), SIGTERM);
        int got = 0;
        _exit(sigwait(&wanted, &got) == 0 && got == SIGTERM ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// The blocked signals of a thread, by /proc.
uint64_t blocked_by(const std::filesystem::path& thread) {
  std::ifstream status(thread / "status");
  for (std::string word; status >> word;) {
    uint64_t mask = 0;
    if (word == "SigBlk:" && status >> std::hex >> mask) return mask;
  }
  return 0;
}

bool has(uint64_t mask, int signal) { return (mask >> (signal - 1) & 1) != 0; }

// What is wrong with the masks of the threads; 0: nothing.
int compare_masks() {
  int seen = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const uint64_t mask = blocked_by(thread.path());
    if (thread.path().filename() == std::to_string(getpid())) {
      if (mask != 0) return 1;
      continue;
    }
    ++seen;
    for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1, SIGWINCH}) {
      if (!has(mask, each)) return 2;
    }
    // A fault must reach the program's handlers.
    for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      if (has(mask, each)) return 3;
    }
  }
  return seen >= 3 ? 0 : 4;  // a worker and two helpers
}

TEST_F(SignalsDeathTest, LibraryThreadsTakeNone) {
  EXPECT_EXIT(
      {
        use_every_thread();
        // The C library blocks all until a thread has begun.
        for (int look = 0; look < 300 && compare_masks() == 3; ++look) usleep(10000);
        _exit(compare_masks());
      },
      ::testing::ExitedWithCode(0), "");
}

std::atomic<int> g_handled = 0;
std::atomic<int> g_handled_elsewhere = 0;
pthread_t g_main_thread;

void send_alarms() {
  constexpr suseconds_t kEvery = 200;
  const itimerval every{{0, kEvery}, {0, kEvery}};
  setitimer(ITIMER_REAL, &every, nullptr);
}

// Handlers run in the middle of calls, on the program's thread only.
TEST_F(SignalsDeathTest, HandlersDoNotDisturbTheWork) {
  EXPECT_EXIT(
      {
        use_every_thread();
        aclrtStream stream = nullptr;
        if (aclrtCreateStream(&stream) != 0) _exit(1);
        PreparedRow row(cases::all_cases().front(), ACL_FLOAT, 2048);
        const std::vector<Bytes> expected = row.run(stream, nullptr);
        g_main_thread = pthread_self();
        struct sigaction action = {};
        action.sa_handler = [](int) {
          ++g_handled;
          if (pthread_equal(pthread_self(), g_main_thread) == 0) ++g_handled_elsewhere;
        };
        sigaction(SIGALRM, &action, nullptr);
        send_alarms();
        while (g_handled < 50) {
          if (row.run(stream, nullptr) != expected) _exit(2);
        }
        _exit(g_handled_elsewhere == 0 && !::testing::Test::HasFailure() ? 0 : 3);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace aclgrad::test
