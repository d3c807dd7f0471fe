// SPDX-License-Identifier: Apache-2.0
// What is promised about speed, and whether a measurement bears it out.
#ifndef ACLGRAD_BENCH_BAR_H_
#define ACLGRAD_BENCH_BAR_H_

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

namespace aclgrad::bench {

// Two runs of the same code differ by so much: a promise is kept within it.
inline constexpr double kNoise = 0.03;

struct Bar {
  std::string promise;
  std::string measured;
  std::optional<bool> holds;  // nothing when it was not measured
  std::string why = "";       // it is not reached, where that is known
};

// For a terminal.
inline std::string verdict(const Bar& bar) {
  if (!bar.holds) return "?";
  return *bar.holds ? "holds" : "not reached";
}

// Two sections of a page: what holds, or was not measured, and what does not.
inline std::string promises(const std::vector<Bar>& bars) {
  std::string kept =
      "## What is promised\n\n"
      "3 % are allowed for noise.\n\n"
      "| promise | measured |\n|---|---|\n";
  std::string missed =
      "\n## Not reached\n\n"
      "| wanted | measured | why |\n|---|---|---|\n";
  bool all = true;
  for (const Bar& bar : bars) {
    if (bar.holds.value_or(true)) {
      kept += fmt::format("| {} | {} |\n", bar.promise, bar.measured);
    } else {
      missed += fmt::format("| {} | {} | {} |\n", bar.promise, bar.measured, bar.why);
      all = false;
    }
  }
  return all ? kept : kept + missed;
}

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_BAR_H_
