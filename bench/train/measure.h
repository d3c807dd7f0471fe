// SPDX-License-Identifier: Apache-2.0
// Starts the workers and times their steps.
#ifndef ACLGRAD_BENCH_TRAIN_MEASURE_H_
#define ACLGRAD_BENCH_TRAIN_MEASURE_H_

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload.h"

namespace aclgrad::bench {

inline constexpr const char* kOurs = "aclgrad";
inline constexpr const char* kFloor = "bare products";
inline constexpr const char* kTorch = "libtorch";  // its settings follow the name

// A program and the environment that it gets.
struct Contender {
  std::string name;
  std::filesystem::path program;
  std::vector<std::string> variables;
};

// Ours, the floor, and libtorch with each of its settings. Programs are looked for beside this one;
// `blas`, folders that each hold a libblas.so.3, are tried in the place of the system's.
std::vector<Contender> find_contenders(const std::vector<std::filesystem::path>& blas);

// The variants of OpenBLAS that the system has installed beside its default.
std::vector<std::filesystem::path> installed_blas();

struct Effort {
  double seconds = 0.1;  // of one repetition, at least one step
  int repetitions = 15;
};

struct Figures {
  std::vector<double> times;   // of a step in seconds, by repetition
  double seconds = 0;          // their median
  double least = 0;            // the fastest of them
  std::optional<double> loss;  // of step kCompared; nothing from the floor and who was passed over
  double peak = 0;             // bytes that were resident at most, right after the first steps
  std::string version;
};

// How many times as long as another a contender takes: the median over the repetitions, in which
// both ran soon after each other. On a machine whose speed changes meanwhile this says more than
// two medians.
double times_as_long(const Figures& contender, const Figures& other);

// Losses are compared at this step.
inline constexpr int kCompared = 10;

struct Result {
  std::string workload;
  int threads = 1;
  std::map<std::string, Figures> figures;  // by contender

  bool has(const std::string& contender) const { return figures.contains(contender); }
  const Figures& ours() const { return figures.at(kOurs); }
  const Figures& floor() const { return figures.at(kFloor); }  // not always there in bfloat16
  // The fastest setting of libtorch; null when there is none.
  const std::pair<const std::string, Figures>* torch() const;
};

// One result for each number of threads. All contenders take turns with all of these numbers, on
// the same cores, in a new order each repetition; `after_repetition` tells of progress.
std::vector<Result> measure(const Workload& workload, const std::vector<int>& threads,
                            const std::vector<Contender>& contenders, const Effort& effort,
                            const std::function<void()>& after_repetition);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_TRAIN_MEASURE_H_
