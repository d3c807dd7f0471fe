// SPDX-License-Identifier: Apache-2.0
// The measurement, and what the model makes of it: text for the terminal, Markdown for the docs,
// and a chart.
#ifndef ACLGRAD_BENCH_SCALE_REPORT_H_
#define ACLGRAD_BENCH_SCALE_REPORT_H_

#include <string>
#include <vector>

#include "bench/scale/study.h"

namespace aclgrad::bench {

using Rows = std::vector<std::vector<std::string>>;

struct Promise {
  std::string verdict;  // "holds", "fails"
  std::string text;
  std::string measured;
};

// Tables, without their heads.
extern const std::vector<std::string> kStepHeads;
Rows step_rows(const Measurement& measurement);
extern const std::vector<std::string> kMessageHeads;
Rows message_rows(const Measurement& measurement);
extern const std::vector<std::string> kNetworkHeads;
Rows network_rows(const Study& study);
std::vector<Promise> promises(const Measurement& measurement);

std::string terminal_text(const Measurement& measurement, const Study& study);

// `chart` is the name of the chart's file, relative to that of the text.
std::string markdown(const Measurement& measurement, const Study& study, const Effort& effort,
                     const std::string& chart);

// Predicted efficiency by number of ranks: a panel for each workload and kind of scaling.
std::string chart_svg(const Measurement& measurement, const Study& study);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_SCALE_REPORT_H_
