// SPDX-License-Identifier: Apache-2.0
// A profile as a picture: time to the right, a lane for each stream.
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/profile.h"
#include "report/axes.h"
#include "report/svg.h"

namespace aclgrad {
namespace {

using namespace report;

constexpr double kTimelineWidth = 960;
constexpr double kTimelineHeight = 240;
constexpr std::string_view kAsyncColour = "#222222";

std::string_view colour(const Profile::Entry& entry) {
  return entry.stream == 1 ? kAsyncColour : palette(static_cast<std::size_t>(entry.pass));
}

}  // namespace

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
  std::vector<Series> legend;
  for (const Pass pass : {Pass::forward, Pass::backward, Pass::update}) {
    legend.push_back({.name = aclgrad::to_string(pass),
                      .x = {},
                      .y = {},
                      .colour = std::string(palette(static_cast<std::size_t>(pass)))});
  }
  draw_legend(canvas, box.right() + 16, box.top + 12, legend, false);
  return std::move(canvas).finish();
}

}  // namespace aclgrad
