// SPDX-License-Identifier: Apache-2.0
// What is promised of a training step, and whether it holds.
#ifndef ACLGRAD_BENCH_TRAIN_BARS_H_
#define ACLGRAD_BENCH_TRAIN_BARS_H_

#include <optional>
#include <string>
#include <vector>

#include "bench/train/measure.h"

namespace aclgrad::bench {

struct Bar {
  std::string promise;
  std::string measured;
  std::optional<bool> holds;  // nothing when it was not measured
};

std::vector<Bar> bars(const std::vector<Result>& results);

// Who computes another loss than we do, by more than 1e-4 of it: one line each.
std::vector<std::string> disagreements(const std::vector<Result>& results);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_TRAIN_BARS_H_
