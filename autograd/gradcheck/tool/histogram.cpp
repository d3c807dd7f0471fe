// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace aclgrad::gradcheck {
namespace {

constexpr std::size_t kBins = 48;
constexpr double kLeft = 34;
constexpr double kTop = 8;
constexpr double kWidth = 288;
constexpr double kHeight = 96;
constexpr double kBottom = kTop + kHeight;

struct Bins {
  double low = INFINITY;  // of the inputs
  double high = -INFINITY;
  double top = 0;  // largest error
  std::array<double, kBins> errors{};
};

Bins bins_of(const ErrorSummary& errors) {
  Bins bins;
  for (const auto& [input, ulp] : errors.samples) {
    bins.low = std::min(bins.low, input);
    bins.high = std::max(bins.high, input);
    bins.top = std::max(bins.top, ulp);
  }
  if (!(bins.high > bins.low)) return bins;
  for (const auto& [input, ulp] : errors.samples) {
    const double place = (input - bins.low) / (bins.high - bins.low) * static_cast<double>(kBins);
    double& bin = bins.errors[std::min(kBins - 1, static_cast<std::size_t>(place))];
    bin = std::max(bin, ulp);
  }
  return bins;
}

// A horizontal line with its value in front of it.
std::string level(double value, double scale) {
  const double y = kBottom - value / scale * kHeight;
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
      "<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g}</text>",
      value == 0 ? "axis" : "grid", kLeft, kLeft + kWidth, y, y, kLeft - 4, y + 3.5, value);
}

// An input's value under the axis.
std::string tick(double value, const Bins& bins, const char* anchor) {
  const double x = kLeft + (value - bins.low) / (bins.high - bins.low) * kWidth;
  return fmt::format(
      "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\"/>"
      "<text x=\"{0:.1f}\" y=\"{3:.0f}\" text-anchor=\"{4}\">{5:.4g}</text>",
      x, kBottom, kBottom + 4, kBottom + 15, anchor, value);
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string histogram(const std::string& caption, const ErrorSummary& errors) {
  const Bins bins = bins_of(errors);
  if (errors.samples.size() < kBins || !(bins.high > bins.low) || bins.top == 0) return "";
  const double scale = bins.top <= 0.55 ? 0.6 : bins.top * 1.1;
  std::string svg = fmt::format(
      "<figure><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">"
      "<title>{2}</title>",
      kLeft + kWidth + 8, kBottom + 20, escaped(caption));
  const double step = kWidth / static_cast<double>(kBins);
  for (std::size_t i = 0; i < kBins; ++i) {
    const double height = bins.errors[i] / scale * kHeight;
    const double at = bins.low + (bins.high - bins.low) * static_cast<double>(i) / kBins;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>from {:.4g}: "
        "{:.3g} ulp</title></rect>",
        kLeft + step * static_cast<double>(i), kBottom - height, step - 1, height, at,
        bins.errors[i]);
  }
  svg += level(0, scale) + level(0.5, scale);
  const double unit = std::max(1.0, std::floor(scale / 4));
  for (double value = unit; value <= scale; value += unit) svg += level(value, scale);
  svg += tick(bins.low, bins, "start") + tick(bins.high, bins, "end");
  const double margin = (bins.high - bins.low) / 8;
  if (bins.low + margin < 0 && bins.high - margin > 0) svg += tick(0, bins, "middle");
  return svg + fmt::format("</svg><figcaption>{}</figcaption></figure>\n", escaped(caption));
}

}  // namespace aclgrad::gradcheck
