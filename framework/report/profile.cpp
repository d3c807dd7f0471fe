// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/axes.h"
#include "report/svg.h"

namespace aclgrad {
namespace {

using namespace report;

constexpr double kTimelineWidth = 960;
constexpr double kTimelineHeight = 240;
constexpr std::string_view kAsyncColour = "#222222";

std::string_view colour(const Profile::Entry& entry) {
  return entry.stream == 1 ? kAsyncColour : pass_colour(entry.pass);
}

}  // namespace

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
  Table table({"node", "op", "name", "outputs", "pass", "recorded at", "us", "share"});
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

std::string Profile::svg() const {
  const bool two =
      std::any_of(nodes.begin(), nodes.end(), [](const Entry& entry) { return entry.stream == 1; });
  std::string title = fmt::format("{} nodes in {:.2f} ms", nodes.size(), span_us() / 1000);
  if (two) {
    title += fmt::format(", {:.2f} ms of them asynchronous, {:.0f} % of that hidden",
                         async_us() / 1000, async_us() > 0 ? 100 * hidden_us() / async_us() : 0.0);
  }
  SvgCanvas canvas(kTimelineWidth, kTimelineHeight, title);
  canvas.heading(title, 28);
  const Axis time(0, std::max(1e-3, span_us() / 1000));
  const Plot plot(canvas, {90, 46, kTimelineWidth - 220, kTimelineHeight - 102}, time,
                  Axis(0, two ? 2 : 1));
  const Box& box = plot.box();
  canvas.begin_clip(box.left, box.top, box.width, box.height);
  for (const Entry& entry : nodes) {
    const double lane = two && entry.stream == 0 ? 1 : 0;  // the first stream on top
    const auto [x1, y1] = plot.position(entry.start_us / 1000, lane + 0.9);
    const auto [x2, y2] = plot.position((entry.start_us + entry.duration_us) / 1000, lane + 0.1);
    canvas.rectangle(x1, y1, std::max(0.5, x2 - x1), y2 - y1, colour(entry));
    constexpr double kSize = 10;
    if (x2 - x1 > text_width(entry.operation, kSize) + 6) {
      canvas.text(x1 + 3, (y1 + y2) / 2 + kSize / 3, entry.operation,
                  {.size = kSize, .colour = "#ffffff"});
    }
  }
  canvas.end_clip();
  canvas.line(box.left, box.bottom(), box.right(), box.bottom(), kInk);
  for (const Axis::Tick& tick : time.ticks(10)) {
    const double x = plot.position(tick.value, 0).first;
    canvas.line(x, box.bottom(), x, box.bottom() + 5, kInk);
    canvas.text(x, box.bottom() + 20, tick.label, {.anchor = Anchor::middle});
  }
  canvas.text(box.left + box.width / 2, box.bottom() + 40, "time [ms]", {.anchor = Anchor::middle});
  const auto name_lane = [&](double lane, std::string_view name) {
    canvas.text(box.left - 8, plot.position(0, lane + 0.5).second + 4, name,
                {.anchor = Anchor::end});
  };
  name_lane(two ? 1 : 0, "operators");
  if (two) name_lane(0, "async");
  draw_legend(canvas, box.right() + 16, box.top + 12, pass_legend(), false);
  return std::move(canvas).finish();
}

}  // namespace aclgrad
