// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/report.h"
#include "report/axes.h"
#include "report/svg.h"

namespace aclgrad::report {
namespace {

constexpr double kPlotSize = 440;

/// Two pale tones of the class colours with near-white between, so that points stand out. Steps
/// instead of a smooth ramp: cells of one step become one path.
class FieldColours {
 public:
  FieldColours(const std::array<std::string, 2>& colours, const std::array<double, 2>& range)
      : ends_{parse_colour(colours[0]), parse_colour(colours[1])}, range_(range) {}

  std::string operator()(double value) const {
    if (std::isnan(value)) return "#bbbbbb";
    constexpr double kSteps = 40;
    const double part = std::clamp((value - range_[0]) / (range_[1] - range_[0]), 0.0, 1.0);
    const double side = 2 * std::round(part * kSteps) / kSteps - 1;  // -1 first, 1 second colour
    return blend(kPaper, ends_[side > 0 ? 1 : 0], 0.05 + 0.4 * std::abs(side));
  }

 private:
  std::array<Colour, 2> ends_;
  std::array<double, 2> range_;
};

}  // namespace

std::string DecisionMap::svg() const {
  check_series(points);
  if (field.numel() > 0 && field.rank() != 2) {
    throw ShapeError("the field must be [rows, columns], got shape " + to_string(field.shape()));
  }
  std::vector<Series> coloured = points;
  for (std::size_t i = 0; i < std::min(coloured.size(), field_colours.size()); ++i) {
    if (coloured[i].colour.empty()) coloured[i].colour = field_colours[i];
  }
  coloured = with_colours(std::move(coloured));

  const double legend = legend_width(coloured);
  const Axis y_axis(y_range[0], y_range[1]);
  const Box box{Plot::left_margin(y_axis, y_label), 46, kPlotSize, kPlotSize};
  SvgCanvas canvas(box.right() + (legend > 0 ? legend + 36 : 24), box.bottom() + 56, title);
  canvas.heading(title, 28);
  const Plot plot(canvas, box, Axis(x_range[0], x_range[1]), y_axis);
  if (field.numel() > 0) {
    const FieldColours colour_of(field_colours, field_range);
    const std::int64_t rows = field.shape()[0], columns = field.shape()[1];
    canvas.raster(box.left, box.top, box.width / static_cast<double>(columns),
                  box.height / static_cast<double>(rows), rows, columns,
                  [&](std::int64_t row, std::int64_t column) {
                    return colour_of(field.at({rows - 1 - row, column}));
                  });
  } else {
    plot.draw_grid();
  }
  canvas.begin_clip(box.left, box.top, box.width, box.height);
  for (const Series& one : coloured) {
    for (std::size_t i = 0; i < one.x.size(); ++i) {
      const auto [x, y] = plot.position(one.x[i], one.y[i]);
      if (std::isfinite(x) && std::isfinite(y)) canvas.circle(x, y, 4, one.colour, "#ffffff");
    }
  }
  canvas.end_clip();
  plot.draw_axes(x_label, y_label);
  draw_legend(canvas, box.right() + 16, box.top + 12, coloured, true);
  return std::move(canvas).finish();
}

}  // namespace aclgrad::report
