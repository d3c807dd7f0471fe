// SPDX-License-Identifier: Apache-2.0
// Out of memory, everywhere: each scenario is repeated until every allocation in it has failed
// once. Each time the libraries must answer with a documented status, leave nothing behind, and
// give the right bits the next time.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/faults/scenarios.h"

namespace aclgrad::faults {
namespace {

struct Totals {
  int64_t passages = 0;
  int64_t injected = 0;
  int64_t answered = 0;   // with a status
  int64_t unnoticed = 0;  // the library did without: a message, a helper thread
  int64_t complaints = 0;

  void add(const Totals& other) {
    passages += other.passages;
    injected += other.injected;
    answered += other.answered;
    unnoticed += other.unnoticed;
    complaints += other.complaints;
  }
};

class Tester {
 public:
  explicit Tester(const Scenario& scenario) : scenario_(scenario) {}

  // What a process that has done this before goes through.
  Totals warm() {
    expected_ = pass().results();
    pass();  // caches are full now
    for (int64_t n = 1; fault(n); ++n) {
    }
    return totals_;
  }

  // What the first call of a process goes through, where tables and caches are made: in a process
  // of its own for each fault.
  Totals cold() {
    for (int64_t n = 1;; ++n) {
      int results[2];
      if (pipe(results) != 0) throw std::runtime_error("no pipe");
      std::fflush(nullptr);
      const pid_t child = fork();
      if (child == 0) {
        totals_ = {};
        const bool fired = fault(n, /*again=*/false);
        pass_for_bits();
        if (write(results[1], &totals_, sizeof(totals_)) < 0) _exit(2);
        _exit(fired ? 1 : 0);
      }
      close(results[1]);
      Totals of_child;
      const bool reported = read(results[0], &of_child, sizeof(of_child)) == sizeof(of_child);
      close(results[0]);
      int status = 0;
      waitpid(child, &status, 0);
      if (reported) totals_.add(of_child);
      if (!reported || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        complain(n, fmt::format("the process ended with {}", status));
        return totals_;
      }
      if (WEXITSTATUS(status) == 0) return totals_;
    }
  }

 private:
  Run pass() {
    ++totals_.passages;
    Run run;
    scenario_.pass(run);
    disarm();
    if (!run.complaint().empty()) complain(0, run.complaint());
    return run;
  }

  void pass_for_bits() {
    const Run run = pass();
    if (!run.failed() && expected_.empty()) expected_ = run.results();
    if (run.failed() || run.results() != expected_) complain(0, "the next passage went wrong");
  }

  // False when the scenario makes fewer than n requests.
  bool fault(int64_t n, bool again = true) {
    const int64_t live = live_allocations();
    arm(n);
    const Run run = pass();
    if (!has_fired()) return false;
    ++totals_.injected;
    ++(run.failed() ? totals_.answered : totals_.unnoticed);
    if (!run.failed() && !expected_.empty() && run.results() != expected_) {
      complain(n, "nothing failed, but the results are wrong");
    }
    if (!again) return true;
    pass_for_bits();
    if (live_allocations() > live) look_for_leak(n);
    return true;
  }

  // Caches grow now and then, as when a table of handles gets its first entry; a leak grows every
  // time.
  void look_for_leak(int64_t n) {
    constexpr int kTrials = 100;
    for (int i = 0; i < kTrials; ++i) {
      const int64_t live = live_allocations();
      arm(n);
      pass();
      pass();
      if (live_allocations() <= live) return;
    }
    complain(n, "memory is lost");
  }

  void complain(int64_t n, const std::string& text) {
    ++totals_.complaints;
    fmt::print("{}, allocation {}: {}\n", scenario_.name, n, text);
    std::fflush(stdout);
  }

  const Scenario& scenario_;
  std::vector<unsigned char> expected_;
  Totals totals_;
};

// An operator for each way to plan one: what its tasks keep from run to run is made in the first,
// and they all end alike where there is no memory for it.
bool is_planned_in_its_way(std::string_view name) {
  constexpr std::string_view kOneOfEach[] = {"aclnnKlDivBackward",         // block by block
                                             "aclnnSoftmax",               // row by row
                                             "aclnnReduceSum",             // states of chunks
                                             "aclnnMaxPool2dWithIndices",  // plane by plane
                                             "aclnnMatmul"};
  return std::ranges::count(kOneOfEach, name) > 0;
}

}  // namespace
}  // namespace aclgrad::faults

int main(int argc, char** argv) {
  using namespace aclgrad::faults;
  CLI::App app{"Lets every allocation of the libraries fail once."};
  std::string filter;
  bool list = false;
  app.add_option("--filter", filter, "Only scenarios whose name contains this");
  app.add_flag("--list", list, "Print the counts of every scenario");
  CLI11_PARSE(app, argc, argv);

  exempt_this_thread();
  std::vector<Scenario> scenarios = runtime_scenarios();
  for (Scenario& each : hccl_scenarios()) scenarios.push_back(std::move(each));
  std::vector<Scenario> cold = scenarios;
  for (Scenario& each : operator_scenarios()) {
    if (is_planned_in_its_way(each.name)) cold.push_back(each);
    scenarios.push_back(std::move(each));
  }
  Totals totals;
  const auto count = [&](const Scenario& scenario, const char* how, const Totals& of_one) {
    totals.add(of_one);
    if (list) fmt::print("{}{}: {} faults\n", scenario.name, how, of_one.injected);
  };
  for (const Scenario& each : cold) {
    if (each.name.find(filter) == std::string::npos) continue;
    count(each, " (first time)", Tester(each).cold());
  }
  for (const Scenario& each : scenarios) {
    if (each.name.find(filter) == std::string::npos) continue;
    count(each, "", Tester(each).warm());
  }
  fmt::print(
      "{} scenarios, {} passages: {} faults injected, {} answered with a status, {} done without; "
      "{} "
      "survived, {} complaints\n",
      scenarios.size(), totals.passages, totals.injected, totals.answered, totals.unnoticed,
      totals.answered + totals.unnoticed, totals.complaints);
  return totals.complaints == 0 && totals.injected > 0 ? 0 : 1;
}
