// SPDX-License-Identifier: Apache-2.0
#include "bench/scale/measure.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "bench/process.h"
#include "bench/workload.h"

namespace aclgrad::bench {
namespace {

namespace fs = std::filesystem;

// MPI's launcher, and the script that starts it on this machine alone. Empty where MPI is not.
constexpr const char* kMpiexec = ACLGRAD_MPIEXEC;
constexpr const char* kLauncher = ACLGRAD_MPIRUN_SCRIPT;

// Buckets that are smaller than the default, for a workload that would have only one.
constexpr std::int64_t kSmallBucket = std::int64_t{128} << 10;

std::string program(const char* name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

// The program's output, run by as many processes.
std::string run(int processes, const std::vector<std::string>& command) {
  std::vector<std::string> arguments = command;
  if (processes > 1) {
    arguments = {"/bin/bash", kLauncher, kMpiexec, std::to_string(processes)};
    arguments.insert(arguments.end(), command.begin(), command.end());
  }
  return Process(arguments, {}).finish();
}

nlohmann::json run_steps(Way way, int ranks, const std::string& workload, std::int64_t examples,
                         std::int64_t bucket_bytes, const Effort& effort) {
  std::vector<std::string> command = {
      program("scale_step"),          workload,
      std::to_string(examples),       std::to_string(bucket_bytes),
      std::to_string(effort.seconds), std::to_string(effort.timelines)};
  if (way == Way::threads) command.push_back(std::to_string(ranks));
  return nlohmann::json::parse(run(way == Way::processes ? ranks : 1, command));
}

StepTime measure_step(StepTime wanted, const Effort& effort) {
  const nlohmann::json report = run_steps(wanted.way, wanted.ranks, wanted.workload,
                                          wanted.examples, wanted.bucket_bytes, effort);
  if (report.at("ranks") != wanted.ranks) {
    throw std::runtime_error("the ranks did not find each other");
  }
  wanted.seconds = report.at("seconds");
  wanted.waiting = report.at("waiting");
  wanted.apart = report.at("apart");
  wanted.exchange = report.at("exchange");
  wanted.hidden = report.at("hidden");
  return wanted;
}

SingleTime measure_single(SingleTime wanted, const Effort& effort) {
  const nlohmann::json report =
      run_steps(Way::processes, 1, wanted.workload, wanted.examples, wanted.bucket_bytes, effort);
  wanted.seconds = report.at("seconds");
  wanted.rest = report.at("rest");
  for (const nlohmann::json& bucket : report.at("buckets")) {
    wanted.buckets.push_back({bucket.at("bytes"), bucket.at("share"), bucket.at("copy")});
  }
  return wanted;
}

void add_messages(Measurement& result, int ranks, const Effort& effort) {
  std::istringstream lines(run(ranks, {program("message_size"), std::to_string(effort.largest),
                                       std::to_string(effort.rounds)}));
  std::string line;
  std::getline(lines, line);  // the columns' names
  while (std::getline(lines, line)) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    if (line.starts_with("transfers")) {
      TransferTime time{.ranks = ranks};
      std::string word;
      words >> word >> time.count >> time.seconds;
      time.seconds *= 1e-6;
      result.transfers.push_back(time);
    } else {
      MessageTime time{.ranks = ranks};
      double ratio = 0;
      words >> time.bytes >> time.mpi >> time.all_reduce >> ratio >> time.reduce_scatter >>
          time.all_gather;
      for (double* each : {&time.mpi, &time.all_reduce, &time.reduce_scatter, &time.all_gather}) {
        *each *= 1e-6;
      }
      result.messages.push_back(time);
    }
    if (!words) throw std::runtime_error("message_size printed: " + line);
  }
}

// The batch, the parts of it that ranks get, and less.
std::vector<std::int64_t> examples_of(std::int64_t batch) {
  std::vector<std::int64_t> all;
  for (const std::int64_t part : {1, 2, 4, 16, 128}) {
    if (batch / part > 0) all.push_back(batch / part);
  }
  return all;
}

// The default; and a smaller one, where the default leaves nothing to overlap.
std::vector<std::int64_t> buckets_of(const Workload& workload) {
  std::int64_t parameters = 0;
  for (const Layer& layer : workload.layers) parameters += (layer.in + 1) * layer.out;
  if (parameters * static_cast<std::int64_t>(sizeof(float)) > kDefaultBucket) {
    return {kDefaultBucket};
  }
  return {kDefaultBucket, kSmallBucket};
}

// What is to be measured of a workload.
void plan(Measurement& result, const std::string& name, const std::vector<int>& ranks,
          const Effort& effort) {
  const std::int64_t batch = std::max<std::int64_t>(1, workload(name).batch / effort.divisor);
  const Way usual = result.has_processes ? Way::processes : Way::threads;
  for (const std::int64_t bucket : buckets_of(workload(name))) {
    for (const std::int64_t examples : examples_of(batch)) {
      result.singles.push_back({.workload = name, .examples = examples, .bucket_bytes = bucket});
    }
    for (const int count : ranks) {
      for (const Way way : {Way::processes, Way::threads}) {
        if (way != usual && (bucket != kDefaultBucket || way == Way::processes)) continue;
        const std::int64_t part = std::max<std::int64_t>(1, batch / count);
        for (const Scaling scaling : {Scaling::strong, Scaling::weak}) {
          result.steps.push_back({.workload = name,
                                  .scaling = scaling,
                                  .way = way,
                                  .ranks = count,
                                  .examples = scaling == Scaling::weak ? batch : part,
                                  .bucket_bytes = bucket});
        }
      }
    }
  }
}

void keep_least(Measurement& kept, const Measurement& measured) {
  if (kept.messages.empty()) {
    kept.messages = measured.messages;
    kept.transfers = measured.transfers;
  }
  for (std::size_t i = 0; i < kept.messages.size(); ++i) {
    for (double MessageTime::*each : {&MessageTime::mpi, &MessageTime::all_reduce,
                                      &MessageTime::reduce_scatter, &MessageTime::all_gather}) {
      kept.messages[i].*each = std::min(kept.messages[i].*each, measured.messages.at(i).*each);
    }
  }
  for (std::size_t i = 0; i < kept.transfers.size(); ++i) {
    kept.transfers[i].seconds =
        std::min(kept.transfers[i].seconds, measured.transfers.at(i).seconds);
  }
}

}  // namespace

Measurement measure(const std::vector<std::string>& workloads, const std::vector<int>& ranks,
                    const Effort& effort, const Progress& progress) {
  Measurement result{.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
                     .has_processes = *kMpiexec != '\0'};
  for (const std::string& name : workloads) plan(result, name, ranks, effort);
  std::int64_t done = 0;
  const std::size_t kinds =
      result.singles.size() + result.steps.size() + (result.has_processes ? ranks.size() : 0);
  const std::int64_t total = effort.passes * static_cast<std::int64_t>(kinds);
  const auto next = [&](const std::string& what) { progress(done++, total, what); };
  const auto keep_faster = [](auto& kept, const auto& measured) {
    if (kept.seconds == 0 || measured.seconds < kept.seconds) kept = measured;
  };
  for (int pass = 0; pass < effort.passes; ++pass) {
    for (SingleTime& single : result.singles) {
      next(single.workload + ", one rank");
      SingleTime wanted = single;
      wanted.buckets.clear();
      keep_faster(single, measure_single(wanted, effort));
    }
    for (StepTime& step : result.steps) {
      next(step.workload + ", " + std::to_string(step.ranks) +
           (step.way == Way::processes ? " processes" : " threads"));
      keep_faster(step, measure_step(step, effort));
    }
    if (!result.has_processes) continue;
    Measurement messages;
    for (const int count : ranks) {
      next("messages between " + std::to_string(count) + " processes");
      add_messages(messages, count, effort);
    }
    keep_least(result, messages);
  }
  return result;
}

}  // namespace aclgrad::bench
