// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "aclgrad/report.h"
#include "bench/scale/report.h"

namespace aclgrad::bench {
namespace {

std::string milliseconds(double seconds) { return fmt::format("{:.2f}", seconds * 1e3); }

// The step of the same workload that one rank does with so many examples.
const SingleTime* single_of(const Measurement& measurement, const std::string& workload,
                            std::int64_t examples) {
  const auto found = std::ranges::find_if(measurement.singles, [&](const SingleTime& single) {
    return single.workload == workload && single.examples == examples &&
           single.bucket_bytes == kDefaultBucket;
  });
  return found == measurement.singles.end() ? nullptr : &*found;
}

// Of the workload's whole batch.
std::string efficiency_text(const Measurement& measurement, const StepTime& step) {
  const bool weak = step.scaling == Scaling::weak;
  const SingleTime* alone =
      single_of(measurement, step.workload, weak ? step.examples : step.examples * step.ranks);
  if (alone == nullptr) return "";
  return fmt::format("{:.0f} %", 100 * alone->seconds / (step.seconds * (weak ? 1 : step.ranks)));
}

}  // namespace

const std::vector<std::string> kStepHeads = {
    "workload",  "scaling",    "ranks are",   "ranks",           "examples each", "buckets of",
    "ms a step", "efficiency", "ms, waiting", "ms, no exchange", "ms exchange",   "hidden"};

Rows step_rows(const Measurement& measurement) {
  Rows rows;
  for (const SingleTime& single : measurement.singles) {
    if (single.bucket_bytes != kDefaultBucket) continue;
    rows.push_back({single.workload, "–", "–", "1", std::to_string(single.examples), "–",
                    milliseconds(single.seconds), "–", "–", "–", "–", "–"});
  }
  for (const StepTime& step : measurement.steps) {
    rows.push_back({step.workload, step.scaling == Scaling::weak ? "weak" : "strong",
                    step.way == Way::processes ? "processes" : "threads",
                    std::to_string(step.ranks), std::to_string(step.examples),
                    size_text(static_cast<double>(step.bucket_bytes)), milliseconds(step.seconds),
                    efficiency_text(measurement, step), milliseconds(step.waiting),
                    milliseconds(step.apart), milliseconds(step.exchange),
                    fmt::format("{:.0f} %", 100 * step.hidden)});
  }
  return rows;
}

const std::vector<std::string> kMessageHeads = {"ranks",
                                                "message",
                                                "MPI_Allreduce µs",
                                                "HcclAllReduce µs",
                                                "ratio",
                                                "HcclReduceScatter µs",
                                                "HcclAllGather µs"};

Rows message_rows(const Measurement& measurement) {
  Rows rows;
  const auto micro = [](double seconds) { return fmt::format("{:.1f}", seconds * 1e6); };
  for (const MessageTime& time : measurement.messages) {
    rows.push_back({std::to_string(time.ranks), size_text(time.bytes), micro(time.mpi),
                    micro(time.all_reduce), fmt::format("{:.2f}", time.all_reduce / time.mpi),
                    micro(time.reduce_scatter), micro(time.all_gather)});
  }
  return rows;
}

const std::vector<std::string> kNetworkHeads = {"network", "µs a round",   "µs a message",
                                                "GB/s",    "GB/s reduced", "µs for a turn"};

Rows network_rows(const Study& study) {
  Rows rows;
  const auto micro = [](double seconds) { return fmt::format("{:.2f}", seconds * 1e6); };
  const auto rate = [](double seconds) {
    return seconds > 0 ? fmt::format("{:.1f}", 1e-9 / seconds) : std::string("no limit");
  };
  for (const Network& network : study.networks) {
    const bool here = network.name == study.here->name;
    rows.push_back({network.name, micro(network.round), micro(network.message), rate(network.byte),
                    rate(network.reduce), here ? micro(network.turn) : "–"});
  }
  return rows;
}

std::vector<Promise> promises(const Measurement& measurement) {
  std::set<int> ranks;
  for (const MessageTime& time : measurement.messages) ranks.insert(time.ranks);
  std::vector<Promise> list;
  for (const int count : ranks) {
    const std::optional<Worst> worst = worst_ratio(measurement, count);
    if (!worst) continue;
    list.push_back({worst->ratio <= kPromisedRatio ? "holds" : "fails",
                    fmt::format("sum over {} processes, {} and more: at most {} times "
                                "MPI_Allreduce",
                                count, size_text(kPromisedFrom), kPromisedRatio),
                    fmt::format("{:.2f} at most, for {}", worst->ratio, size_text(worst->bytes))});
  }
  return list;
}

std::string terminal_text(const Measurement& measurement, const Study& study) {
  const auto table = [](const std::vector<std::string>& heads, const Rows& rows) {
    if (rows.empty()) return std::string();
    report::Table text(heads);
    for (const auto& row : rows) text.add_row(row);
    return text.to_string() + "\n";
  };
  Rows promised;
  for (const Promise& each : promises(measurement)) {
    promised.push_back({each.verdict, each.text, each.measured});
  }
  Rows forecasts;
  for (const Forecast& forecast : study.forecasts) {
    const Forecast::Point& last = forecast.points.back();
    forecasts.push_back({forecast.workload, forecast.scaling == Scaling::weak ? "weak" : "strong",
                         forecast.network, std::to_string(last.ranks), milliseconds(last.seconds),
                         fmt::format("{:.0f} %", 100 * last.efficiency)});
  }
  return table(kStepHeads, step_rows(measurement)) +
         table(kMessageHeads, message_rows(measurement)) +
         table({"", "promise", "measured"}, promised) + table(kNetworkHeads, network_rows(study)) +
         table({"workload", "scaling", "network", "ranks", "ms a step, predicted", "efficiency"},
               forecasts);
}

}  // namespace aclgrad::bench
