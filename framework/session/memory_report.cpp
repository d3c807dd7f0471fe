// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "aclgrad/report.h"
#include "session/state.h"

namespace aclgrad {
namespace {

std::string in_units(std::size_t bytes) {
  const auto count = static_cast<double>(bytes);
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} KiB", count / 1024);
  return fmt::format("{:.1f} MiB", count / (1024 * 1024));
}

}  // namespace

std::string MemoryReport::to_string(std::size_t rows) const {
  const auto fullest = std::max_element(live.begin(), live.end());
  const auto step = static_cast<std::int32_t>(fullest - live.begin()) - 1;
  std::string text = fmt::format(
      "arena      {} (lower bound {}; {} without reuse)\n"
      "workspace  {}\n"
      "variables  {}\n",
      in_units(arena_bytes), in_units(lower_bound), in_units(sum_of_values),
      in_units(workspace_bytes), in_units(variable_bytes));
  if (intervals.empty()) return text + "no values\n";
  std::vector<const Interval*> present;
  for (const Interval& interval : intervals) {
    if (interval.first <= step && step <= interval.last) present.push_back(&interval);
  }
  std::stable_sort(present.begin(), present.end(),
                   [](const Interval* a, const Interval* b) { return a->bytes > b->bytes; });
  text += fmt::format("{} of {} values live at the fullest step, {} of {}{}\n", present.size(),
                      intervals.size(), step, steps, present.empty() ? "" : ":");
  if (present.size() > rows) present.resize(rows);
  if (present.empty()) return text;
  report::Table table({"value", "bytes", "offset", "steps", "pass"});
  for (const Interval* interval : present) {
    table.add_row({interval->name, std::to_string(interval->bytes),
                   std::to_string(interval->offset),
                   fmt::format("{}..{}", interval->first, interval->last),
                   aclgrad::to_string(interval->pass)});
  }
  return text + table.to_string();
}

std::ostream& operator<<(std::ostream& stream, const MemoryReport& report) {
  return stream << report.to_string();
}

namespace detail {

MemoryReport SessionState::memory_report() const {
  const Memory& memory = plan_.memory();
  const Lifetimes& lifetimes = memory.lifetimes();
  MemoryReport report;
  report.arena_bytes = memory.layout().bytes;
  report.lower_bound = memory.layout().lower_bound;
  report.workspace_bytes = plan_.workspace_bytes();
  for (const WatchedVariable& watched : variables_) {
    report.variable_bytes += data_.value(watched.root).layout->bytes();
  }
  report.steps = lifetimes.steps;
  report.live = live_bytes(lifetimes.blocks, lifetimes.steps);
  std::vector<std::int32_t> occupant(lifetimes.blocks.size(), -1);  // position in the intervals
  std::int32_t step = -1;
  for (const NodeId id : nodes_) {
    const Node& node = data_.node(id);
    if (as_call(node) != nullptr) ++step;
    for (const ValueId output : node.outputs) {
      if (data_.value(output).root != output) continue;
      const std::int32_t number = lifetimes.block_of[static_cast<std::size_t>(output)];
      if (number == kNoBlock) continue;
      const auto at = static_cast<std::size_t>(number);
      const Block& block = lifetimes.blocks[at];
      MemoryReport::Interval interval;
      interval.value = output;
      interval.name = data_.description(output);
      interval.offset = memory.layout().offsets[at];
      interval.bytes = data_.value(output).layout->bytes();
      interval.in_place = occupant[at] >= 0;
      interval.first = interval.in_place ? step : block.first;
      interval.last = block.last;
      interval.pass = node.pass;
      report.sum_of_values += interval.bytes;
      // The one before died when this was made.
      if (interval.in_place)
        report.intervals[static_cast<std::size_t>(occupant[at])].last = step - 1;
      occupant[at] = static_cast<std::int32_t>(report.intervals.size());
      report.intervals.push_back(std::move(interval));
    }
  }
  return report;
}

}  // namespace detail
}  // namespace aclgrad
