// SPDX-License-Identifier: Apache-2.0
// usage: [mpirun -n PROCESSES] scale_step WORKLOAD EXAMPLES BUCKET_BYTES SECONDS TIMELINES
// [THREADS]
//        scale_step --about
// With --about it prints, as JSON, what measure.py and model.py have to know. Else it trains a
// workload data-parallel, each rank with EXAMPLES examples and one thread, and prints what a step
// took as a line of JSON:
//
//   seconds    median of the steps of about SECONDS; a step's time is that of its slowest rank
//   waiting    of several ranks: the same where computing waits for the exchange
//   apart      of several ranks: the mean where each trains for itself, all at the same time
//   exchange   seconds of exchange in a step, by Session::timeline: median of TIMELINES of every
//              rank
//   hidden     for how much of that operators ran as well, from 0 to 1
//   buckets    of one rank: bytes of each bucket of gradients, and which share of a step is
//              computed until it is there, after the one before it was
//   rest       of one rank: the share after the last bucket
//
// Ranks are the launcher's processes, or THREADS threads of this one.
#include <aclgrad/distributed.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/median.h"
#include "bench/network.h"
#include "distributed/buckets.h"
#include "ops/hccl/algorithm.h"

namespace {

using namespace aclgrad;
using namespace aclgrad::bench;

struct Wanted {
  std::string workload;
  std::int64_t examples = 0;
  std::size_t bucket_bytes = 0;
  double seconds = 0;
  int timelines = 0;
  int threads = 0;
};

constexpr int kWarmups = 3;
constexpr int kMin = 5;
constexpr int kMax = 2000;

// Of numbers of all ranks, by rank and then as each has them.
std::vector<double> gather(const Communicator& communicator, const std::vector<double>& mine) {
  if (communicator.size() == 1) return mine;
  const std::vector<std::byte> bytes = communicator.all_gather(std::as_bytes(std::span(mine)));
  std::vector<double> all(bytes.size() / sizeof(double));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

// A training step, recorded and planned.
class Training {
 public:
  Training(const Wanted& wanted, const Communicator& communicator, bool overlap)
      : batch_(make_batch(workload(wanted.workload), wanted.examples)),
        x_(graph_.input("x", batch_.features.shape())),
        t_(graph_.input("t", batch_.wanted.shape(), batch_.wanted.dtype())) {
    std::vector<Value> parameters;
    DataParallel parallel(communicator, {.bucket_bytes = wanted.bucket_bytes, .overlap = overlap});
    const auto [loss, gradients] = parallel.average(1, [&](std::int64_t) {
      const Value mine = record_loss(workload(wanted.workload), x_, t_, parameters);
      const Gradients all = backward(mine, parameters);
      for (const auto& [value, gradient] : all) tensors_.push_back(gradient);
      tensors_.push_back(mine);
      return LossAndGradients{mine, all};
    });
    session_.emplace(graph_, std::vector<Fetch>{loss, record_update(workload(wanted.workload),
                                                                    graph_, gradients)});
  }

  double step() {
    const auto start = std::chrono::steady_clock::now();
    session_->run({{x_, batch_.features}, {t_, batch_.wanted}});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  Profile timeline() { return session_->timeline({{x_, batch_.features}, {t_, batch_.wanted}}); }

  const std::vector<Value>& tensors() const { return tensors_; }

 private:
  Batch batch_;
  Graph graph_;
  Value x_;
  Value t_;
  std::vector<Value> tensors_;  // that are exchanged
  std::optional<Session> session_;
};

// The slowest rank's times of steps that all do together.
double typical(const Communicator& communicator, const std::vector<double>& mine) {
  const std::vector<double> all = gather(communicator, mine);
  std::vector<double> slowest(mine.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    slowest[i % mine.size()] = std::max(slowest[i % mine.size()], all[i]);
  }
  return median(slowest);
}

int steps_for(const Communicator& communicator, double seconds, Training& training) {
  double longest = 0;
  for (int i = 0; i < kWarmups; ++i) longest = training.step();
  longest = std::ranges::max(gather(communicator, {longest}));
  return std::clamp(static_cast<int>(seconds / longest), kMin, kMax);
}

void add_steps(nlohmann::json& report, const Wanted& wanted, const Communicator& communicator,
               Training& training) {
  const int steps = steps_for(communicator, wanted.seconds, training);
  if (communicator.size() == 1) {
    std::vector<double> times;
    for (int i = 0; i < steps; ++i) times.push_back(training.step());
    report["seconds"] = median(times);
    return;
  }
  Training waiting(wanted, communicator, false);
  waiting.step();
  std::vector<double> with, without;
  for (int i = 0; i < steps; ++i) {  // by turns, so that what else goes on hits both
    with.push_back(training.step());
    without.push_back(waiting.step());
  }
  report["seconds"] = typical(communicator, with);
  report["waiting"] = typical(communicator, without);
  const Communicator none;
  Training apart(wanted, none, false);
  apart.step();
  communicator.barrier();
  // Where ranks share cores, one may have a core for itself for some time; all together do not.
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) apart.step();
  communicator.barrier();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  report["apart"] = std::ranges::max(gather(communicator, {taken.count() / steps}));
}

void add_exchange(nlohmann::json& report, int timelines, const Communicator& communicator,
                  Training& training) {
  std::vector<double> seconds, hidden;
  for (int i = 0; i < timelines; ++i) {
    const Profile profile = training.timeline();
    seconds.push_back(profile.async_us() * 1e-6);
    hidden.push_back(profile.async_us() > 0 ? profile.hidden_us() / profile.async_us() : 0);
  }
  report["exchange"] = median(gather(communicator, seconds));
  report["hidden"] = median(gather(communicator, hidden));
}

// In memory that is in no cache, like that of gradients.
double copy_seconds(std::size_t bytes, int times) {
  std::vector<std::byte> from(bytes), to(bytes), others(std::size_t{8} << 20);
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) {
    std::ranges::fill(others, static_cast<std::byte>(i));
    const auto start = std::chrono::steady_clock::now();
    std::ranges::copy(from, to.begin());
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    from.front() = to.back();
  }
  return median(seconds);
}

// When the buckets would be there.
void add_buckets(nlohmann::json& report, const Wanted& wanted, Training& training) {
  const std::vector<detail::Bucket> buckets =
      detail::make_buckets(training.tensors(), wanted.bucket_bytes, /*same_graph=*/true);
  std::vector<std::vector<double>> shares(buckets.size());
  for (int i = 0; i < wanted.timelines; ++i) {
    const Profile profile = training.timeline();
    double before = 0;
    for (std::size_t k = 0; k < buckets.size(); ++k) {
      NodeId last = 0;
      for (const std::size_t member : buckets[k]) {
        last = std::max(last, training.tensors()[member].node().id);
      }
      double computed = 0;
      for (const Profile::Entry& entry : profile.nodes) {
        if (entry.node <= last) computed += entry.duration_us;
      }
      shares[k].push_back((computed - before) / profile.total_us());
      before = computed;
    }
  }
  double rest = 1;
  for (std::size_t k = 0; k < buckets.size(); ++k) {
    std::size_t bytes = 0;
    for (const std::size_t member : buckets[k]) {
      bytes += detail::bytes_of(training.tensors()[member]);
    }
    const double share = median(shares[k]);
    rest -= share;
    report["buckets"].push_back(
        {{"bytes", bytes}, {"share", share}, {"copy", copy_seconds(bytes, wanted.timelines)}});
  }
  report["rest"] = std::max(0.0, rest);
}

void train(const Wanted& wanted, const Communicator& communicator) {
  set_num_threads(1);
  nlohmann::json report = {{"ranks", communicator.size()}};
  Training training(wanted, communicator, true);
  add_steps(report, wanted, communicator, training);
  if (communicator.size() == 1) {
    add_buckets(report, wanted, training);
  } else {
    add_exchange(report, wanted.timelines, communicator, training);
  }
  if (communicator.is_first()) std::cout << report.dump() << std::endl;
}

nlohmann::json about() {
  return {{"workloads", nlohmann::ordered_json::parse(workloads_as_json())},
          {"default_bucket", DataParallelOptions{}.bucket_bytes},
          {"algorithm",
           {{"small_bytes", hccl::kSmallBytes},
            {"small_bytes_of_two", hccl::kSmallBytesOfTwo},
            {"chunk_bytes", hccl::kChunkBytes},
            {"compare_with_all", hccl::kCompareWithAll}}}};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "--about") {
      std::cout << about().dump() << '\n';
      return 0;
    }
    if (argc != 6 && argc != 7) throw std::invalid_argument("see the source for its arguments");
    const Wanted wanted{.workload = argv[1],
                        .examples = std::stoll(argv[2]),
                        .bucket_bytes = std::stoull(argv[3]),
                        .seconds = std::stod(argv[4]),
                        .timelines = std::stoi(argv[5]),
                        .threads = argc == 7 ? std::stoi(argv[6]) : 0};
    if (wanted.timelines < 1) throw std::invalid_argument("TIMELINES is at least 1");
    if (wanted.threads > 0) {
      setenv("ACLGRAD_DEVICE_COUNT", argv[6], /*replace=*/1);
      run_ranks(wanted.threads, [&](const Communicator& each) { train(wanted, each); });
    } else {
      train(wanted, Communicator::from_environment());
    }
  } catch (const std::exception& error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 1;
  }
}
