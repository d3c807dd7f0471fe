// SPDX-License-Identifier: Apache-2.0
// What the operators promise about their speed, and whether the measurement bears it out.
#ifndef ACLGRAD_BENCH_KERNELS_BARS_H_
#define ACLGRAD_BENCH_KERNELS_BARS_H_

#include <vector>

#include "bench/bar.h"
#include "bench/kernels/measure.h"

namespace aclgrad::bench {

// Seconds of one call on 16 elements.
struct LaunchTimes {
  double phase_one = 0;
  double phase_two = 0;
};

std::vector<Bar> bars(const std::vector<Result>& results, const LaunchTimes& launch);

// The result of the same cell in another layout, on another number of threads or with other data;
// null when it was not measured.
const Result* find(const std::vector<Result>& results, const Cell& cell);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_KERNELS_BARS_H_
