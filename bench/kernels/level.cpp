// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/level.h"

#include <algorithm>
#include <limits>

#include "bench/kernels/memory.h"
#include "bench/kernels/ours.h"
#include "bench/stolen.h"

namespace aclgrad::bench {
namespace {

constexpr int kRounds = 15;
constexpr double kSecondsOfRound = 100e-6;

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

}  // namespace aclgrad::bench
