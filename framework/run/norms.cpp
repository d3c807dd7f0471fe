// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

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
std::vector<Norm> latest(const RunRecord& record, const char* title) {
  const auto chart = std::ranges::find(record.charts, title, &RunRecord::Chart::title);
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

std::string gradients_sentence(const std::vector<Norm>& norms) {
  std::string text;
  for (const Norm& norm : norms) {
    if (is_positive(norm)) continue;
    text += fmt::format("The gradient of {} is {}. ", report::xml_escape(norm.name),
                        norm.value == 0 ? "0: it learns nothing" : "not finite");
  }
  const double factor = factor_of(norms);
  constexpr double kWorthSaying = 1.25, kVanishing = 1000;
  const double by = std::max(factor, 1 / factor);
  if (by < kWorthSaying)
    return text.empty() ? "They neither grow nor shrink from layer to layer." : text;
  const double ends = std::pow(by, static_cast<double>(norms.size() - 1));
  text +=
      fmt::format("Backwards, gradients {} by {:.2g} a layer", factor > 1 ? "shrink" : "grow", by);
  if (ends < kVanishing) return text + ".";
  return text + fmt::format(", {:.1e} over all: {}.", ends,
                            factor > 1 ? "they vanish, and the first layers hardly learn"
                                       : "they explode towards the first layers");
}

// " a, b, c and 5 more hardly change: why."; "" for none.
std::string about(const std::vector<std::string>& names, const char* what) {
  constexpr std::size_t kShown = 4;
  if (names.empty()) return "";
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  std::string text = fmt::format(" {}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text + ": " + what;
}

// What a step changes of a weight, as parts of it. About a thousandth is usual.
std::string updates_sentence(const std::vector<Norm>& ratios) {
  constexpr double kHardly = 1e-5, kMuch = 0.1;
  std::vector<double> all;
  std::vector<std::string> hardly, much;
  for (const Norm& ratio : ratios) {
    if (is_positive(ratio)) all.push_back(ratio.value);
    if (ratio.value < kHardly) hardly.push_back(report::xml_escape(ratio.name));
    if (ratio.value > kMuch) much.push_back(report::xml_escape(ratio.name));
  }
  if (all.empty()) return "";
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return fmt::format(
      "A step changed the weights by {:.2g} % of their norm (the middle one); about 0.1 % is "
      "usual.{}{}",
      100 * all[all.size() / 2],
      about(hardly, "hardly changed, as the learning rate or the gradient is small."),
      about(much, "changed a lot; a smaller learning rate may train better."));
}

// A table with a bar for each; what is 0 or not finite has none.
std::string bars(const std::vector<Norm>& norms) {
  double low = INFINITY, high = 0;
  for (const Norm& norm : norms) {
    if (!is_positive(norm)) continue;
    low = std::min(low, norm.value);
    high = std::max(high, norm.value);
  }
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
  return "<table>" + rows + "</table>";
}

std::string section(const char* id, const char* title, const std::string& sentence,
                    const std::vector<Norm>& norms) {
  if (std::ranges::none_of(norms, is_positive)) return "";
  return fmt::format(
      "<section id=\"{}\"><h2>{}</h2><p>{}</p><p class=\"faint\">As last observed, from the first "
      "layer to the last; bars are logarithmic.</p>\n{}</section>\n",
      id, title, sentence, bars(norms));
}

}  // namespace

std::string norms_sections(const RunRecord& record) {
  const std::vector<Norm> gradients = latest(record, "Gradient norms");
  const std::vector<Norm> updates = latest(record, "Update ratios");
  return section("gradients", "Gradient norms by layer", gradients_sentence(gradients), gradients) +
         section("updates", "Updates by layer", updates_sentence(updates), updates);
}

}  // namespace aclgrad::run
