// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/svg.h"
#include "run/run_page.h"

namespace aclgrad::run {
namespace {

struct Norm {
  std::string name;
  double value;
};

// The latest norm of every weight, in the order of the layers. Biases and scales are left out where
// there are weights: they are of another size.
std::vector<Norm> latest_norms(const RunRecord& record) {
  const auto chart = std::ranges::find(record.charts, "Gradient norms", &RunRecord::Chart::title);
  std::vector<Norm> all, weights;
  if (chart == record.charts.end()) return all;
  for (const report::Series& curve : chart->series) {
    if (curve.y.empty()) continue;
    all.push_back({curve.name, curve.y.back()});
    if (curve.name.ends_with("weight")) weights.push_back(all.back());
  }
  return weights.empty() ? all : weights;
}

bool is_positive(const Norm& norm) { return std::isfinite(norm.value) && norm.value > 0; }

// By which factor norms grow from one layer to the next, on the line through their logarithms.
double factor_of(const std::vector<Norm>& norms) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < norms.size(); ++i) {
    if (!is_positive(norms[i])) continue;
    const auto at = static_cast<double>(i);
    const double log = std::log(norms[i].value);
    ++n;
    x += at;
    y += log;
    xx += at * at;
    xy += at * log;
  }
  return n < 3 ? 1 : std::exp((n * xy - x * y) / (n * xx - x * x));
}

std::string sentence_of(const std::vector<Norm>& norms) {
  std::string text;
  for (const Norm& norm : norms) {
    if (is_positive(norm)) continue;
    text += fmt::format("The gradient of {} is {}. ", report::xml_escape(norm.name),
                        norm.value == 0 ? "0: it learns nothing" : "not finite");
  }
  const double factor = factor_of(norms);
  constexpr double kWorthSaying = 1.25, kVanishing = 1000;
  const double by = std::max(factor, 1 / factor);
  if (by < kWorthSaying) return text;
  const double ends = std::pow(by, static_cast<double>(norms.size() - 1));
  text +=
      fmt::format("Backwards, gradients {} by {:.2g} a layer", factor > 1 ? "shrink" : "grow", by);
  if (ends < kVanishing) return text + ".";
  return text + fmt::format(", {:.1e} over all: {}.", ends,
                            factor > 1 ? "they vanish, and the first layers hardly learn"
                                       : "they explode towards the first layers");
}

}  // namespace

std::string gradients_section(const RunRecord& record) {
  const std::vector<Norm> norms = latest_norms(record);
  double low = INFINITY, high = 0;
  for (const Norm& norm : norms) {
    if (!is_positive(norm)) continue;
    low = std::min(low, norm.value);
    high = std::max(high, norm.value);
  }
  if (high == 0) return "";
  std::string rows;
  for (const Norm& norm : norms) {
    // A tenth of the width for the least, and as much more for every decade as fits.
    const double decades = std::max(1.0, std::log10(high / low));
    const double width =
        is_positive(norm) ? 10 + 90 * (1 - std::log10(high / norm.value) / decades) : 0;
    rows += fmt::format(
        "<tr><td>{}</td><td class=\"share\"><i style=\"width:{:.1f}%\"></i></td>"
        "<td class=\"number\">{:.3g}</td></tr>\n",
        report::xml_escape(norm.name), width, norm.value);
  }
  return fmt::format(
      "<section id=\"gradients\"><h2>Gradient norms by layer</h2><p>{}</p><p class=\"faint\">As "
      "they "
      "were last observed, from the first layer to the last; bars are logarithmic.</p>\n"
      "<table>{}</table></section>\n",
      sentence_of(norms), rows);
}

}  // namespace aclgrad::run
