// SPDX-License-Identifier: Apache-2.0
// Starts ranks and times what they do.
#ifndef ACLGRAD_BENCH_SCALE_MEASURE_H_
#define ACLGRAD_BENCH_SCALE_MEASURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aclgrad/distributed/data_parallel.h"

namespace aclgrad::bench {

inline constexpr auto kDefaultBucket =
    static_cast<std::int64_t>(DataParallelOptions{}.bucket_bytes);

struct Effort {
  int passes = 2;                                 // over everything
  double seconds = 1;                             // of steps, of each kind
  int timelines = 9;                              // of each rank
  int rounds = 9;                                 // of each size of message
  std::int64_t largest = std::int64_t{64} << 20;  // bytes of a message
  std::int64_t divisor = 1;                       // of all batches
};

enum class Scaling {
  strong,  // the ranks share the workload's batch
  weak,    // each rank has as many examples
};
enum class Way { processes, threads };

// A step on some ranks. Seconds.
struct StepTime {
  std::string workload;
  Scaling scaling;
  Way way;
  int ranks = 1;
  std::int64_t examples = 0;  // of each rank
  std::int64_t bucket_bytes = 0;
  double seconds = 0;
  double waiting = 0;   // without overlap
  double apart = 0;     // without an exchange
  double exchange = 0;  // in all, including the wait for other ranks
  double hidden = 0;    // the share of that beside which operators ran
};

// A step on one rank, and where in it the buckets of gradients are there.
struct SingleTime {
  std::string workload;
  std::int64_t examples = 0;
  std::int64_t bucket_bytes = 0;
  double seconds = 0;
  struct Part {
    double bytes;  // of the bucket
    double share;  // of the step, since the bucket before it
    double copy;   // seconds for copying it
  };
  std::vector<Part> buckets = {};
  double rest = 0;  // the share after the last bucket
};

// Seconds of a sum over ranks, and of its halves, by message size.
struct MessageTime {
  int ranks = 2;
  double bytes = 0;
  double mpi = 0;
  double all_reduce = 0;
  double reduce_scatter = 0;
  double all_gather = 0;
};

// Seconds for so many numbers that each rank sends to the next one, one by one but all at once. A
// number takes three messages.
struct TransferTime {
  int ranks = 2;
  int count = 1;
  double seconds = 0;
};
inline constexpr int kMessagesOfTransfer = 3;

struct Measurement {
  int cores = 1;
  bool has_processes = false;  // whether there is MPI
  std::vector<SingleTime> singles = {};
  std::vector<StepTime> steps = {};
  std::vector<MessageTime> messages = {};
  std::vector<TransferTime> transfers = {};
};

// Tells `progress` how much of everything is done, and what is next.
using Progress =
    std::function<void(std::int64_t done, std::int64_t total, const std::string& next)>;

// The least disturbed of all passes: of each step the one that took least, of each message the
// least of each of its times.
//
// Workloads by name, with numbers of ranks above 1. Throws std::runtime_error when a program fails.
Measurement measure(const std::vector<std::string>& workloads, const std::vector<int>& ranks,
                    const Effort& effort, const Progress& progress);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_SCALE_MEASURE_H_
