// SPDX-License-Identifier: Apache-2.0
// The measurement as text for the terminal and as Markdown for the docs.
#ifndef ACLGRAD_BENCH_TRAIN_REPORT_H_
#define ACLGRAD_BENCH_TRAIN_REPORT_H_

#include <string>
#include <vector>

#include "bench/train/measure.h"

namespace aclgrad::bench {

std::string terminal_text(const std::vector<Result>& results);
// `load` is what load_average() was before.
std::string markdown(const std::vector<Result>& results, const Effort& effort, double load);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_TRAIN_REPORT_H_
