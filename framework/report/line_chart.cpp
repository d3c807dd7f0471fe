// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/report.h"
#include "report/axes.h"
#include "report/svg.h"

namespace aclgrad::report {
namespace {

constexpr double kLargest = 20000;  // of a picture that programs show

bool can_be_drawn(double x, double y, bool log_y) {
  // Written so that a NaN gives false.
  return std::abs(x) <= kFarthestDrawn && std::abs(y) <= kFarthestDrawn &&
         (!log_y || y >= 1 / kFarthestDrawn);
}

// Of a series with more points than a picture can show: of as many in turn as there are to a bucket
// the lowest and the highest, and a gap where one cannot be drawn.
Series thinned(const Series& series, bool log_y) {
  constexpr std::size_t kMostPoints = 4096, kBuckets = 1024;
  const std::size_t count = series.x.size();
  if (count <= kMostPoints) return series;
  Series thin{.name = series.name, .colour = series.colour};
  const auto keep = [&](std::size_t i) {
    thin.x.push_back(series.x[i]);
    thin.y.push_back(series.y[i]);
  };
  const std::size_t size = (count + kBuckets - 1) / kBuckets;
  for (std::size_t begin = 0; begin < count; begin += size) {
    const std::size_t end = std::min(begin + size, count);
    std::size_t low = end, high = end, gap = end;
    for (std::size_t i = begin; i < end; ++i) {
      if (!can_be_drawn(series.x[i], series.y[i], log_y)) {
        gap = i;
        continue;
      }
      if (low == end || series.y[i] < series.y[low]) low = i;
      if (high == end || series.y[i] > series.y[high]) high = i;
    }
    if (low != end) keep(std::min(low, high));
    if (low != high) keep(std::max(low, high));
    if (gap != end) keep(gap);
  }
  return thin;
}

/// A line through the points of each uninterrupted stretch; a lone point becomes a dot.
void draw_series(SvgCanvas& canvas, const Plot& plot, const Series& series, bool log_y) {
  std::vector<std::pair<double, double>> stretch;
  const auto flush = [&] {
    if (stretch.size() == 1) {
      canvas.circle(stretch[0].first, stretch[0].second, 3, series.colour);
    } else if (!stretch.empty()) {
      canvas.polyline(stretch, series.colour, 2);
    }
    stretch.clear();
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (can_be_drawn(series.x[i], series.y[i], log_y)) {
      stretch.push_back(plot.position(series.x[i], series.y[i]));
    } else {
      flush();
    }
  }
  flush();
}

}  // namespace

std::string LineChart::svg() const {
  check_series(series);
  for (const double extent : {width, height}) {
    if (extent > 0 && extent <= kLargest) continue;  // no NaN
    throw ValueError(fmt::format("a chart is above 0 and up to {} wide and high, not {} by {}",
                                 kLargest, width, height));
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double x_low = kInfinity, x_high = -kInfinity, y_low = kInfinity, y_high = -kInfinity;
  for (const Series& one : series) {
    for (std::size_t i = 0; i < one.x.size(); ++i) {
      if (!can_be_drawn(one.x[i], one.y[i], log_y)) continue;
      x_low = std::min(x_low, one.x[i]);
      x_high = std::max(x_high, one.x[i]);
      y_low = std::min(y_low, one.y[i]);
      y_high = std::max(y_high, one.y[i]);
    }
  }
  const std::vector<Series> coloured = with_colours(series);
  const double legend = legend_width(coloured);
  SvgCanvas canvas(width, height, title);
  canvas.heading(title, 28);
  const Axis y_axis = Axis::rounded(y_low, y_high, log_y);
  const double left = Plot::left_margin(y_axis, y_label);
  const double right_margin = legend > 0 ? legend + 36 : 24;
  const Box box{left, 46, std::max(60.0, width - left - right_margin),
                std::max(60.0, height - 46 - 56)};
  const Plot plot(canvas, box, Axis(x_low, x_high), y_axis);
  plot.draw_grid();
  for (const Series& one : coloured) draw_series(canvas, plot, thinned(one, log_y), log_y);
  plot.draw_axes(x_label, y_label);
  draw_legend(canvas, plot.box().right() + 16, plot.box().top + 12, coloured, false);
  return std::move(canvas).finish();
}

}  // namespace aclgrad::report
