// SPDX-License-Identifier: Apache-2.0
// A plot area with two axes: ranges, ticks at round numbers, grid, labels, legend.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/report.h"
#include "report/svg.h"

namespace aclgrad::report {

/// Values farther from 0 than this, and on a logarithmic axis nearer than its inverse, are not
/// drawn: it leaves room to compute margins without overflow.
inline constexpr double kFarthestDrawn = 1e250;

/// One axis: maps values to positions and knows where its ticks are.
class Axis {
 public:
  /// Values from low to high; a range that is empty or not finite is replaced by one that can be
  /// drawn. On a logarithmic axis both must be positive.
  Axis(double low, double high, bool logarithmic = false);

  /// The smallest axis with round ends that holds all of [low, high].
  static Axis rounded(double low, double high, bool logarithmic = false);

  double low() const noexcept { return low_; }
  double high() const noexcept { return high_; }

  /// Where a value lies: 0 at low, 1 at high.
  double fraction(double value) const;

  struct Tick {
    double value;
    std::string label;  ///< with as many digits as tell it from its neighbours
  };

  /// Round numbers within the range, at most about `count`.
  std::vector<Tick> ticks(int count) const;

 private:
  double low_;
  double high_;
  bool logarithmic_;
};

/// The largest of B, KiB and MiB that there is one of.
struct ByteUnit {
  double bytes;
  std::string name;
};
ByteUnit byte_unit(std::size_t bytes);

/// "512 B", "3.4 KiB", "12.0 MiB".
std::string bytes_text(std::size_t bytes);

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

class Plot {
 public:
  /// Room to keep free at the left of the box for the numbers and the label of the y axis.
  static double left_margin(const Axis& y, const std::string& y_label);

  Plot(SvgCanvas& canvas, const Box& box, Axis x, Axis y);

  std::pair<double, double> position(double x, double y) const;
  const Box& box() const noexcept { return box_; }

  void draw_grid() const;
  /// Frame, ticks and labels; `y_label` runs upwards at the left.
  void draw_axes(const std::string& x_label, const std::string& y_label) const;

 private:
  SvgCanvas& canvas_;
  Box box_;
  Axis x_;
  Axis y_;
};

/// Named series with a mark of their colour, one below the other; unnamed ones are left out.
/// A mark is a line, or a dot when `dots` is set.
void draw_legend(SvgCanvas& canvas, double x, double y, const std::vector<Series>& series,
                 bool dots);

/// How what belongs to a part of a training step is drawn, and what the legend says of it.
std::string_view pass_colour(Pass pass);
std::vector<Series> pass_legend();

/// Room for the legend's marks and names; 0 when no series has a name.
double legend_width(const std::vector<Series>& series);

/// Throws ShapeError when a series has not as many x as y.
void check_series(const std::vector<Series>& series);

/// A copy in which every series has a colour of its own.
std::vector<Series> with_colours(std::vector<Series> series);

}  // namespace aclgrad::report
