// SPDX-License-Identifier: Apache-2.0
// Load: eight host threads on many streams, with random operators, shapes, dtypes and layouts,
// everything checked; memory must stay flat and no handle may be lost. Before, after and meanwhile,
// that processes may be forked and the library initialised again and again.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "aclgrad_ext.h"
#include "tests/cases/run_case.h"
#include "tests/soak/worker.h"

namespace aclgrad::soak {
namespace {

using std::chrono::steady_clock;

int64_t resident_bytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t median(std::vector<int64_t> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

struct Resources {
  uint32_t streams = 0;
  uint32_t events = 0;
  bool operator==(const Resources&) const = default;
};

// What is left to make.
Resources available() {
  Resources left;
  aclrtSetDevice(0);
  aclrtGetStreamAvailableNum(&left.streams);
  aclrtGetEventAvailNum(&left.events);
  aclrtResetDevice(0);
  return left;
}

// "" when the program that the child runs ended well.
std::string fork_and(void (*in_child)(), const char* what) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // rather than hang
    in_child();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? "" : fmt::format("{}: the child ended with {}", what, status);
}

using Rows = std::vector<const cases::Row*>;

// Of operators whose names contain a text.
Rows rows_with(const std::string& text) {
  return cases::cases_of(cases::all_cases(), [&](const cases::Row& row) {
    return row.api().find(text) != std::string::npos;
  });
}

void work_a_little() {
  std::atomic<bool> stop = false;
  const Rows all = rows_with("");
  Worker worker(7, all);
  std::thread thread([&] { worker.work(stop); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  stop = true;
  thread.join();
  if (!worker.problem().empty()) {
    fmt::print(stderr, "{}\n", worker.problem());
    _exit(1);
  }
}

// As documented: the second aclInit is counted and answered 100002, the last finalize releases
// everything, one more answers 100037.
std::string initialise_often(int times) {
  for (int i = 0; i < times; ++i) {
    aclrtStream forgotten = nullptr;
    void* memory = nullptr;
    const aclError statuses[] = {
        aclInit(nullptr) - ACL_SUCCESS,
        aclInit(nullptr) - ACL_ERROR_REPEAT_INITIALIZE,
        aclrtSetDevice(0),
        aclrtCreateStream(&forgotten),
        aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST),
        aclrtMemsetAsync(memory, 4096, 1, 4096, forgotten),
        aclFinalizeReference(nullptr),
        aclFinalize(),
        aclFinalize() - ACL_ERROR_REPEAT_FINALIZE,
        aclrtSynchronizeStream(forgotten) - ACL_ERROR_RT_CONTEXT_NULL,
    };
    aclGetRecentErrMsg();
    for (size_t k = 0; k < std::size(statuses); ++k) {
      if (statuses[k] != 0) return fmt::format("initialisation {}, step {}", i, k);
    }
  }
  return "";
}

std::string soak(int seconds, int threads, const Rows& rows) {
  const Resources before = available();
  std::atomic<bool> stop = false;
  std::vector<Worker> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(static_cast<uint64_t>(i) + 1, rows);
  std::vector<std::thread> running;
  for (Worker& each : workers) running.emplace_back([&] { each.work(stop); });
  std::vector<int64_t> samples;
  std::string problem;
  int forks = 0;
  const auto begin = steady_clock::now();
  while (problem.empty() && steady_clock::now() < begin + std::chrono::seconds(seconds)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    samples.push_back(resident_bytes());
    aclgradSetNumThreads(1 + static_cast<int32_t>(samples.size() % 4));
    if (samples.size() % 10 == 0) {
      problem = fork_and([] {}, "a fork in the middle");
      ++forks;
    }
  }
  stop = true;
  for (std::thread& each : running) each.join();

  Counts counts;
  if (!problem.empty()) return problem;
  for (const Worker& each : workers) {
    if (!each.problem().empty()) return each.problem();
    counts.add(each.counts());
  }
  // The first quarter fills caches.
  const auto quarter = static_cast<ptrdiff_t>(samples.size() / 4);
  const int64_t early = median({samples.begin() + quarter, samples.begin() + 2 * quarter});
  const int64_t late = median({samples.end() - quarter, samples.end()});
  fmt::print(
      "{} threads, {} streams, {} seconds: {} operators checked ({} on several threads), {} "
      "recordings replayed, {} chains of copies, {} host functions, {} streams renewed, {} dead "
      "handles refused, {} forks; resident memory {:.1f} MiB early, {:.1f} MiB late\n",
      threads, threads * 4, seconds, counts.operators, counts.shared, counts.replays, counts.copies,
      counts.callbacks, counts.streams, counts.refusals, forks, static_cast<double>(early) / 0x1p20,
      static_cast<double>(late) / 0x1p20);
  constexpr int64_t kSlack = 8 << 20;
  constexpr int kLongEnough = 600;  // by then tables are made and the heap has its holes
  if (seconds >= kLongEnough && late > early + early / 20 + kSlack) return "memory grew";
  if (available() != before) return "streams or events were lost";
  if (counts.operators == 0) return "nothing was done";
  return ::testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? "a call failed" : "";
}

}  // namespace
}  // namespace aclgrad::soak

int main(int argc, char** argv) {
  using namespace aclgrad::soak;
  ::testing::InitGoogleTest(&argc, argv);
  CLI::App app{"Loads the libraries with random work for a long time."};
  int seconds = 600;
  int threads = 8;
  app.add_option("--seconds", seconds, "How long")->check(CLI::Range(1, 1'000'000));
  app.add_option("--threads", threads, "How many host threads")->check(CLI::Range(1, 64));
  std::string operators;
  app.add_option("--operators", operators, "Only those whose names contain this, such as Foreach");
  CLI11_PARSE(app, argc, argv);

  std::string problem = fork_and(work_a_little, "a fork before the first call");
  const Rows rows = rows_with(operators);
  if (rows.empty()) problem = "no operator's name contains " + operators;
  if (problem.empty()) problem = initialise_often(50);
  if (problem.empty()) problem = soak(seconds, threads, rows);
  if (problem.empty()) problem = initialise_often(50);
  if (problem.empty()) problem = fork_and([] {}, "a fork that only ends");
  fmt::print("{}\n", problem.empty() ? "all went well" : problem);
  return problem.empty() ? 0 : 1;
}
