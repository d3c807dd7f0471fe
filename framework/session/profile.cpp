// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "aclgrad/report.h"

namespace aclgrad {

double Profile::total_us() const {
  double total = 0;
  for (const Entry& entry : nodes) total += entry.duration_us;
  return total;
}

double Profile::span_us() const {
  double end = 0;
  for (const Entry& entry : nodes) end = std::max(end, entry.start_us + entry.duration_us);
  return end;
}

double Profile::async_us() const {
  double total = 0;
  for (const Entry& entry : nodes) total += entry.stream == 1 ? entry.duration_us : 0;
  return total;
}

double Profile::hidden_us() const {
  // Both streams run their nodes one after the other.
  double hidden = 0;
  for (const Entry& async : nodes) {
    if (async.stream != 1) continue;
    for (const Entry& entry : nodes) {
      if (entry.stream == 1) continue;
      const double begin = std::max(async.start_us, entry.start_us);
      const double end =
          std::min(async.start_us + async.duration_us, entry.start_us + entry.duration_us);
      hidden += std::max(0.0, end - begin);
    }
  }
  return hidden;
}

std::string Profile::to_string(std::size_t rows) const {
  std::vector<const Entry*> longest;
  for (const Entry& entry : nodes) longest.push_back(&entry);
  std::stable_sort(longest.begin(), longest.end(),
                   [](const Entry* a, const Entry* b) { return a->duration_us > b->duration_us; });
  if (longest.size() > rows) longest.resize(rows);
  const double total = total_us();
  report::Table table({"node", "op", "name", "outputs", "pass", "recorded at", "us", "share"});
  for (const Entry* entry : longest) {
    table.add_row({std::to_string(entry->node), entry->operation, entry->name,
                   fmt::format("{}", fmt::join(entry->outputs, ", ")),
                   aclgrad::to_string(entry->pass), entry->where,
                   fmt::format("{:.1f}", entry->duration_us),
                   fmt::format("{:.1f}%", total > 0 ? 100 * entry->duration_us / total : 0)});
  }
  return table.to_string() +
         fmt::format("{} of {} nodes, {:.1f} us in all\n", longest.size(), nodes.size(), total);
}

std::string Profile::chrome_trace() const {
  nlohmann::json events = nlohmann::json::array();
  for (const Entry& entry : nodes) {
    events.push_back(
        {{"name", entry.name.empty() ? entry.operation : entry.operation + " " + entry.name},
         {"cat", aclgrad::to_string(entry.pass)},
         {"ph", "X"},
         {"pid", 0},
         {"tid", entry.stream},
         {"ts", entry.start_us},
         {"dur", entry.duration_us},
         {"args",
          {{"node", entry.node},
           {"call", entry.call},
           {"recorded at", entry.where},
           {"inputs", entry.inputs},
           {"outputs", entry.outputs}}}});
  }
  const nlohmann::json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;  // names may be any bytes
  return trace.dump(1, ' ', false, kReplace) + "\n";
}

}  // namespace aclgrad
