// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "aclgrad/report.h"
#include "bench/kernels/report.h"

namespace aclgrad::bench {
namespace {

std::vector<std::string> row(const Result& result) {
  const Cell& cell = result.cell;
  std::vector<std::string> cells = {cell.operation->name,
                                    name_of(cell.dtype),
                                    cell.size_name(),
                                    name_of(cell.layout),
                                    std::to_string(cell.threads),
                                    fmt::format("{:.3f}", rate(cell, result.ours()))};
  if (const auto* peer = result.best_peer()) {
    cells.push_back(fmt::format("{:.3f}", rate(cell, peer->second)));
    cells.push_back(peer->first);
    cells.push_back(fmt::format("{:.2f}x", peer->second / result.ours()));
  } else {
    cells.insert(cells.end(), {"-", "none", "-"});
  }
  if (result.limit() > 0) {
    cells.push_back(fmt::format("{:.3f}", rate(cell, result.limit())));
    cells.push_back(fmt::format("{:.0f}%", 100 * result.limit() / result.ours()));
  } else {
    cells.insert(cells.end(), {"-", "-"});
  }
  return cells;
}

}  // namespace

std::string terminal_levels(const std::vector<Level>& levels) {
  report::Table table(level_header());
  for (const Level& level : levels) table.add_row(level_row(level));
  return table.to_string();
}

std::string terminal_text(const Report& report) {
  report::Table cells({"operation", "dtype", "size", "layout", "threads", "G/s", "best peer G/s",
                       "which", "ratio", "limit G/s", "of limit"});
  for (const Result& result : report.results) cells.add_row(row(result));
  report::Table promises({"", "promise", "measured"});
  for (const Bar& bar : all_bars(report)) {
    promises.add_row({verdict(bar), bar.promise, bar.measured});
  }
  return cells.to_string() + '\n' + terminal_levels(report.levels) + '\n' + promises.to_string();
}

std::string csv(const Report& report) {
  static constexpr const char* kBest = "aclgrad (best of rounds)";
  std::string text =
      "operation,dtype,size,layout,data,threads,elements,contender,seconds,elements per second\n";
  for (const Result& result : report.results) {
    const Cell& cell = result.cell;
    for (const auto& [contender, seconds] : result.seconds) {
      text += fmt::format("{},{},{},{},{},{},{},{},{:.4g},{:.4g}\n", cell.operation->name,
                          name_of(cell.dtype), cell.size_name(), name_of(cell.layout),
                          name_of(cell.data), cell.threads, cell.elements(), contender, seconds,
                          rate(cell, seconds) * 1e9);
    }
  }
  for (const Level& level : report.levels) {
    for (const auto& [data, seconds] : level.seconds) {
      const Cell& cell = level.cell;
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{:.4g},{:.4g}\n", cell.operation->name,
                      name_of(cell.dtype), cell.size_name(), name_of(cell.layout), name_of(data),
                      cell.threads, cell.elements(), kBest, seconds, rate(cell, seconds) * 1e9);
    }
  }
  return text;
}

}  // namespace aclgrad::bench
