// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "bench/machine.h"
#include "bench/scale/report.h"
#include "bench/workload.h"

namespace aclgrad::bench {
namespace {

// The first `texts` columns are words, the others numbers.
std::string table(const std::vector<std::string>& heads, std::size_t texts, const Rows& rows) {
  if (rows.empty()) return "Not measured.\n";
  std::string text = fmt::format("| {} |\n|", fmt::join(heads, " | "));
  for (std::size_t i = 0; i < heads.size(); ++i) text += i < texts ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : rows) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

constexpr const char* kHow = R"(
* A step is forward, loss, backward, the exchange of gradients and the update, in float32, on one
  thread a rank. It takes as long as its slowest rank; given is the median of about {} s of steps.
  "Waiting" is the same with `DataParallelOptions::overlap` off; the two take turns. "No exchange" is the
  mean of as many steps that every rank takes for itself, all at the same time.
* Strong scaling: the ranks share the workload's batch. Weak: each has a whole one. Efficiency is the
  examples that a rank trains in a second, against those of one rank with the workload's batch.
* "Exchange" is the time of the exchange in a step and includes the wait for ranks that come later;
  "hidden" is the share of it during which operators ran as well (`Session::timeline`, median over {}
  runs of every rank). A bucket that is ready last of all cannot be hidden.
* Everything was measured {} times, one after the other; the least disturbed time is given: of each step
  the pass in which it took least, of each message the least of each of its times.
* Processes are started by `mpirun` on this machine alone; threads are ranks of one process.
{}
{}

## What {} core{} can show, and cannot

* Ranks up to that number have a core each. But a rank also has a thread that moves and adds the
  bytes of the exchange, and there is no core left for it: time that is hidden is taken from
  computing. Overlap here shows that both go on at the same time, not that a step becomes shorter.
* More ranks share the cores and are **not** expected to be faster: they show that it works, and what
  it costs to take turns. Their exchange is mostly waiting for the other ranks' turn.
* There is no network. Messages go through the memory of one machine, so their latency and bandwidth
  are those of this memory; nothing below about other networks was measured.

)";

constexpr const char* kPriority =
    "* Other programs were running; these had real-time priority (`chrt`) over them.\n";

bool has_priority() {
  const int policy = sched_getscheduler(0);
  return policy == SCHED_RR || policy == SCHED_FIFO;
}

constexpr const char* kModel = R"(
Exchanging: AllReduce of *n* bytes over *P* processes is a reduce-scatter and an all-gather in which
every rank talks to every other directly (`ops/hccl/collectives.cpp`). A rank pays for 2
rounds, for 2(*P* - 1) messages and those by which ranks compare what they are at, for 2(*P* - 1)/*P* · *n*
bytes sent, and for (*P* - 1)/*P* · *n* bytes added. Small sums
(`ops/hccl/algorithm.h`) take one round in which every rank sends everything. Where ranks share cores, all
this takes as many times longer as there are ranks for a core, and a round waits for a turn.

Computing: *fixed* + *each* · examples seconds, for each part of a step between two buckets.

A step: buckets in the order of backward, each copied together and exchanged when its last gradient is there
and the bucket before it has arrived, while computing goes on; what is updated waits for its bucket, which
is divided by the number of ranks first. Copying and dividing take what copying so many bytes took
here. On this machine, where no core is left for the exchange, computing waits instead; and it is slower
by what "no exchange" shows, since ranks share memory and cores.

Parameters are those of the least squares of relative deviations, none negative (`bench/scale/model.h`).

)";

constexpr const char* kAssumptions = R"(
What is assumed beyond that:

* A node is one rank on one core of this kind, and has another core for the exchange.
* Only latency and bandwidth of the example networks are assumed; what a message and a reduced byte
  cost a processor is what was fitted here.
* Every node can send and receive at its full bandwidth at the same time, with any other: no
  switch is too small, nothing collides.
* All nodes are equally fast and none is ever late. Real machines have jitter, which grows with
  their number.
* Every rank has its batch in memory; reading data costs nothing.

)";

std::string percent(double share) { return fmt::format("{:+.0f} %", 100 * share); }

Rows residual_rows(const std::vector<Residual>& residuals) {
  Rows rows;
  for (const Residual& each : residuals) {
    rows.push_back({each.what, fmt::format("{:.3f}", each.measured * 1e3),
                    fmt::format("{:.3f}", each.predicted * 1e3), percent(each.relative())});
  }
  return rows;
}

// Of many: by what they have in common after the size, "AllReduce, 2 ranks".
Rows residual_summary(const std::vector<Residual>& residuals) {
  std::map<std::string, std::vector<double>> groups;
  for (const Residual& each : residuals) {
    const std::string kind = each.what.substr(0, each.what.find(' '));
    groups[kind + each.what.substr(each.what.rfind(','))].push_back(each.relative());
  }
  Rows rows;
  for (auto& [name, all] : groups) {
    std::ranges::sort(all, {}, [](double value) { return std::abs(value); });
    rows.push_back({name, std::to_string(all.size()),
                    fmt::format("{:.0f} %", 100 * std::abs(all[all.size() / 2])),
                    percent(all.back())});
  }
  return rows;
}

Rows line_rows(const Study& study) {
  Rows rows;
  for (const StepModel& model : study.steps) {
    const auto add = [&](const std::string& part, const LinearCost& line, const std::string& copy) {
      rows.push_back({model.workload, size_text(static_cast<double>(model.bucket_bytes)), part,
                      fmt::format("{:.1f}", line.fixed * 1e6),
                      fmt::format("{:.2f}", line.each * 1e6), copy});
    };
    for (std::size_t k = 0; k < model.step.buckets.size(); ++k) {
      const Bucket& bucket = model.step.buckets[k];
      add(fmt::format("until bucket {} ({}) is there", k + 1, size_text(bucket.bytes)),
          bucket.before, fmt::format("{:.0f}", bucket.copy * 1e6));
    }
    add("after it", model.step.rest, "–");
  }
  return rows;
}

constexpr int kShown[] = {2, 4, 16, 64, 128, 256, 1024};

Rows forecast_rows(const Study& study) {
  Rows rows;
  for (const Forecast& forecast : study.forecasts) {
    std::vector<std::string> row = {
        forecast.workload, forecast.scaling == Scaling::weak ? "weak" : "strong", forecast.network};
    for (const int ranks : kShown) {
      const auto found = std::ranges::find(forecast.points, ranks, &Forecast::Point::ranks);
      row.push_back(
          found == forecast.points.end()
              ? "–"
              : fmt::format("{:.2f} ms, {:.0f} %", found->seconds * 1e3, 100 * found->efficiency));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Where the time of the whole gradient's exchange goes.
Rows share_rows(const Study& study) {
  Rows rows;
  const auto micro = [](double seconds) { return fmt::format("{:.0f}", seconds * 1e6); };
  for (const StepModel& model : study.steps) {
    if (model.bucket_bytes != kDefaultBucket) continue;
    for (const Network& network : study.networks) {
      Work sum;
      for (const Bucket& bucket : model.step.buckets) {
        const Work work = work_of(Collective::all_reduce, bucket.bytes, kMaxRanks);
        sum.rounds += work.rounds;
        sum.messages += work.messages;
        sum.bytes += work.bytes;
        sum.reduced += work.reduced;
      }
      rows.push_back({model.workload, network.name, micro(sum.rounds * network.round),
                      micro(sum.messages * network.message), micro(sum.bytes * network.byte),
                      micro(sum.reduced * network.reduce)});
    }
  }
  return rows;
}

std::string measured_part(const Measurement& measurement) {
  std::string text = "## Steps\n\n" + table(kStepHeads, 3, step_rows(measurement));
  text +=
      "\n## Messages\n\nA sum of float32 numbers over all processes, issued and waited for.\n\n";
  Rows promised;
  for (const Promise& each : promises(measurement)) {
    const std::string word = each.verdict == "fails" ? "**fails**" : each.verdict;
    promised.push_back({word, each.text, each.measured});
  }
  text += table({"", "promise", "measured"}, 3, promised) + "\n";
  return text + table(kMessageHeads, 0, message_rows(measurement));
}

std::string model_part(const Study& study) {
  std::string text = std::string("\n## The model\n") + kModel;
  text += table(kNetworkHeads, 1, network_rows(study)) + "\n";
  text +=
      table({"workload", "buckets of", "part of a step", "µs fixed", "µs an example", "µs to copy"},
            3, line_rows(study));
  std::vector<std::string> slowdowns;
  for (const auto& [ranks, slowdown] : study.slowdowns) {
    slowdowns.push_back(fmt::format("{:.2f} on {} ranks", slowdown, ranks));
  }
  text += fmt::format("\nTimes as long as on one rank, computing takes: {}.\n",
                      fmt::join(slowdowns, ", "));
  text += kAssumptions;
  text +=
      "## How well it describes what was measured\n\nSteps on several processes, which the "
      "fit did not use:\n\n";
  const std::vector<std::string> heads = {"", "ms measured", "ms by the model", "off by"};
  text += table(heads, 1, residual_rows(study.stepping));
  text += "\nSteps on one rank, and exchanges, to which it was fitted:\n\n";
  text += table(heads, 1, residual_rows(study.computing)) + "\n";
  text += table({"exchange", "sizes", "off by, typically", "at most"}, 1,
                residual_summary(study.exchanging));
  return text;
}

std::string predicted_part(const Study& study, const std::string& chart) {
  std::string text = fmt::format(
      "\n## What it predicts\n\n![efficiency against the number of nodes]({})\n\nSteps and "
      "efficiency, by the number of nodes. Strong scaling ends where a node has one example.\n\n",
      chart);
  std::vector<std::string> heads = {"workload", "scaling", "network"};
  for (const int ranks : kShown) heads.push_back(std::to_string(ranks));
  text += table(heads, 3, forecast_rows(study));
  text += fmt::format(
      "\nWhat the exchange of all gradients consists of on {} nodes, in µs. "
      "Rounds are few, since every\nrank talks to every other; with many nodes it is "
      "the messages that cost.\n\n",
      kMaxRanks);
  return text + table({"workload", "network", "rounds", "messages", "bytes", "reducing"}, 2,
                      share_rows(study));
}

}  // namespace

std::string markdown(const Measurement& measurement, const Study& study, const Effort& effort,
                     const std::string& chart) {
  const std::time_t now = std::time(nullptr);
  std::string text = fmt::format(
      "# Scaling of data-parallel training\n\nWritten by `./dev bench scale` on {:%Y-%m-%d}; "
      "nothing here is typed by hand. [How to train on several ranks](how-to/train-in-parallel.md)"
      "\n\n## How it was measured\n\n* Machine: {}, {} core{}. Compiler: g++ {}.",
      fmt::gmtime(now), processor(), measurement.cores, measurement.cores == 1 ? "" : "s",
      __VERSION__);
  Rows trained;
  for (const Workload& each : workloads()) {
    const bool used = std::ranges::any_of(
        study.steps, [&](const StepModel& model) { return model.workload == each.name; });
    if (used) trained.push_back({each.name, each.what});
  }
  text += fmt::format(kHow, effort.seconds, effort.timelines, effort.passes,
                      has_priority() ? kPriority : "", table({"workload", "what"}, 2, trained),
                      measurement.cores, measurement.cores == 1 ? "" : "s");
  text += measured_part(measurement);
  if (!study.here) return text + "\nWithout MPI there is nothing to fit the model to.\n";
  return text + model_part(study) + predicted_part(study, chart);
}

}  // namespace aclgrad::bench
