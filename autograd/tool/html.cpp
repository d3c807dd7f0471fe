// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tool/run.h"

namespace aclgrad::gradcheck {
namespace {

constexpr const char* kStyle = R"(
  :root { color-scheme: light dark; --ink: #1b1f24; --ground: #fff; --faint: #6a737d;
          --line: #d9dee3; --good: #1a7f37; --bad: #c4314b; --unsure: #9a6700; --bar: #0072b2; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --ground: #14171a; --faint: #9aa4ad;
          --line: #353b41; --good: #57ab5a; --bad: #f47067; --unsure: #d4a72c; --bar: #6cb6ff; } }
  body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground);
         max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line);
           vertical-align: top; }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
  .good { color: var(--good); } .bad { color: var(--bad); } .unsure { color: var(--unsure); }
  .faint { color: var(--faint); } code { font-size: .9em; }
  figure { display: inline-block; margin: .6rem 1rem .6rem 0; } figcaption { font-size: .85em; }
  svg text { fill: var(--faint); font-size: 10px; } svg .axis { stroke: var(--line); }
  svg rect { fill: var(--bar); } pre { white-space: pre-wrap; font-size: .85em;
  border-left: 3px solid var(--bad); padding-left: .8rem; }
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// The largest error in each of 48 equal parts of the input range.
std::string histogram(const std::string& caption, const ErrorSummary& errors) {
  constexpr std::size_t kBins = 48;
  constexpr double kWidth = 300;
  constexpr double kHeight = 90;
  if (errors.samples.size() < 2) return "";
  double low = INFINITY;
  double high = -INFINITY;
  double top = 0;
  for (const auto& [input, ulp] : errors.samples) {
    low = std::min(low, input);
    high = std::max(high, input);
    top = std::max(top, ulp);
  }
  if (!(high > low)) return "";
  std::array<double, kBins> bins{};
  for (const auto& [input, ulp] : errors.samples) {
    const double place = (input - low) / (high - low) * static_cast<double>(kBins);
    double& bin = bins[std::min(kBins - 1, static_cast<std::size_t>(place))];
    bin = std::max(bin, ulp);
  }
  const double scale = std::max(top, 0.5);
  std::string svg = fmt::format(
      "<figure><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">"
      "<title>{2}</title>",
      kWidth + 40, kHeight + 26, escaped(caption));
  const double step = kWidth / static_cast<double>(kBins);
  for (std::size_t i = 0; i < kBins; ++i) {
    const double height = bins[i] / scale * kHeight;
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                       34 + step * static_cast<double>(i), 8 + kHeight - height, step - 1, height);
  }
  svg += fmt::format(
      "<line class=\"axis\" x1=\"34\" x2=\"{0}\" y1=\"{1}\" y2=\"{1}\"/>"
      "<text x=\"30\" y=\"14\" text-anchor=\"end\">{2:.3g}</text>"
      "<text x=\"30\" y=\"{1}\" text-anchor=\"end\">0</text>"
      "<text x=\"34\" y=\"{3}\">{4:.4g}</text>"
      "<text x=\"{0}\" y=\"{3}\" text-anchor=\"end\">{5:.4g}</text></svg>",
      34 + kWidth, 8 + kHeight, scale, 22 + kHeight, low, high);
  return svg + fmt::format("<figcaption>{}</figcaption></figure>\n", escaped(caption));
}

std::string verdict_cell(const Line& line) {
  if (!line.missing.empty()) return "<td class=\"faint\">not in the library</td>";
  const Report& report = line.report;
  if (!report.passed()) return "<td class=\"bad\">wrong</td>";
  return report.undecided() ? "<td class=\"unsure\">cannot tell</td>"
                            : "<td class=\"good\">right</td>";
}

std::string ulps(const std::map<DType, ErrorSummary>& errors) {
  std::string text;
  for (const auto& [dtype, summary] : errors) {
    text +=
        fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", short_name(dtype), summary.max_ulp);
  }
  return text;
}

std::string table(const std::vector<Line>& lines) {
  std::string html =
      "<table><tr><th>operator</th><th>verdict</th><th class=\"n\">elements</th>"
      "<th class=\"n\">checks</th><th>forward, largest error in ulp</th>"
      "<th>backward, largest difference in ulp</th></tr>\n";
  for (const Line& line : lines) {
    const Report& r = line.report;
    html += fmt::format(
        "<tr><td><code>{}</code></td>{}<td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        escaped(line.title), verdict_cell(line), r.right + r.wrong + r.cannot_tell, r.checks,
        ulps(r.forward), ulps(r.backward));
  }
  return html + "</table>\n";
}

std::string pictures(const std::vector<Line>& lines) {
  std::string html;
  for (const Line& line : lines) {
    std::string figures;
    for (const auto& [dtype, errors] : line.report.forward) {
      figures += histogram(fmt::format("forward, {}", short_name(dtype)), errors);
    }
    for (const auto& [dtype, errors] : line.report.backward) {
      figures += histogram(fmt::format("backward, {}", short_name(dtype)), errors);
    }
    if (figures.empty()) continue;
    html += fmt::format("<details><summary><code>{}</code></summary>\n{}</details>\n",
                        escaped(line.title), figures);
  }
  return html;
}

}  // namespace

std::string to_html(const Library& library, const Coverage& found, const std::vector<Line>& lines) {
  const Report all = total(lines);
  const char* verdict = !all.passed()     ? "<span class=\"bad\">wrong</span>"
                        : all.undecided() ? "<span class=\"unsure\">cannot tell</span>"
                                          : "<span class=\"good\">right</span>";
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>gradcheck</title>"
      "<style>{}</style></head><body>\n<h1>gradcheck: {}</h1>\n"
      "<p>Library <code>{}</code>. {} elements right, {} wrong, {} undecided; {} checks in {} "
      "configurations. {} of the {} two-phase operators that it exports are known.</p>\n",
      kStyle, verdict, escaped(library.path()), all.right, all.wrong, all.cannot_tell, all.checks,
      all.configurations, found.exported.size() - found.unknown.size(), found.exported.size());
  if (!all.findings.empty()) {
    html += "<h2>Findings</h2>\n";
    for (const Finding& finding : all.findings) {
      html += "<pre>" + escaped(finding.to_string()) + "</pre>\n";
    }
  }
  html += "<h2>Operators</h2>\n" + table(lines);
  if (!all.corners.empty()) {
    html += "<h2>Corners</h2>\n<ul>\n";
    for (const Corner& corner : all.corners) {
      html += "<li>" + escaped(corner.to_string()) + "</li>\n";
    }
    html += "</ul>\n";
  }
  html +=
      "<h2>Errors over the input range</h2>\n<p class=\"faint\">The largest error, in units of the "
      "last place, in each part of the inputs' range; elements at corners are left out. Backward: "
      "distance from the numeric derivative, less what its error bar and the rounding of saved "
      "tensors explain.</p>\n" +
      pictures(lines);
  return html + "</body></html>\n";
}

}  // namespace aclgrad::gradcheck
