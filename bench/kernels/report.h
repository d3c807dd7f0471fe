// SPDX-License-Identifier: Apache-2.0
// The measurement as text for the terminal, Markdown for the docs, CSV for other programs, and a
// chart.
#ifndef ACLGRAD_BENCH_KERNELS_REPORT_H_
#define ACLGRAD_BENCH_KERNELS_REPORT_H_

#include <map>
#include <string>
#include <vector>

#include "bench/kernels/bars.h"
#include "bench/kernels/level.h"
#include "bench/kernels/measure.h"

namespace aclgrad::bench {

struct Report {
  std::vector<Result> results;
  std::vector<Level> levels;
  LaunchTimes launch;
  Effort effort;
  std::vector<std::string> peers;  // with versions
  std::string instruction_set;     // of our kernels, by Highway's name
  int threads = 1;                 // the most that were used
};

std::vector<Bar> all_bars(const Report& report);

std::string terminal_levels(const std::vector<Level>& levels);
// Every cell, then what is promised.
std::string terminal_text(const Report& report);
// What is promised, and a table a dtype. `chart` is the name of the chart's file, relative to that
// of the text; all else is in csv_tables(), in a folder that is named as the chart.
std::string markdown(const Report& report, const std::string& chart);
// Tables by the names of their files.
std::map<std::string, std::string> csv_tables(const Report& report);
// All times.
std::string csv(const Report& report);
// Elementwise operations on contiguous tensors of the largest size measured, one thread.
std::string chart_svg(const Report& report);

// Where there is no libtorch to compare with: how to get it.
inline constexpr const char* kNoTorch =
    "libtorch was not found: install libtorch-dev to compare with it, then build again";

// Billions of elements in a second.
inline double rate(const Cell& cell, double seconds) {
  return static_cast<double>(cell.elements()) / seconds * 1e-9;
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_KERNELS_REPORT_H_
