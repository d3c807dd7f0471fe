// SPDX-License-Identifier: Apache-2.0
// The arena as a picture: time to the right, addresses upwards.
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/memory_report.h"
#include "report/axes.h"
#include "report/svg.h"

namespace aclgrad {
namespace {

using namespace report;

constexpr double kWidth = 960;
constexpr double kHeight = 540;
constexpr std::string_view kLiveColour = "#222222";

std::string_view colour(Pass pass) { return palette(static_cast<std::size_t>(pass)); }

// Bytes in the largest unit that leaves a number above 1.
struct Unit {
  double bytes = 1;
  std::string name = "B";
};

Unit unit_for(std::size_t bytes) {
  if (bytes >= 10u << 20) return {1024.0 * 1024.0, "MiB"};
  if (bytes >= 10u << 10) return {1024.0, "KiB"};
  return {};
}

}  // namespace

std::string MemoryReport::svg() const {
  const std::string title = fmt::format("Arena of {} bytes over {} steps, lower bound {}",
                                        arena_bytes, steps, lower_bound);
  SvgCanvas canvas(kWidth, kHeight, title);
  canvas.heading(title, 28);
  const Unit unit = unit_for(arena_bytes);
  const std::string y_label = "address [" + unit.name + "]";
  const Axis y(0, std::max(1.0, static_cast<double>(arena_bytes) / unit.bytes));
  const double left = Plot::left_margin(y, y_label);
  const Plot plot(canvas, {left, 46, kWidth - left - 150, kHeight - 102}, Axis(-1, steps + 1), y);
  plot.draw_grid();
  const Box& box = plot.box();
  canvas.begin_clip(box.left, box.top, box.width, box.height);
  for (const Interval& interval : intervals) {
    const double low = static_cast<double>(interval.offset) / unit.bytes;
    const double high = static_cast<double>(interval.offset + interval.bytes) / unit.bytes;
    const auto [x1, y1] = plot.position(interval.first, high);
    const auto [x2, y2] = plot.position(interval.last + 1, low);
    canvas.rectangle(x1, y1, x2 - x1, y2 - y1, colour(interval.pass), "#ffffff", 0.4);
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
  plot.draw_axes("step", y_label);
  std::vector<Series> legend;
  for (const Pass pass : {Pass::forward, Pass::backward, Pass::update}) {
    legend.push_back(
        {.name = aclgrad::to_string(pass), .x = {}, .y = {}, .colour = std::string(colour(pass))});
  }
  legend.push_back({.name = "bytes alive", .x = {}, .y = {}, .colour = std::string(kLiveColour)});
  draw_legend(canvas, box.right() + 16, box.top + 12, legend, false);
  return std::move(canvas).finish();
}

}  // namespace aclgrad
