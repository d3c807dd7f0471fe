// SPDX-License-Identifier: Apache-2.0
// Runs cells: for each, all contenders in turn, several times, by Google Benchmark.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/contender.h"
#include "bench/kernels/memory.h"
#include "bench/kernels/operation.h"
#include "bench/kernels/worker.h"

namespace aclgrad::bench {

// Seconds of one call on 16 elements.
struct LaunchTimes {
  double phase_one = std::numeric_limits<double>::infinity();
  double phase_two = std::numeric_limits<double>::infinity();
};

struct Result {
  Cell cell;
  // Median time of one call, by contender; those that do not have the operation are missing.
  std::map<std::string, double> seconds;

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
