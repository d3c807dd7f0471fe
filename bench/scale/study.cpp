// SPDX-License-Identifier: Apache-2.0
#include "bench/scale/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bench/workload.h"

namespace aclgrad::bench {
namespace {

// Of the example networks only these two are assumed; what processors do for messages and bytes is
// taken from this machine.
struct Assumed {
  const char* name;
  double bits;  // a second
  double latency;
};
constexpr Assumed kAssumed[] = {{"100 Gbit/s, 10 µs", 100e9, 10e-6},
                                {"25 Gbit/s, 20 µs", 25e9, 20e-6}};

const char* name_of(Scaling scaling) { return scaling == Scaling::weak ? "weak" : "strong"; }

// The line through a part of the steps; a part that never took any time is none.
LinearCost line_of(const std::vector<CostPoint>& points) {
  std::vector<CostPoint> some;
  for (const CostPoint& point : points) {
    if (point.seconds > 0) some.push_back(point);
  }
  return some.empty() ? LinearCost{} : fit_cost(some);
}

StepModel model_from(const std::vector<SingleTime>& singles) {
  StepModel model{singles.front().workload, singles.front().bucket_bytes, {}};
  const auto line = [&](const auto& share) {
    std::vector<CostPoint> points;
    for (const SingleTime& single : singles) {
      points.push_back({static_cast<double>(single.examples), single.seconds * share(single)});
    }
    return line_of(points);
  };
  for (std::size_t k = 0; k < singles.front().buckets.size(); ++k) {
    model.step.buckets.push_back(
        {singles.front().buckets[k].bytes,
         line([k](const SingleTime& single) { return single.buckets.at(k).share; }),
         singles.front().buckets[k].copy});
  }
  model.step.rest = line([](const SingleTime& single) { return single.rest; });
  return model;
}

std::vector<StepModel> models_from(const std::vector<SingleTime>& singles) {
  std::vector<std::vector<SingleTime>> groups;
  for (const SingleTime& single : singles) {
    if (groups.empty() || groups.back().front().workload != single.workload ||
        groups.back().front().bucket_bytes != single.bucket_bytes) {
      groups.emplace_back();
    }
    groups.back().push_back(single);
  }
  std::vector<StepModel> models;
  for (const auto& group : groups) models.push_back(model_from(group));
  return models;
}

std::vector<ExchangeTime> exchanges_of(const Measurement& measurement) {
  std::vector<ExchangeTime> times;
  for (const MessageTime& time : measurement.messages) {
    const auto add = [&](const char* name, Collective collective, double seconds) {
      times.push_back({.what = fmt::format("{} of {}", name, size_text(time.bytes)),
                       .work = work_of(collective, time.bytes, time.ranks),
                       .ranks = time.ranks,
                       .seconds = seconds});
    };
    add("AllReduce", Collective::all_reduce, time.all_reduce);
    add("ReduceScatter", Collective::reduce_scatter, time.reduce_scatter);
    add("AllGather", Collective::all_gather, time.all_gather);
  }
  for (const TransferTime& time : measurement.transfers) {
    times.push_back(
        {.what = fmt::format("Transfers of {} numbers", time.count),
         .work = {.rounds = 1, .messages = static_cast<double>(kMessagesOfTransfer * time.count)},
         .ranks = time.ranks,
         .seconds = time.seconds});
  }
  return times;
}

// How much slower steps are while other ranks compute as well, by their number.
std::map<int, double> slowdowns_of(const Study& study, const Measurement& measurement) {
  std::map<int, std::pair<std::vector<std::vector<double>>, std::vector<double>>> points;
  for (const StepTime& step : measurement.steps) {
    if (step.way != Way::processes) continue;
    const StepModel& model = study.model_of(step.workload, step.bucket_bytes);
    auto& [rows, values] = points[step.ranks];
    rows.push_back({model.step.alone(static_cast<double>(step.examples))});
    values.push_back(step.apart);
  }
  std::map<int, double> slowdowns;
  for (const auto& [ranks, fitted] : points) {
    slowdowns[ranks] = fit(fitted.first, fitted.second).front();
  }
  return slowdowns;
}

void add_residuals(Study& study, const Measurement& measurement) {
  for (const SingleTime& single : measurement.singles) {
    if (single.bucket_bytes != kDefaultBucket) continue;
    const StepModel& model = study.model_of(single.workload, single.bucket_bytes);
    study.computing.push_back({fmt::format("{}, {} example{}", single.workload, single.examples,
                                           single.examples == 1 ? "" : "s"),
                               single.seconds,
                               model.step.alone(static_cast<double>(single.examples))});
  }
  if (!study.here) return;
  for (const ExchangeTime& time : exchanges_of(measurement)) {
    study.exchanging.push_back(
        {fmt::format("{}, {} ranks", time.what, time.ranks), time.seconds,
         seconds_of(*study.here, time.work, oversubscription(time.ranks, measurement.cores))});
  }
  for (const StepTime& step : measurement.steps) {
    if (step.way != Way::processes) continue;
    const StepModel& model = study.model_of(step.workload, step.bucket_bytes);
    const Placing placing{.ranks = step.ranks,
                          .examples = static_cast<double>(step.examples),
                          .slowdown = study.slowdowns.at(step.ranks),
                          .oversubscription = oversubscription(step.ranks, measurement.cores),
                          .overlaps = 2 * step.ranks <= measurement.cores};
    study.stepping.push_back(
        {fmt::format("{}, {}, {} ranks, buckets of {}", step.workload, name_of(step.scaling),
                     step.ranks, size_text(static_cast<double>(step.bucket_bytes))),
         step.seconds, seconds_of(model.step, *study.here, placing)});
  }
}

Forecast forecast(const StepModel& model, double batch, Scaling scaling, const Network& network) {
  Forecast result{model.workload, scaling, network.name, {}};
  const double alone = model.step.alone(batch);
  for (int ranks = 1; ranks <= kMaxRanks; ranks *= 2) {
    const double examples = scaling == Scaling::weak ? batch : batch / ranks;
    if (examples < 1) break;
    const double seconds = seconds_of(model.step, network, {.ranks = ranks, .examples = examples});
    const double work = scaling == Scaling::weak ? 1 : ranks;
    result.points.push_back({ranks, examples, seconds, alone / (work * seconds)});
  }
  return result;
}

}  // namespace

const StepModel& Study::model_of(const std::string& workload, std::int64_t bucket_bytes) const {
  const auto found = std::ranges::find_if(steps, [&](const StepModel& model) {
    return model.workload == workload && model.bucket_bytes == bucket_bytes;
  });
  if (found == steps.end()) throw std::invalid_argument("no step of " + workload);
  return *found;
}

Study study(const Measurement& measurement) {
  Study result;
  result.steps = models_from(measurement.singles);
  if (!measurement.messages.empty()) {
    result.here = fit_network(exchanges_of(measurement), measurement.cores);
    result.here->name = "this machine's memory";
    result.networks.push_back(*result.here);
    for (const Assumed& assumed : kAssumed) {
      result.networks.push_back({.name = assumed.name,
                                 .round = assumed.latency,
                                 .message = result.here->message,
                                 .byte = 8 / assumed.bits,
                                 .reduce = result.here->reduce});
    }
  }
  result.slowdowns = slowdowns_of(result, measurement);
  add_residuals(result, measurement);
  for (const StepModel& model : result.steps) {
    if (model.bucket_bytes != kDefaultBucket) continue;
    const auto batch = static_cast<double>(workload(model.workload).batch);
    for (const Scaling scaling : {Scaling::weak, Scaling::strong}) {
      for (const Network& network : result.networks) {
        result.forecasts.push_back(forecast(model, batch, scaling, network));
      }
    }
  }
  return result;
}

std::optional<Worst> worst_ratio(const Measurement& measurement, int ranks) {
  std::optional<Worst> worst;
  for (const MessageTime& time : measurement.messages) {
    if (time.ranks != ranks || time.bytes < kPromisedFrom) continue;
    const double ratio = time.all_reduce / time.mpi;
    if (!worst || ratio > worst->ratio) worst = Worst{ratio, time.bytes};
  }
  return worst;
}

std::string size_text(double bytes) {
  if (bytes >= 1048576) return fmt::format("{:.4g} MiB", bytes / 1048576);
  return fmt::format("{:.4g} KiB", bytes / 1024);
}

}  // namespace aclgrad::bench
