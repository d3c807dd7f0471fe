// SPDX-License-Identifier: Apache-2.0
// What follows from a measurement: the model's parameters, how well it describes what was measured,
// and what it predicts.
#ifndef ACLGRAD_BENCH_SCALE_STUDY_H_
#define ACLGRAD_BENCH_SCALE_STUDY_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/scale/measure.h"
#include "bench/scale/model.h"

namespace aclgrad::bench {

inline constexpr int kMaxRanks = 1024;

struct StepModel {
  std::string workload;
  std::int64_t bucket_bytes = 0;
  Step step;
};

struct Residual {
  std::string what;
  double measured = 0;  // seconds
  double predicted = 0;

  double relative() const { return predicted / measured - 1; }
};

struct Forecast {
  std::string workload;
  Scaling scaling;
  std::string network;
  struct Point {
    int ranks;
    double examples;  // of each rank
    double seconds;
    double efficiency;  // 1 for as much work in a second and rank as one rank does
  };
  std::vector<Point> points;  // 1, 2, 4, ... ranks, as long as each has an example
};

struct Study {
  std::vector<StepModel> steps;
  // Nothing without processes.
  std::optional<Network> here;
  // Of computing on this machine, by the number of ranks that do.
  std::map<int, double> slowdowns;
  std::vector<Network> networks;  // the one here, and those that are assumed
  std::vector<Residual> computing;
  std::vector<Residual> exchanging;
  std::vector<Residual> stepping;
  std::vector<Forecast> forecasts;

  const StepModel& model_of(const std::string& workload, std::int64_t bucket_bytes) const;
};

Study study(const Measurement& measurement);

// The largest ratio of our sum's time to MPI's among messages of 64 KiB and more, with its size.
// Nothing when none was measured.
struct Worst {
  double ratio;
  double bytes;
};
std::optional<Worst> worst_ratio(const Measurement& measurement, int ranks);
inline constexpr double kPromisedRatio = 1.1;
inline constexpr double kPromisedFrom = 65536;  // bytes

// "64 KiB".
std::string size_text(double bytes);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_SCALE_STUDY_H_
