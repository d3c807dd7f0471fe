// SPDX-License-Identifier: Apache-2.0
// What is promised of a training step, and whether it holds.
#ifndef ACLGRAD_BENCH_TRAIN_BARS_H_
#define ACLGRAD_BENCH_TRAIN_BARS_H_

#include <string>
#include <vector>

#include "bench/bar.h"
#include "bench/train/measure.h"

namespace aclgrad::bench {

std::vector<Bar> bars(const std::vector<Result>& results);

// Who computes another loss than we do, by more than 1e-4 of it: one line each.
std::vector<std::string> disagreements(const std::vector<Result>& results);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_TRAIN_BARS_H_
