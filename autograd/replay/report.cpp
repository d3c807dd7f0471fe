// SPDX-License-Identifier: Apache-2.0
// What a replay found: as text, for machines, and as a page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/tool/histogram.h"
#include "replay/replay.h"

namespace aclgrad::replay {
namespace {

constexpr std::size_t kInText = 20;  // findings, besides the first

Row total(const Report& report) {
  Row all;
  for (const auto& [name, row] : report.rows) {
    all.calls += row.calls;
    all.equal += row.equal;
    all.within += row.within;
    all.beyond += row.beyond;
    all.unjudged += row.unjudged;
    all.refused += row.refused;
    all.largest = std::max(all.largest, row.largest);
  }
  return all;
}

std::string line_of(const Finding& finding) {
  return fmt::format("call {}, {}{}: {}: {}", finding.number, finding.function,
                     run_text(finding.run), finding.kind, finding.text);
}

Json json_of(const Finding& finding) {
  Json json = {{"call", finding.number},
               {"function", finding.function},
               {"kind", finding.kind},
               {"text", finding.text}};
  if (finding.run) json["run_by"] = *finding.run;
  if (const auto& element = finding.element) {
    const auto number = [](double value) {
      return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
    };
    json["element"] = {{"tensor", element->tensor},
                       {"index", element->index},
                       {"got", number(element->got)},
                       {"expected", number(element->expected)},
                       {"off", number(element->off)},
                       {"bound", number(element->bound)},
                       {"unit", element->is_floating ? "ulp" : "one"}};
  }
  return json;
}

constexpr const char* kStyle = R"(
  :root { color-scheme: light dark; --ink: #1b1f24; --ground: #fff; --faint: #5d6770; --line: #d9dee3;
          --good: #1a7f37; --bad: #c4314b; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --ground: #14171a; --faint: #9aa4ad;
          --line: #353b41; --good: #57ab5a; --bad: #f47067; } }
  body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground);
         max-width: 76rem; margin: 2rem auto; padding: 0 1.2rem; }
  table { border-collapse: collapse; } th, td { text-align: right; padding: .2rem 1.2rem .2rem 0;
          border-bottom: 1px solid var(--line); } th:first-child, td:first-child { text-align: left; }
  th { color: var(--faint); font-weight: 600; font-size: .86em; } .good { color: var(--good); }
  .bad { color: var(--bad); } .faint { color: var(--faint); } li { margin: .4rem 0; overflow-wrap: anywhere; }
)";

}  // namespace

std::string to_text(const Report& report) {
  const Row all = total(report);
  std::string text =
      fmt::format("{}: {} calls of {}\n", report.record, report.calls, report.program);
  if (report.is_torn)
    text += "Its last line is torn, as of a process that was killed, and left out.\n";
  text += fmt::format(
      "{} calls of operators run here: {} equal, {} within their bounds, {} refused alike, {} "
      "without a "
      "bound, {} wrong\n",
      all.calls, all.equal, all.within, all.refused, all.unjudged, all.beyond);
  if (report.gradients > 0)
    text += fmt::format("{} elements of gradients differentiated\n", report.gradients);
  for (const auto& [why, count] : report.left_out)
    text += fmt::format("not judged: {} ({})\n", why, count);
  for (const auto& [why, count] : report.unchecked)
    text += fmt::format("gradients not checked: {} ({})\n", why, count);
  for (const auto& [function, why] : report.unjudged)
    text += fmt::format("no bound: {}: {}\n", function, why);
  if (report.is_right()) return text + "All is as it must be.\n";
  text += fmt::format("\nFirst: {}\n", line_of(report.findings.front()));
  if (!report.reproduced.empty())
    text += fmt::format("The first wrong value as a C program: {}\n", report.reproduced);
  for (std::size_t i = 1; i < report.findings.size(); ++i) {
    if (i > kInText) return text + fmt::format("and {} more\n", report.findings.size() - i);
    text += line_of(report.findings[i]) + "\n";
  }
  return text;
}

std::string to_json(const Report& report) {
  Json json = {{"record", report.record},      {"program", report.program},
               {"library", report.library},    {"calls", report.calls},
               {"torn", report.is_torn},       {"right", report.is_right()},
               {"gradients", report.gradients}};
  for (const auto& [name, row] : report.rows) {
    json["operators"][name] = {{"calls", row.calls},       {"equal", row.equal},
                               {"within", row.within},     {"beyond", row.beyond},
                               {"unjudged", row.unjudged}, {"refused", row.refused},
                               {"largest", row.largest}};
  }
  json["left_out"] = report.left_out;
  json["gradients_not_checked"] = report.unchecked;
  json["findings"] = Json::array();
  for (const Finding& each : report.findings) json["findings"].push_back(json_of(each));
  if (!report.reproduced.empty()) json["reproduced"] = report.reproduced;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_html(const Report& report) {
  using gradcheck::escaped;
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>replay</title><style>{}</style></"
      "head><body>\n<h1>Replay: <span "
      "class=\"{}\">{}</span></h1>\n<p class=\"faint\">{} calls of <code>{}</code>, run in "
      "<code>{}</code></p>\n",
      kStyle, report.is_right() ? "good" : "bad", report.is_right() ? "right" : "wrong",
      report.calls, escaped(report.program), escaped(report.library));
  if (!report.findings.empty()) {
    html += "<h2>Findings</h2>\n<ol>\n";
    for (const Finding& each : report.findings) html += "<li>" + escaped(line_of(each)) + "</li>\n";
    html += "</ol>\n";
  }
  html +=
      "<h2>Operators</h2>\n<table><thead><tr><th>operator</th><th>calls</th><th>equal</"
      "th><th>within</th>"
      "<th>refused</th><th>no bound</th><th>wrong</th><th>largest error over "
      "bound</th></tr></thead><tbody>\n";
  for (const auto& [name, row] : report.rows) {
    html += fmt::format(
        "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td "
        "class=\"{}\">{}</td>"
        "<td>{:.3g}</td></tr>\n",
        escaped(name), row.calls, row.equal, row.within, row.refused, row.unjudged,
        row.beyond > 0 ? "bad" : "faint", row.beyond, row.largest);
  }
  html += "</tbody></table>\n";
  for (const auto& [why, count] : report.left_out) {
    html += fmt::format("<p class=\"faint\">Not judged: {} ({})</p>\n", escaped(why), count);
  }
  for (const auto& [why, count] : report.unchecked) {
    html +=
        fmt::format("<p class=\"faint\">Gradients not checked: {} ({})</p>\n", escaped(why), count);
  }
  return html + "</body></html>\n";
}

}  // namespace aclgrad::replay
