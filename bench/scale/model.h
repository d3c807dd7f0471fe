// SPDX-License-Identifier: Apache-2.0
// How long a data-parallel step takes on many ranks, from what it takes on few.
//
// An exchange costs a rank so much for each round of messages, each message, each byte sent and
// each byte reduced; how many of these there are follows from the algorithms of ops/hccl. Computing
// costs so much for each example, and as much again for each step whatever its batch. Both are
// fitted to measurements by least squares, and then put together as DataParallel does.
#ifndef ACLGRAD_BENCH_SCALE_MODEL_H_
#define ACLGRAD_BENCH_SCALE_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

namespace aclgrad::bench {

// The numbers x >= 0 for which rows * x is closest to `values`, deviations taken relative to each
// value: the least sum of ((rows[i] * x - values[i]) / values[i])^2. Of columns that cannot be
// distinguished apart one gets everything. Throws std::invalid_argument without any rows, for rows
// of different lengths, or for a value that is not positive.
std::vector<double> fit(const std::vector<std::vector<double>>& rows,
                        const std::vector<double>& values);

// ---- Exchanges ----------------------------------------------------------------------------------

enum class Collective { all_reduce, reduce_scatter, all_gather };

// What a rank does in an operation between processes.
struct Work {
  double rounds = 0;    // one after the other
  double messages = 0;  // that it sends, and as many that it receives
  double bytes = 0;     // that it sends, and as many that it receives
  double reduced = 0;   // bytes of contributions added to others
};

// `bytes` is the size of what all ranks have in the end, or had at the beginning.
Work work_of(Collective collective, double bytes, int ranks);

// Seconds.
struct Network {
  std::string name = {};
  double round = 0;    // latency
  double message = 0;  // of a processor for each message
  double byte = 0;     // 1 / bandwidth
  double reduce = 0;   // of a processor for each byte
  double turn = 0;     // more for each round where ranks share cores, until all had their turn
};

// How many ranks of one thread there are for each core, at least 1.
double oversubscription(int ranks, int cores);

// Oversubscribed processors take so many times as long, and ranks wait for their turn.
double seconds_of(const Network& network, const Work& work, double oversubscription);

struct ExchangeTime {
  std::string what = {};
  Work work = {};
  int ranks = 2;
  double seconds = 0;
};

// For ranks that are all on one machine.
Network fit_network(const std::vector<ExchangeTime>& times, int cores);

// ---- Steps --------------------------------------------------------------------------------------

// Seconds for so many examples.
struct LinearCost {
  double fixed = 0;
  double each = 0;

  double at(double examples) const { return fixed + each * examples; }
};

struct CostPoint {
  double examples;
  double seconds;
};
LinearCost fit_cost(const std::vector<CostPoint>& points);

// What is exchanged at once.
struct Bucket {
  double bytes = 0;
  LinearCost before = {};  // what is computed until it is there, since the one before it was
  double copy = 0;         // to copy it, or multiply it by a number
};

struct Step {
  std::vector<Bucket> buckets;
  LinearCost rest = {};  // what is computed when all buckets are there: the updates

  double alone(double examples) const;  // on one rank
};

struct Placing {
  int ranks = 1;
  double examples = 1;          // of each rank
  double slowdown = 1;          // of computing, by other ranks on the same machine
  double oversubscription = 1;  // as above
  bool overlaps = true;         // the exchange has a core of its own, beside those that compute
};

// Of a step: computing goes on while buckets are exchanged, one after the other; what is updated
// waits for its bucket. Gradients are copied into a bucket before its exchange, and sums made means
// after it.
double seconds_of(const Step& step, const Network& network, const Placing& placing);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_SCALE_MODEL_H_
