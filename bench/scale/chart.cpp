// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/scale/report.h"
#include "report/svg.h"

namespace aclgrad::bench {
namespace {

using report::Anchor;
using report::SvgCanvas;

constexpr double kWidth = 340;  // of a panel
constexpr double kHeight = 190;
constexpr double kLeft = 56;
constexpr double kTop = 84;
constexpr double kBetween = 72;
constexpr double kBelow = 64;  // of a row of panels, to the next one

struct Panel {
  double left;
  double top;

  double x(double ranks) const {
    return left + kWidth * std::log2(ranks) / std::log2(double{kMaxRanks});
  }
  double y(double efficiency) const { return top + kHeight * (1 - efficiency); }
};

void draw_axes(SvgCanvas& canvas, const Panel& panel, const std::string& title) {
  canvas.text(panel.left, panel.top - 8, title, {.bold = true});
  for (int percent = 0; percent <= 100; percent += 25) {
    const double y = panel.y(percent / 100.0);
    canvas.line(panel.left, y, panel.left + kWidth, y, report::kGridColour);
    canvas.text(panel.left - 6, y + 4, fmt::format("{} %", percent),
                {.colour = report::kFaintInk, .anchor = Anchor::end});
  }
  for (int ranks = 1; ranks <= kMaxRanks; ranks *= 4) {
    const double x = panel.x(ranks);
    canvas.line(x, panel.top, x, panel.top + kHeight, report::kGridColour);
    canvas.text(x, panel.top + kHeight + 16, std::to_string(ranks),
                {.colour = report::kFaintInk, .anchor = Anchor::middle});
  }
  canvas.text(panel.left + kWidth / 2, panel.top + kHeight + 34, "nodes of one rank",
              {.colour = report::kFaintInk, .anchor = Anchor::middle});
}

std::string_view colour_of(const Study& study, const std::string& network) {
  const auto found = std::ranges::find(study.networks, network, &Network::name);
  return report::palette(static_cast<std::size_t>(found - study.networks.begin()));
}

// What was measured where every rank had a core.
void draw_measured(SvgCanvas& canvas, const Panel& panel, const Measurement& measurement,
                   const std::string& workload, Scaling scaling) {
  for (const StepTime& step : measurement.steps) {
    if (step.workload != workload || step.scaling != scaling || step.way != Way::processes ||
        step.bucket_bytes != kDefaultBucket || step.ranks > measurement.cores) {
      continue;
    }
    const bool weak = scaling == Scaling::weak;
    for (const SingleTime& single : measurement.singles) {
      if (single.workload != workload || single.bucket_bytes != kDefaultBucket ||
          single.examples != (weak ? step.examples : step.examples * step.ranks)) {
        continue;
      }
      const double efficiency = single.seconds / (step.seconds * (weak ? 1 : step.ranks));
      canvas.circle(panel.x(step.ranks), panel.y(std::clamp(efficiency, 0.0, 1.0)), 4,
                    report::kInk);
    }
  }
}

void draw_legend(SvgCanvas& canvas, const Study& study) {
  double x = kLeft;
  const double y = 50;
  for (const Network& network : study.networks) {
    canvas.line(x, y - 4, x + 18, y - 4, colour_of(study, network.name), 2.5);
    canvas.text(x + 24, y, network.name);
    x += 44 + report::text_width(network.name, report::kTextSize);
  }
  canvas.circle(x + 4, y - 4, 4, report::kInk);
  canvas.text(x + 14, y, "measured");
}

}  // namespace

std::string chart_svg(const Measurement& measurement, const Study& study) {
  std::vector<std::string> workloads;
  for (const Forecast& forecast : study.forecasts) {
    if (std::ranges::count(workloads, forecast.workload) == 0) {
      workloads.push_back(forecast.workload);
    }
  }
  const std::string title = "Predicted efficiency of data-parallel training";
  SvgCanvas canvas(kLeft + 2 * kWidth + kBetween + 30,
                   kTop + (kHeight + kBelow) * static_cast<double>(workloads.size()) - 12, title);
  canvas.heading(title, 24);
  draw_legend(canvas, study);
  for (std::size_t row = 0; row < workloads.size(); ++row) {
    for (const Scaling scaling : {Scaling::weak, Scaling::strong}) {
      const bool weak = scaling == Scaling::weak;
      const Panel panel{kLeft + (weak ? 0 : kWidth + kBetween),
                        kTop + (kHeight + kBelow) * static_cast<double>(row)};
      draw_axes(canvas, panel,
                fmt::format("{}, {} scaling", workloads[row], weak ? "weak" : "strong"));
      for (const Forecast& forecast : study.forecasts) {
        if (forecast.workload != workloads[row] || forecast.scaling != scaling) continue;
        std::vector<std::pair<double, double>> points;
        for (const Forecast::Point& point : forecast.points) {
          points.emplace_back(panel.x(point.ranks), panel.y(point.efficiency));
        }
        canvas.polyline(points, colour_of(study, forecast.network), 2.5);
      }
      draw_measured(canvas, panel, measurement, workloads[row], scaling);
    }
  }
  return std::move(canvas).finish();
}

}  // namespace aclgrad::bench
