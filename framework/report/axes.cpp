// SPDX-License-Identifier: Apache-2.0
#include "report/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"

namespace aclgrad::report {
namespace {

constexpr double kLegendMark = 22;
constexpr double kLegendLine = 18;
constexpr int kXTicks = 8;
constexpr int kYTicks = 6;
constexpr double kTickGap = 12;     // between the numbers of the y axis and the frame
constexpr double kYLabelRoom = 34;  // for the label of the y axis and air on both sides

/// The round distance (1, 2 or 5 times a power of ten) that cuts a span in at most `count` pieces.
double tick_spacing(double span, int count) {
  const double least = span / count;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> linear_ticks(double low, double high, int count) {
  const double spacing = tick_spacing(high - low, count);
  std::vector<double> ticks;
  const double first = std::ceil(low / spacing - 1e-6);
  const double last = std::floor(high / spacing + 1e-6);
  for (double i = first; i <= last; ++i) ticks.push_back(i * spacing);
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int count) {
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  const double decades = std::log10(high) - std::log10(low);
  // Many decades: whole powers, not each; few: also 2 and 5; less than one: evenly spaced numbers.
  if (decades < 1) return linear_ticks(low, high, count);
  const std::vector<double> factors =
      decades <= count / 3.0 ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  const double stride = std::max(1.0, std::ceil(decades / count));
  std::vector<double> ticks;
  // From a multiple of the stride, so that 1 is among the ticks wherever it is on the axis.
  for (double power = std::floor(first / stride) * stride; power <= last; power += stride) {
    for (const double factor : factors) {
      const double tick = factor * std::pow(10, power);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  }
  return ticks;
}

}  // namespace

ByteUnit byte_unit(std::size_t bytes) {
  if (bytes >= 1 << 20) return {1 << 20, "MiB"};
  if (bytes >= 1 << 10) return {1 << 10, "KiB"};
  return {1, "B"};
}

std::string bytes_text(std::size_t bytes) {
  const ByteUnit unit = byte_unit(bytes);
  return fmt::format("{:.{}f} {}", static_cast<double>(bytes) / unit.bytes, unit.bytes > 1 ? 1 : 0,
                     unit.name);
}

Axis::Axis(double low, double high, bool logarithmic)
    : low_(low), high_(high), logarithmic_(logarithmic) {
  // Beyond this, differences of doubles could overflow.
  constexpr double kFarthest = 1e300;
  if (!(std::abs(low) <= kFarthest && std::abs(high) <= kFarthest && low <= high) ||
      (logarithmic && low <= 0)) {
    low_ = logarithmic ? 0.1 : 0;
    high_ = 1;
  } else if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high)) || high == low) {
    const double margin = low == 0 ? 1 : std::abs(low) * 0.5;
    low_ = low - margin;
    high_ = high + margin;
  }
}

Axis Axis::rounded(double low, double high, bool logarithmic) {
  const Axis plain(low, high, logarithmic);
  if (logarithmic) {
    // Whole decades would waste most of a chart that spans little more than one.
    const double margin = std::exp(0.04 * (std::log(plain.high_) - std::log(plain.low_)));
    return Axis(plain.low_ / margin, plain.high_ * margin, true);
  }
  const double spacing = tick_spacing(plain.high_ - plain.low_, 6);
  return Axis(std::floor(plain.low_ / spacing + 1e-6) * spacing,
              std::ceil(plain.high_ / spacing - 1e-6) * spacing);
}

double Axis::fraction(double value) const {
  if (logarithmic_) return (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_));
  return (value - low_) / (high_ - low_);
}

std::vector<Axis::Tick> Axis::ticks(int count) const {
  const std::vector<double> values =
      logarithmic_ ? log_ticks(low_, high_, count) : linear_ticks(low_, high_, count);
  int digits = 4;
  if (!logarithmic_ && values.size() > 1) {
    const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
    const double magnitudes = std::log10(largest / (values[1] - values[0]));
    digits = std::clamp(static_cast<int>(std::ceil(magnitudes)) + 1, 4, 15);
  }
  std::vector<Tick> ticks;
  for (const double value : values) ticks.push_back({value, nice_number(value, digits)});
  return ticks;
}

double Plot::left_margin(const Axis& y, const std::string& y_label) {
  double widest = 24;
  for (const Axis::Tick& tick : y.ticks(kYTicks)) {
    widest = std::max(widest, text_width(tick.label, kTextSize));
  }
  return widest + kTickGap + (y_label.empty() ? 14 : kYLabelRoom);
}

Plot::Plot(SvgCanvas& canvas, const Box& box, Axis x, Axis y)
    : canvas_(canvas), box_(box), x_(x), y_(y) {}

std::pair<double, double> Plot::position(double x, double y) const {
  return {box_.left + box_.width * x_.fraction(x), box_.bottom() - box_.height * y_.fraction(y)};
}

void Plot::draw_grid() const {
  for (const Axis::Tick& tick : x_.ticks(kXTicks)) {
    const double x = position(tick.value, y_.low()).first;
    canvas_.line(x, box_.top, x, box_.bottom(), kGridColour);
  }
  for (const Axis::Tick& tick : y_.ticks(kYTicks)) {
    const double y = position(x_.low(), tick.value).second;
    canvas_.line(box_.left, y, box_.right(), y, kGridColour);
  }
}

void Plot::draw_axes(const std::string& x_label, const std::string& y_label) const {
  canvas_.rectangle(box_.left, box_.top, box_.width, box_.height, "none", kFaintInk);
  for (const Axis::Tick& tick : x_.ticks(kXTicks)) {
    const double x = position(tick.value, y_.low()).first;
    canvas_.line(x, box_.bottom(), x, box_.bottom() + 5, kFaintInk);
    canvas_.text(x, box_.bottom() + 19, tick.label, {.anchor = Anchor::middle});
  }
  for (const Axis::Tick& tick : y_.ticks(kYTicks)) {
    const double y = position(x_.low(), tick.value).second;
    canvas_.line(box_.left - 5, y, box_.left, y, kFaintInk);
    canvas_.text(box_.left - 8, y + 4, tick.label, {.anchor = Anchor::end});
  }
  canvas_.text(box_.left + box_.width / 2, box_.bottom() + 40, x_label,
               {.size = 13, .anchor = Anchor::middle});
  canvas_.text(box_.left - left_margin(y_, y_label) + 22, box_.top + box_.height / 2, y_label,
               {.size = 13, .anchor = Anchor::middle, .rotation = -90});
}

void draw_legend(SvgCanvas& canvas, double x, double y, const std::vector<Series>& series,
                 bool dots) {
  for (const Series& one : series) {
    if (one.name.empty()) continue;
    if (dots) {
      canvas.circle(x + kLegendMark / 2, y, 4.5, one.colour, "#ffffff");
    } else {
      canvas.line(x, y, x + kLegendMark, y, one.colour, 3);
    }
    canvas.text(x + kLegendMark + 6, y + 4, one.name);
    y += kLegendLine;
  }
}

std::string_view pass_colour(Pass pass) { return palette(static_cast<std::size_t>(pass)); }

std::vector<Series> pass_legend() {
  std::vector<Series> legend;
  for (const Pass pass : {Pass::forward, Pass::backward, Pass::update}) {
    legend.push_back({.name = to_string(pass), .colour = std::string(pass_colour(pass))});
  }
  return legend;
}

double legend_width(const std::vector<Series>& series) {
  double width = 0;
  for (const Series& one : series) {
    if (one.name.empty()) continue;
    width = std::max(width, kLegendMark + 6 + text_width(one.name, kTextSize));
  }
  return width;
}

void check_series(const std::vector<Series>& series) {
  for (const Series& one : series) {
    if (one.x.size() != one.y.size()) {
      throw ShapeError(
          fmt::format("series '{}' has {} x and {} y", one.name, one.x.size(), one.y.size()));
    }
  }
}

std::vector<Series> with_colours(std::vector<Series> series) {
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].colour.empty()) series[i].colour = palette(i);
  }
  return series;
}

}  // namespace aclgrad::report
