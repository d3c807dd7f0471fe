// SPDX-License-Identifier: Apache-2.0
#include "bench/train/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/machine.h"

namespace aclgrad::bench {
namespace {

constexpr double kLossTolerance = 1e-4;
// Libraries round to bfloat16 at other places.
constexpr double kBfloat16LossTolerance = 2e-2;

// A step in bfloat16 takes at most so many times as long as in float32.
struct Bfloat16Limits {
  const char* workload;
  const char* float32;
  double with_vectors;  // AVX512_BF16
  double with_tiles;    // AMX
  const char* why = "";
};

constexpr Bfloat16Limits kBfloat16Limits[] = {
    {"W4b", "W4", 0.75, 0.55,
     "products are a third of the step: batch norm, ELU, pooling and the update, which read and "
     "write memory, are most of the rest"},
    {"W5b", "W5", 0.75, 0.55},
};

// The bars of one workload. 0 where there is none. `why` says what stands in the way of those that
// were not reached when this was written.
struct Limits {
  const char* workload;
  double microseconds;   // one thread
  double floor_single;   // times the bare products, one thread
  double floor_double;   // two threads
  double torch;          // times faster than libtorch, one thread
  double second_thread;  // times faster with two threads
  double megabytes;      // 0: half of what libtorch has resident
  const char* why_floor = "";
  const char* why_torch = "";
};

// The fastest of W4 and W5: products 78 and 38 ms on a Xeon with AMX, 93 and 44 on an EPYC; the
// rest 30 and 14, 21 and 8.
constexpr const char* kXeon =
    "products take less time on a Xeon than on an EPYC, where this holds, and what stands beside "
    "them, which memory limits, takes more";

constexpr Limits kLimits[] = {
    {"W1", 5, 0, 0, 15, 1, 25},
    {"W2", 0, 1.12, 1.2, 1.85, 1.7, 32,
     "what stands beside the products, AdamW foremost, gains less from a second thread than they "
     "do"},
    {"W3", 0, 1.08, 1.1, 1.12, 1.7, 80},
    {"W4", 0, 1.3, 1.3, 1.25, 1.7, 0, kXeon},
    {"W5", 0, 1.3, 1.3, 1.4, 1.7, 0, kXeon,
     "libtorch is at less than 1.5 times the bare products, which leave no more than that"},
    {"W6", 0, 0, 0, 1.5, 1.6, 0},
};

const Result* find(const std::vector<Result>& results, const std::string& workload, int threads) {
  const auto found = std::ranges::find_if(results, [&](const Result& result) {
    return result.workload == workload && result.threads == threads;
  });
  return found == results.end() ? nullptr : &*found;
}

Bar unmeasured(std::string promise) { return {std::move(promise), "not measured", std::nullopt}; }

Bar against_floor(const Limits& limits, double bar, int threads, const Result* result) {
  const std::string promise = fmt::format("{}, {} thread{}: at most {} times the bare products",
                                          limits.workload, threads, threads > 1 ? "s" : "", bar);
  if (result == nullptr) return unmeasured(promise);
  const double ratio = times_as_long(result->ours(), result->floor());
  return {promise, fmt::format("{:.2f}", ratio), ratio <= bar * (1 + kNoise), limits.why_floor};
}

Bar against_torch(const Limits& limits, const Result* single) {
  const std::string promise = fmt::format("{}, 1 thread: at least {} times as fast as libtorch",
                                          limits.workload, limits.torch);
  const auto* torch = single == nullptr ? nullptr : single->torch();
  if (torch == nullptr) return unmeasured(promise);
  const double ratio = times_as_long(torch->second, single->ours());
  return {promise, fmt::format("{:.2f} ({})", ratio, torch->first),
          ratio >= limits.torch * (1 - kNoise), limits.why_torch};
}

Bar against_single(const Limits& limits, const Result* single, const Result* pair) {
  const std::string promise =
      limits.second_thread > 1 ? fmt::format("{}: 2 threads at least {} times as fast as one",
                                             limits.workload, limits.second_thread)
                               : fmt::format("{}: 2 threads not slower than one", limits.workload);
  if (single == nullptr || pair == nullptr) return unmeasured(promise);
  const double ratio = times_as_long(single->ours(), pair->ours());
  return {promise, fmt::format("{:.2f}", ratio), ratio >= limits.second_thread * (1 - kNoise)};
}

Bar memory(const Limits& limits, const Result* single) {
  if (limits.megabytes > 0) {
    const std::string promise =
        fmt::format("{}: at most {} MB resident, 1 thread", limits.workload, limits.megabytes);
    if (single == nullptr) return unmeasured(promise);
    const double megabytes = single->ours().peak / 1e6;
    return {promise, fmt::format("{:.1f} MB", megabytes), megabytes <= limits.megabytes};
  }
  const std::string promise =
      fmt::format("{}: at most half of libtorch's memory, 1 thread", limits.workload);
  const auto* torch = single == nullptr ? nullptr : single->torch();
  if (torch == nullptr) return unmeasured(promise);
  const double ratio = single->ours().peak / torch->second.peak;
  return {promise, fmt::format("{:.2f}", ratio), ratio <= 0.5};
}

// One thread, and two. The two rows were not measured by turns, so that their medians count.
void add_bfloat16(const Bfloat16Limits& limits, const std::vector<Result>& results,
                  std::vector<Bar>& list) {
  const bool tiles = has_instructions("amx_bf16");
  if (!tiles && !has_instructions("avx512_bf16")) return;
  const double bar = tiles ? limits.with_tiles : limits.with_vectors;
  for (const int threads : {1, 2}) {
    const std::string promise = fmt::format(
        "{}, {} thread{}: at most {} times as long as {}, with {}", limits.workload, threads,
        threads > 1 ? "s" : "", bar, limits.float32, tiles ? "AMX" : "AVX512_BF16");
    const Result* narrow = find(results, limits.workload, threads);
    const Result* wide = find(results, limits.float32, threads);
    if (narrow == nullptr || wide == nullptr) continue;
    const double ratio = narrow->ours().seconds / wide->ours().seconds;
    list.push_back(
        {promise, fmt::format("{:.2f}", ratio), ratio <= bar * (1 + kNoise), limits.why});
  }
}

}  // namespace

std::vector<Bar> bars(const std::vector<Result>& results) {
  std::vector<Bar> list;
  for (const Limits& limits : kLimits) {
    const Result* single = find(results, limits.workload, 1);
    const Result* pair = find(results, limits.workload, 2);
    if (single == nullptr && pair == nullptr) continue;  // not asked for
    if (limits.microseconds > 0) {
      const std::string promise =
          fmt::format("{}, 1 thread: at most {} µs", limits.workload, limits.microseconds);
      const double taken = single == nullptr ? 0 : single->ours().seconds * 1e6;
      list.push_back(single == nullptr ? unmeasured(promise)
                                       : Bar{promise, fmt::format("{:.2f} µs", taken),
                                             taken <= limits.microseconds});
    }
    if (limits.floor_single > 0) {
      list.push_back(against_floor(limits, limits.floor_single, 1, single));
      list.push_back(against_floor(limits, limits.floor_double, 2, pair));
    }
    list.push_back(against_torch(limits, single));
    list.push_back(against_single(limits, single, pair));
    list.push_back(memory(limits, single));
  }
  for (const Bfloat16Limits& limits : kBfloat16Limits) add_bfloat16(limits, results, list);
  return list;
}

std::vector<std::string> disagreements(const std::vector<Result>& results) {
  std::vector<std::string> lines;
  for (const Result& result : results) {
    const double ours = result.ours().loss.value();
    const double tolerance =
        workload(result.workload).bfloat16 ? kBfloat16LossTolerance : kLossTolerance;
    for (const auto& [name, figures] : result.figures) {
      if (name == kOurs || !figures.loss) continue;
      if (std::abs(*figures.loss - ours) <= tolerance * std::abs(ours)) continue;
      lines.push_back(
          fmt::format("{} with {} thread(s), step {}: our loss is {:.7g}, that of {} {:.7g}",
                      result.workload, result.threads, kCompared, ours, name, *figures.loss));
    }
  }
  return lines;
}

}  // namespace aclgrad::bench
