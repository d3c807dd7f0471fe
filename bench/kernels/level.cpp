// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/kernels/memory.h"
#include "bench/kernels/ours.h"
#include "bench/stolen.h"

namespace aclgrad::bench {
namespace {

constexpr int kRounds = 15;
constexpr double kSecondsOfRound = 100e-6;

// What a kind of data may take, as a multiple of normal data.
double most(const Cell& cell, Data data) {
  if (data <= Data::deviation_100) return 1.25;
  // Their results are subnormal numbers.
  const bool is_subnormal =
      data == Data::subnormal || (data == Data::tiny && cell.dtype == ACL_FLOAT16);
  return is_subnormal ? 3.0 : 2.0;
}

Bar bar_of(std::string promise, const std::vector<Level>& levels, double bound) {
  size_t cells = 0;
  size_t kept = 0;
  double highest = 0;
  std::string where;
  for (const Level& level : levels) {
    for (const Data data : kAllData) {
      if (data == Data::normal || most(level.cell, data) != bound) continue;
      const double ratio = level.ratio(data);
      ++cells;
      if (ratio <= bound * (1 + kNoise)) ++kept;
      if (ratio <= highest) continue;
      highest = ratio;
      where = fmt::format("{} {}, {}", level.cell.operation->name, name_of(level.cell.dtype),
                          name_of(data));
    }
  }
  if (cells == 0) return {std::move(promise), "not measured", std::nullopt};
  return {std::move(promise),
          fmt::format("{} of {} cells; most {:.2f} ({})", kept, cells, highest, where),
          kept == cells, "[other data](measurements/other-data.md) says why for each"};
}

}  // namespace

std::vector<Level> measure_level(const std::vector<Cell>& cells, aclrtStream stream,
                                 const std::function<void(const Cell&)>& announce) {
  const std::unique_ptr<Contender> contender = ours(stream);
  contender->set_threads(1);
  std::map<Data, Memory> memories;
  std::vector<Level> levels;
  for (const Cell& cell : cells) {
    announce(cell);
    Level level{cell, {}};
    std::map<Data, Call> calls;
    for (const Data data : kAllData) {
      Cell other = cell;
      other.data = data;
      calls[data] = contender->prepare(memories[data].problem(other));
      level.seconds[data] = std::numeric_limits<double>::infinity();
    }
    for (int round = 0; round < kRounds; ++round) {
      for (auto& [data, seconds] : level.seconds) {
        const Call& call = calls[data];
        call();  // its tensors may have left the caches
        const double once = seconds_of_calls(call, 1, 1);
        const auto count = static_cast<int64_t>(std::clamp(kSecondsOfRound / once, 1.0, 1000.0));
        seconds = std::min(seconds, seconds_of_calls(call, count, 1) / static_cast<double>(count));
      }
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

std::vector<Bar> level_bars(const std::vector<Level>& levels) {
  return {bar_of("data in [-20, 20] or a N(0,1): at most 1.25 times the time on normal data",
                 levels, 1.25),
          bar_of("other data: at most 2.0 times", levels, 2.0),
          bar_of("data whose results are subnormal: at most 3.0 times", levels, 3.0)};
}

std::vector<std::string> level_header() {
  std::vector<std::string> header = {"operator", "worst"};
  for (const Data data : kAllData) {
    header.push_back(data == Data::normal ? "normal, µs" : name_of(data));
  }
  return header;
}

std::vector<std::string> level_row(const Level& level) {
  double worst = 0;
  std::vector<std::string> cells;
  for (const Data data : kAllData) {
    if (data == Data::normal) {
      cells.push_back(fmt::format("{:.1f}", level.seconds.at(data) * 1e6));
      continue;
    }
    worst = std::max(worst, level.ratio(data));
    cells.push_back(fmt::format("{:.2f}", level.ratio(data)));
  }
  cells.insert(cells.begin(), fmt::format("{:.2f}", worst));
  cells.insert(cells.begin(),
               fmt::format("{} {}", level.cell.operation->name, name_of(level.cell.dtype)));
  return cells;
}

}  // namespace aclgrad::bench
