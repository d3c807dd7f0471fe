// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/measure.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/kernels/limit.h"
#include "bench/kernels/ours.h"
#include "bench/median.h"
#include "bench/peers/peers.h"
#include "bench/prepared.h"
#include "bench/stolen.h"

namespace aclgrad::bench {
namespace {

using Seconds = std::chrono::duration<double>;

// Above this size one call takes longer than a repetition must, and three of them will do.
constexpr int64_t kLarge = 4 << 20;
constexpr int kRepetitionsOfLarge = 3;
// Who needs longer than this to prepare, which includes a first run, is measured only once.
constexpr Seconds kSlow{0.1};

// OpenMP's threads spin for a while after their work, 4 to 5 ms here: the next contender, or
// another process, would have a core less.
void let_threads_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(8)); }

// Keeps the times instead of printing them.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      times_[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                   static_cast<double>(run.iterations));
    }
  }

  std::map<std::string, double> medians() const {
    std::map<std::string, double> result;
    for (const auto& [name, times] : times_) {
      result[name] = median(times);
    }
    return result;
  }

 private:
  std::map<std::string, std::vector<double>> times_;
};

// One repetition of as many calls as Google Benchmark has chosen; seconds_of(count) makes them.
template <class SecondsOf>
void repeat(benchmark::State& state, const SecondsOf& seconds_of) {
  const auto count = state.max_iterations;
  while (state.KeepRunningBatch(count)) state.SetIterationTime(seconds_of(count));
}

void initialize_once() {
  static const bool done = [] {
    // The repetitions of all contenders are shuffled, so that what disturbs hits all alike.
    std::string words[] = {"bench_kernels", "--benchmark_enable_random_interleaving=true"};
    char* argv[] = {words[0].data(), words[1].data(), nullptr};
    int argc = 2;
    benchmark::Initialize(&argc, argv);
    return true;
  }();
  static_cast<void>(done);
}

std::map<std::string, double> run_registered() {
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector, ".");
  benchmark::ClearRegisteredBenchmarks();
  return collector.medians();
}

}  // namespace

void Result::keep_faster(const Result& other) {
  for (auto& [name, time] : seconds) {
    const auto found = other.seconds.find(name);
    if (found != other.seconds.end()) time = std::min(time, found->second);
  }
}

Measurement::Measurement(Effort effort, std::unique_ptr<Worker> worker)
    : effort_(effort), worker_(std::move(worker)) {
  initialize_once();
  if (worker_) worker_name_ = worker_->name();
  require(aclrtSetDevice(0), "aclrtSetDevice");
  require(aclrtCreateStream(&stream_), "aclrtCreateStream");
  contenders_.push_back(ours(stream_));
  contenders_.push_back(onednn());
  if (auto peer = torch()) contenders_.push_back(std::move(peer));
  contenders_.push_back(memory_limit(false));
  contenders_.push_back(memory_limit(true));
}

Measurement::~Measurement() { aclrtDestroyStream(stream_); }

std::vector<std::string> Measurement::peers() const {
  std::vector<std::string> list;
  for (const auto& contender : contenders_) {
    if (!contender->version().empty()) {
      list.push_back(contender->name() + " " + contender->version());
    }
  }
  return list;
}

Result Measurement::run(const Cell& cell, size_t index) {
  const Problem problem = memory_.problem(cell);
  const bool large = cell.elements() > kLarge && cell.operation->group != Group::matmul;
  const int usual =
      large ? std::min(kRepetitionsOfLarge, effort_.repetitions) : effort_.repetitions;
  const auto add = [&](const std::string& name, int repetitions, auto function) {
    return benchmark::RegisterBenchmark(name.c_str(), function)
        ->MinTime(effort_.least_seconds)
        ->Repetitions(repetitions);
  };
  for (const auto& contender : contenders_) {
    contender->set_threads(cell.threads);
    const auto start = std::chrono::steady_clock::now();
    const Call call = contender->prepare(problem);
    if (!call) continue;
    const Seconds preparation = std::chrono::steady_clock::now() - start;
    const auto here = [call, &cell, who = contender.get()](benchmark::State& state) {
      who->set_threads(cell.threads);
      if (cell.threads > 1) let_threads_sleep();
      repeat(state, [&](auto count) { return seconds_of_calls(call, count, cell.threads); });
    };
    add(contender->name(), preparation > kSlow ? 1 : usual, here)->UseManualTime();
  }
  // libtorch's loops over strided elements have no vector code, whatever the setting.
  const bool vectors = cell.layout == Layout::contiguous || cell.layout == Layout::row_broadcast;
  if (worker_ && vectors && worker_->prepare(index)) {
    const auto there = [this, &cell](benchmark::State& state) {
      if (cell.threads > 1) let_threads_sleep();
      repeat(state, [&](auto count) { return worker_->run(count); });
      if (cell.threads > 1) let_threads_sleep();
    };
    add(worker_name_, usual, there)->UseManualTime();
  }
  return {cell, run_registered()};
}

double Measurement::time(const Call& call) {
  benchmark::RegisterBenchmark(
      "call",
      [&](benchmark::State& state) {
        repeat(state, [&](auto count) { return seconds_of_calls(call, count, 1); });
      })
      ->MinTime(10 * effort_.least_seconds)
      ->Repetitions(effort_.repetitions)
      ->UseManualTime();
  return run_registered().at("call");
}

}  // namespace aclgrad::bench
