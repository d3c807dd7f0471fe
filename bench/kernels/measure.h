// SPDX-License-Identifier: Apache-2.0
// Runs cells: for each, all contenders in turn, several times, by Google Benchmark.
#ifndef ACLGRAD_BENCH_KERNELS_MEASURE_H_
#define ACLGRAD_BENCH_KERNELS_MEASURE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/contender.h"
#include "bench/kernels/memory.h"
#include "bench/kernels/operation.h"
#include "bench/kernels/worker.h"

namespace aclgrad::bench {

// Names of contenders, as in Result::seconds.
inline constexpr const char* kOurs = "aclgrad";
inline constexpr const char* kOneDnn = "oneDNN";
inline constexpr const char* kOrdinary = "ordinary stores";
inline constexpr const char* kNonTemporal = "non-temporal stores";

struct Result {
  Cell cell;
  // Median time of one call, by contender; those that do not have the operation are missing.
  std::map<std::string, double> seconds;

  double ours() const { return seconds.at(kOurs); }
  // The fastest of the other libraries: its name and time; null when there is none.
  const std::pair<const std::string, double>* best_peer() const;
  // The faster of the two limits; 0 when there is none.
  double limit() const;
  // For each contender the faster of two measurements of the cell.
  void keep_faster(const Result& other);
};

struct Effort {
  double least_seconds = 0.001;  // of one repetition
  int repetitions = 5;
  int passes = 1;  // over all cells
};

class Measurement {
 public:
  // The worker may be null; then its setting is not measured.
  Measurement(Effort effort, std::unique_ptr<Worker> worker);
  ~Measurement();

  // The cell has this index in the list that the worker has too.
  Result run(const Cell& cell, size_t index);

  // Median seconds of one call.
  double time(const Call& call);

  aclrtStream stream() const { return stream_; }
  // The other libraries and their versions.
  std::vector<std::string> peers() const;

 private:
  Effort effort_;
  std::unique_ptr<Worker> worker_;
  std::string worker_name_;
  aclrtStream stream_ = nullptr;
  std::vector<std::unique_ptr<Contender>> contenders_;
  Memory memory_;
};

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_KERNELS_MEASURE_H_
