// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "report/axes.h"
#include "report/svg.h"

namespace aclgrad {
namespace {

using namespace report;

constexpr double kWidth = 960;
constexpr double kHeight = 540;
constexpr std::string_view kLiveColour = "#222222";

}  // namespace

std::string MemoryReport::to_string(std::size_t rows) const {
  const auto fullest = std::max_element(live.begin(), live.end());
  const auto position = static_cast<std::int32_t>(fullest - live.begin()) - 1;
  std::string text = fmt::format(
      "arena      {} (lower bound {}; {} without reuse)\n"
      "workspace  {}\n"
      "variables  {}\n",
      bytes_text(arena_bytes), bytes_text(lower_bound), bytes_text(sum_of_values),
      bytes_text(workspace_bytes), bytes_text(variable_bytes));
  if (intervals.empty()) return text + "no values\n";
  std::vector<const Interval*> present;
  for (const Interval& interval : intervals) {
    if (interval.first <= position && position <= interval.last) present.push_back(&interval);
  }
  std::stable_sort(present.begin(), present.end(),
                   [](const Interval* a, const Interval* b) { return a->bytes > b->bytes; });
  text += fmt::format("{} of {} values live at the fullest position, {} of {}{}\n", present.size(),
                      intervals.size(), position, nodes, present.empty() ? "" : ":");
  if (present.size() > rows) present.resize(rows);
  if (present.empty()) return text;
  Table table({"value", "bytes", "offset", "positions", "pass"});
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

std::string MemoryReport::svg() const {
  const std::string title = fmt::format("Arena of {} bytes over {} nodes, lower bound {}",
                                        arena_bytes, nodes, lower_bound);
  SvgCanvas canvas(kWidth, kHeight, title);
  canvas.heading(title, 28);
  const ByteUnit unit = byte_unit(arena_bytes);
  const std::string y_label = "address [" + unit.name + "]";
  const Axis y(0, std::max(1.0, static_cast<double>(arena_bytes) / unit.bytes));
  const double left = Plot::left_margin(y, y_label);
  const Plot plot(canvas, {left, 46, kWidth - left - 150, kHeight - 102}, Axis(-1, nodes + 1), y);
  plot.draw_grid();
  const Box& box = plot.box();
  canvas.begin_clip(box.left, box.top, box.width, box.height);
  for (const Interval& interval : intervals) {
    const double low = static_cast<double>(interval.offset) / unit.bytes;
    const double high = static_cast<double>(interval.offset + interval.bytes) / unit.bytes;
    const auto [x1, y1] = plot.position(interval.first, high);
    const auto [x2, y2] = plot.position(interval.last + 1, low);
    canvas.rectangle(x1, y1, x2 - x1, y2 - y1, pass_colour(interval.pass), "#ffffff", 0.4);
    const double size = 10;
    if (y2 - y1 > size + 2 && x2 - x1 > text_width(interval.name, size) + 4) {
      canvas.text(x1 + 2, (y1 + y2) / 2 + size / 3, interval.name,
                  {.size = size, .colour = "#ffffff"});
    }
  }
  std::vector<std::pair<double, double>> line;
  for (std::size_t i = 0; i < live.size(); ++i) {
    const double bytes = static_cast<double>(live[i]) / unit.bytes;
    line.push_back(plot.position(static_cast<double>(i) - 1, bytes));
    line.push_back(plot.position(static_cast<double>(i), bytes));
  }
  canvas.polyline(line, kLiveColour, 1.5);
  canvas.end_clip();
  plot.draw_axes("position", y_label);
  std::vector<Series> legend = pass_legend();
  legend.push_back({.name = "bytes alive", .colour = std::string(kLiveColour)});
  draw_legend(canvas, box.right() + 16, box.top + 12, legend, false);
  return std::move(canvas).finish();
}

}  // namespace aclgrad
