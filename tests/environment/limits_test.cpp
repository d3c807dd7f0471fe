// SPDX-License-Identifier: Apache-2.0
// Processes that may have few threads, files, or memory: calls work with less, or fail with a
// status and can be repeated.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "aclgrad/data.h"
#include "aclgrad/distributed/communicator.h"
#include "aclgrad/error.h"
#include "aclgrad/runtime.h"
#include "tests/environment/sample.h"
#include "tests/ops/runtime/support.h"

namespace aclgrad::test {
namespace {

class LimitsDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

// Lowers a limit of the process, and of those it makes, while it lives.
class Limit {
 public:
  Limit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit lower{std::min(value, before_.rlim_max), before_.rlim_max};
    if (setrlimit(resource, &lower) != 0) std::abort();
  }
  ~Limit() { setrlimit(resource_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

// What a child ends with where the system does not know the limit.
constexpr int kNoSuchLimit = 77;

bool passed_or_no_such_limit(int status) {
  return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kNoSuchLimit);
}

// A privileged user may have any number of threads. There may be no other user.
void become_nobody() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) _exit(kNoSuchLimit);
}

bool can_make_a_thread() {
  try {
    std::thread([] {}).join();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

const cases::Row& some_row() { return cases::find_case("aclnnSelu"); }

TEST_F(LimitsDeathTest, WithoutThreadsAStreamSaysSoAndWorksLater) {
  EXPECT_EXIT(
      {
        become_nobody();
        const aclrtStream stream = stream_or_exit();
        {
          const Limit none(RLIMIT_NPROC, 1);
          if (can_make_a_thread()) _exit(kNoSuchLimit);
          if (!fails(launch(stream, [] { return ACL_SUCCESS; }), 207005, {"stream"})) _exit(2);
        }
        PreparedRow row(some_row(), ACL_FLOAT, 64);
        row.run(stream, nullptr);
        _exit(::testing::Test::HasFailure() ? 3 : 0);
      },
      passed_or_no_such_limit, "");
}

// A host function ends the worker, and no new worker can be started.
TEST_F(LimitsDeathTest, WithoutAWorkerAStreamIsDestroyed) {
  EXPECT_EXIT(
      {
        become_nobody();
        alarm(60);
        const aclrtStream stream = stream_or_exit();
        {
          Roadblock block(stream);
          static bool ran = false;
          aclrtLaunchHostFunc(
              stream, [](void*) { pthread_exit(nullptr); }, nullptr);
          aclrtLaunchHostFunc(
              stream, [](void*) { ran = true; }, nullptr);
          const Limit none(RLIMIT_NPROC, 1);
          if (can_make_a_thread()) _exit(kNoSuchLimit);
          block.open();
          if (aclrtDestroyStream(stream) != 0) _exit(2);
          if (ran) _exit(3);
        }
        _exit(0);
      },
      passed_or_no_such_limit, "");
}

// The stream's worker is there, helpers are not.
TEST_F(LimitsDeathTest, WithoutHelpersTheWorkIsDone) {
  EXPECT_EXIT(
      {
        become_nobody();
        const aclrtStream stream = stream_or_exit();
        aclgradSetNumThreads(1);
        PreparedRow row(some_row(), ACL_FLOAT, 2048);
        const std::vector<Bytes> expected = row.run(stream, nullptr);
        aclgradSetNumThreads(8);
        {
          const Limit none(RLIMIT_NPROC, 1);
          if (row.run(stream, nullptr) != expected) _exit(2);
        }
        if (row.run(stream, nullptr) != expected) _exit(3);
        _exit(::testing::Test::HasFailure() ? 4 : 0);
      },
      passed_or_no_such_limit, "");
}

// What needs a thread of its own throws where it gets none, and works later.
TEST_F(LimitsDeathTest, WithoutThreadsLoadersAndRanksSaySoAndWorkLater) {
  EXPECT_EXIT(
      {
        become_nobody();
        alarm(60);
        const data::Batches batches({Tensor::arange(12)}, {.batch_size = 2, .workers = 3});
        data::Loader loader(batches);
        const auto message = [](const auto& work) -> std::string {
          try {
            work();
          } catch (const Error& error) {
            return error.what();
          }
          return {};
        };
        int ranks = 0;
        std::mutex mutex;
        const auto count = [&](const Communicator&) {
          const std::lock_guard lock(mutex);
          ++ranks;
        };
        ensure_devices(2);
        {
          const Limit none(RLIMIT_NPROC, 1);
          if (can_make_a_thread()) _exit(kNoSuchLimit);
          if (message([&] { loader.next(); }).find("of 3 workers could be started") ==
              std::string::npos)
            _exit(2);
          if (message([&] {
                for (const data::Dataset& batch : batches.epoch(0)) static_cast<void>(batch);
              }).empty()) {
            _exit(3);
          }
          if (message([&] { run_ranks(2, count); }).find("of 2 ranks could be started") ==
              std::string::npos)
            _exit(4);
        }
        if (loader.next().size() != 2) _exit(5);
        run_ranks(2, count);
        _exit(ranks == 2 ? 0 : 6);
      },
      passed_or_no_such_limit, "");
}

TEST_F(LimitsDeathTest, NoFileIsNeeded) {
  EXPECT_EXIT(
      {
        const Limit none(RLIMIT_NOFILE, 3);
        const aclrtStream stream = stream_or_exit();
        for (const cases::Row& row : cases::all_cases()) {
          PreparedRow(row, row.dtypes().front(), cases::kTestSize).run(stream, nullptr);
        }
        _exit(::testing::Test::HasFailure() ? 2 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

size_t address_space() {
  std::ifstream pages("/proc/self/statm");
  size_t count = 0;
  pages >> count;
  return count * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(LimitsDeathTest, WithoutAddressSpaceCallsFailAndWorkLater) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs more";
#endif
  EXPECT_EXIT(
      {
        const aclrtStream stream = stream_or_exit();
        PreparedRow row(some_row(), ACL_FLOAT, 64);
        const std::vector<Bytes> expected = row.run(stream, nullptr);
        {
          constexpr size_t kLeft = 16 << 20;
          const Limit little(RLIMIT_AS, address_space() + kLeft);
          void* memory =
              mmap(nullptr, 4 * kLeft, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          if (memory != MAP_FAILED) _exit(kNoSuchLimit);
          memory = nullptr;
          if (!fails(aclrtMalloc(&memory, 2 * kLeft, ACL_MEM_MALLOC_HUGE_FIRST), 207001,
                     {"aclrtMalloc"})) {
            _exit(2);
          }
          if (memory != nullptr) _exit(3);
          if (row.run(stream, nullptr) != expected) _exit(4);
        }
        void* memory = nullptr;
        if (aclrtMalloc(&memory, 32 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != 0) _exit(5);
        _exit(::testing::Test::HasFailure() ? 6 : 0);
      },
      passed_or_no_such_limit, "");
}

// The limit is also what threads get by default.
TEST_F(LimitsDeathTest, SmallStacksAreEnough) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs more";
#endif
  const Limit small(RLIMIT_STACK, 256 << 10);
  EXPECT_EXIT(
      {
        const aclrtStream stream = stream_or_exit();
        aclgradSetNumThreads(2);
        for (const cases::Row* row : a_row_of_each_operator()) {
          for (const aclDataType dtype : row->dtypes()) {
            PreparedRow(*row, dtype, cases::kTestSize).run(stream, nullptr);
          }
          PreparedRow(*row, row->dtypes().front(), 1024).run(stream, nullptr);  // several threads
        }
        _exit(::testing::Test::HasFailure() ? 2 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace aclgrad::test
