// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace aclgrad::bench {
namespace {

// Below this size a call is over before another thread has woken.
constexpr int64_t kMinForThreads = 1 << 20;
constexpr int64_t kLargest = 1 << 24;
constexpr int64_t kSmallProduct = 32 * 16 * 16;

// A figure of every cell that has one.
using Figure = std::function<std::optional<double>(const Result&)>;

struct Figures {
  std::vector<std::pair<double, const Result*>> list = {};

  explicit Figures(const std::vector<Result>& results, const Figure& figure) {
    for (const Result& result : results) {
      if (const auto value = figure(result)) list.emplace_back(*value, &result);
    }
    std::ranges::sort(list);
  }
  double geometric_mean() const {
    double sum = 0;
    for (const auto& [value, result] : list) sum += std::log(value);
    return std::exp(sum / static_cast<double>(list.size()));
  }
};

// Every figure must reach `least`; `why` says what stood in the way when this was written.
Bar every(std::string promise, const Figures& figures, double least, const char* why = "") {
  if (figures.list.empty()) return {std::move(promise), "not measured", std::nullopt};
  const auto& [lowest, result] = figures.list.front();
  const auto reached = std::ranges::count_if(
      figures.list, [&](const auto& entry) { return entry.first >= least * (1 - kNoise); });
  return {std::move(promise),
          fmt::format("{} of {} cells; least {:.2f} ({})", reached, figures.list.size(), lowest,
                      result->cell.name()),
          static_cast<size_t>(reached) == figures.list.size(), why};
}

// No figure may pass `most`.
Bar none_above(std::string promise, const Figures& figures, double most, const char* why = "") {
  if (figures.list.empty()) return {std::move(promise), "not measured", std::nullopt};
  const auto& [highest, result] = figures.list.back();
  const auto kept = std::ranges::count_if(
      figures.list, [&](const auto& entry) { return entry.first <= most * (1 + kNoise); });
  return {std::move(promise),
          fmt::format("{} of {} cells; most {:.2f} ({})", kept, figures.list.size(), highest,
                      result->cell.name()),
          static_cast<size_t>(kept) == figures.list.size(), why};
}

// On the mean; says too what it would be if ours were as fast as the memory's limit.
Bar mean(std::string promise, const Figures& figures, double least, const char* why = "") {
  if (figures.list.empty()) return {std::move(promise), "not measured", std::nullopt};
  const double value = figures.geometric_mean();
  double possible = 0;
  for (const auto& [ratio, result] : figures.list) {
    possible += std::log(ratio * result->ours() / result->limit());
  }
  possible = std::exp(possible / static_cast<double>(figures.list.size()));
  return {std::move(promise),
          fmt::format("{:.2f} over {} cells, {:.2f} to {:.2f}; the memory's limit would be {:.2f}",
                      value, figures.list.size(), figures.list.front().first,
                      figures.list.back().first, possible),
          value >= least * (1 - kNoise), why};
}

Bar at_most(std::string promise, double seconds, double bound) {
  return {std::move(promise), fmt::format("{:.2f} µs", seconds * 1e6),
          seconds <= bound * (1 + kNoise)};
}

std::optional<double> against_peer(const Result& result) {
  const auto* peer = result.best_peer();
  if (peer == nullptr) return std::nullopt;
  return peer->second / result.ours();
}

// Of cells that `wanted` accepts, on one thread and with normal data.
Figure against_peer(std::function<bool(const Cell&)> wanted) {
  return [wanted = std::move(wanted)](const Result& result) -> std::optional<double> {
    const Cell& cell = result.cell;
    if (cell.threads != 1 || !wanted(cell)) return std::nullopt;
    return against_peer(result);
  };
}

std::optional<double> against(const Result& result, const char* contender) {
  const auto found = result.seconds.find(contender);
  if (found == result.seconds.end()) return std::nullopt;
  return found->second / result.ours();
}

bool is_geglu(const Cell& cell, bool backward) {
  return cell.operation->group == Group::geglu && cell.layout == Layout::contiguous &&
         cell.operation->name.starts_with("GeGluBackward") == backward;
}

std::vector<Bar> against_peers(const std::vector<Result>& results) {
  const auto bar_of = [&](auto wanted) { return Figures(results, against_peer(wanted)); };
  return {
      every("elementwise operators: at least as fast as the best peer in every cell, 1 thread",
            bar_of([](const Cell& cell) { return cell.operation->elementwise(); }), 1,
            "16-bit results are the nearest elements, and those in FLOAT within a unit in the last "
            "place: that takes more operations than the peers' formulas"),
      mean("GELU and GEGLU: geometric mean at least 3 times the best peer",
           bar_of([](const Cell& cell) {
             return (cell.operation->group == Group::gelu ||
                     cell.operation->group == Group::geglu) &&
                    cell.layout == Layout::contiguous;
           }),
           3),
      mean("ELU (alpha, scale, inputScale 1) and SELU: geometric mean at least 1.5 times the best "
           "peer",
           bar_of([](const Cell& cell) {
             return cell.operation->group == Group::elu && cell.layout == Layout::contiguous;
           }),
           1.5,
           "in FLOAT the exponential and all products keep half as many digits again, and vectors "
           "are looked over for what a formula cannot say"),
      mean(
          "GEGLU forward: at least 8 times the framework's composition",
          bar_of([](const Cell& cell) { return is_geglu(cell, false); }), 8,
          "in FLOAT the composition is made of vectors, too, and loses only what it stores between "
          "its parts"),
      mean("GEGLU backward: at least 8 times the framework's composition",
           bar_of([](const Cell& cell) { return is_geglu(cell, true); }), 8),
      every("training operators: at least as fast as the best peer in every cell, 1 thread",
            bar_of([](const Cell& cell) {
              return cell.operation->group == Group::training ||
                     cell.operation->group == Group::optimizer;
            }),
            1, "sums are added in double"),
  };
}

std::vector<Bar> against_memory(const std::vector<Result>& results) {
  const Figures elementwise(results, [](const Result& result) -> std::optional<double> {
    const Cell& cell = result.cell;
    if (!cell.operation->elementwise() || cell.dtype != ACL_FLOAT || cell.threads != 1 ||
        cell.elements() != kLargest) {
      return std::nullopt;
    }
    return against(result, kNonTemporal);
  });
  const Figures optimizer(results, [](const Result& result) -> std::optional<double> {
    const Cell& cell = result.cell;
    if (cell.operation->group != Group::optimizer || cell.threads != 1 ||
        cell.elements() != kLargest || result.limit() == 0) {
      return std::nullopt;
    }
    return result.limit() / result.ours();
  });
  const Figures threads(results, [&](const Result& result) -> std::optional<double> {
    const Cell& cell = result.cell;
    if (cell.threads == 1 || !cell.operation->elementwise() || cell.elements() < kMinForThreads ||
        result.limit() == 0) {
      return std::nullopt;
    }
    Cell alone = cell;
    alone.threads = 1;
    const Result* single = find(results, alone);
    // Bound by memory: even the bare passes would not be twice as fast as one thread of ours.
    if (single == nullptr || result.limit() * 2 > single->ours()) return std::nullopt;
    return single->ours() / result.ours() / cell.threads;
  });
  const Figures layouts(results, [&](const Result& result) -> std::optional<double> {
    const Cell& cell = result.cell;
    if (cell.threads != 1 ||
        (cell.layout != Layout::strided && cell.layout != Layout::transposed)) {
      return std::nullopt;
    }
    Cell plain = cell;
    plain.layout = Layout::contiguous;
    const Result* contiguous = find(results, plain);
    if (contiguous == nullptr) return std::nullopt;
    return result.ours() / contiguous->ours();
  });
  return {
      every("16M FLOAT, 1 thread: at least 0.9 of the memory's limit with non-temporal stores",
            elementwise, 0.9,
            "formulas of 20 operations a vector and more take longer than memory"),
      every("AdamW on 16M parameters: at least 0.9 of the memory's limit", optimizer, 0.9,
            "a root and a quotient for each parameter take longer than memory"),
      every("all threads, where memory is not the limit: at least 0.9 of as many times one "
            "thread's speed (2 threads: 1.8)",
            threads, 0.9,
            "10 to 50 µs of work are over before a second core that slept is under way, and on a "
            "machine that others share it may not be free"),
      none_above("strided and transposed views: at most 3 times the time of contiguous tensors",
                 layouts, 3, "where contiguous tensors are copied at the speed of the caches"),
  };
}

std::vector<Bar> products(const std::vector<Result>& results) {
  const auto figures = [&](bool small, auto value) {
    return Figures(results, [=](const Result& result) -> std::optional<double> {
      const Cell& cell = result.cell;
      if (cell.operation->group != Group::matmul || cell.threads != 1 ||
          (cell.elements() == kSmallProduct) != small || !result.seconds.contains(kOneDnn)) {
        return std::nullopt;
      }
      return value(result.ours(), result.seconds.at(kOneDnn));
    });
  };
  return {none_above("matrix products: at most 1.05 of oneDNN's time",
                     figures(false, [](double ours, double bare) { return ours / bare; }), 1.05,
                     "in BFLOAT16 oneDNN adds two terms at a time: "
                     "[decision 8](decisions/0008-own-products-and-threads.md)"),
          none_above("matrix product 32x16x16: at most 0.3 µs above oneDNN",
                     figures(true, [](double ours, double bare) { return (ours - bare) * 1e6; }),
                     0.3, "a launch and the wait for it, which a bare primitive does without")};
}

}  // namespace

const Result* find(const std::vector<Result>& results, const Cell& cell) {
  const auto found = std::ranges::find_if(results, [&](const Result& result) {
    const Cell& other = result.cell;
    return other.operation == cell.operation && other.dtype == cell.dtype &&
           other.size == cell.size && other.layout == cell.layout && other.threads == cell.threads;
  });
  return found == results.end() ? nullptr : &*found;
}

std::vector<Bar> bars(const std::vector<Result>& results, const LaunchTimes& launch) {
  std::vector<Bar> list = against_peers(results);
  for (const auto& more : {against_memory(results), products(results)}) {
    list.insert(list.end(), more.begin(), more.end());
  }
  list.push_back(at_most("phase two of a repeatable executor and the wait, 16 elements: 0.5 µs",
                         launch.phase_two, 0.5e-6));
  list.push_back(at_most("phase one, 16 elements: 1 µs", launch.phase_one, 1e-6));
  return list;
}

std::vector<Bar> all_bars(const Report& report) {
  std::vector<Bar> list = bars(report.results, report.launch);
  const std::vector<Bar> level = level_bars(report.levels);
  list.insert(list.end(), level.begin(), level.end());
  return list;
}

}  // namespace aclgrad::bench
