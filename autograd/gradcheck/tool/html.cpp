// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "gradcheck/core/report_parts.h"
#include "gradcheck/tool/histogram.h"
#include "gradcheck/tool/run.h"

namespace aclgrad::gradcheck {
namespace {

constexpr const char* kStyle = R"(
  :root { color-scheme: light dark; --ink: #1b1f24; --ground: #fff; --faint: #5d6770; --pale: #f5f7f9;
          --line: #d9dee3; --good: #1a7f37; --bad: #c4314b; --unsure: #8a5a00; --bar: #0072b2; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --ground: #14171a; --faint: #9aa4ad;
          --pale: #1c2024; --line: #353b41; --good: #57ab5a; --bad: #f47067; --unsure: #d4a72c;
          --bar: #6cb6ff; } }
  body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground);
         max-width: 88rem; margin: 2rem auto; padding: 0 1.2rem; }
  h1 { margin-bottom: .2rem; } h2 { margin-top: 2.4rem; } h3 { margin: 2rem 0 .3rem; }
  table { border-collapse: collapse; width: 100%; } .wide { overflow-x: auto; }
  th, td { text-align: left; padding: .22rem 1rem .22rem 0; border-bottom: 1px solid var(--line);
           vertical-align: top; white-space: nowrap; }
  th { font-weight: 600; font-size: .86em; color: var(--faint); }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
  td.long { white-space: normal; } tbody tr:hover { background: var(--pale); }
  a { color: inherit; text-decoration-color: var(--line); }
  .good { color: var(--good); } .bad { color: var(--bad); } .unsure { color: var(--unsure); }
  .faint { color: var(--faint); } code { font-size: .92em; }
  .facts { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; margin: 1rem 0; }
  .facts b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
  .facts span { color: var(--faint); font-size: .86em; }
  .finding { border-left: 3px solid var(--bad); background: var(--pale); padding: .6rem 1rem;
             margin: .8rem 0; } .finding.maybe { border-color: var(--unsure); }
  .finding h3 { margin: 0; font-size: 1rem; } .finding p { margin: .3rem 0; }
  .finding code { user-select: all; overflow-wrap: anywhere; }
  figure { display: inline-block; margin: .5rem 1rem .3rem 0; } figcaption { font-size: .82em;
           color: var(--faint); padding-left: 34px; } summary { cursor: pointer; padding: .15rem 0; }
  svg text { fill: var(--faint); font-size: 10px; } svg .axis { stroke: var(--faint); }
  svg .grid { stroke: var(--line); } svg rect { fill: var(--bar); }
)";

using Errors = std::map<DType, ErrorSummary>;

std::string verdict_of(const Report& report) {
  if (report.checks == 0) return "<span class=\"faint\">not checked</span>";
  const Verdict verdict = report.verdict();
  return fmt::format("<span class=\"{}\">{}</span>",
                     verdict == Verdict::right   ? "good"
                     : verdict == Verdict::wrong ? "bad"
                                                 : "unsure",
                     to_string(verdict));
}

std::string cells_of(const Errors& errors) {
  std::string html;
  for (const DType dtype : kColumns) {
    const auto found = errors.find(dtype);
    html += found == errors.end() || found->second.elements == 0
                ? "<td class=\"n faint\">&ndash;</td>"
                : fmt::format("<td class=\"n\">{:.3g}</td>", found->second.max_ulp);
  }
  return html;
}

// The types that have no column.
std::string others_of(const Errors& errors) {
  std::string text;
  for (const auto& [dtype, summary] : errors) {
    if (std::find(std::begin(kColumns), std::end(kColumns), dtype) != std::end(kColumns)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", short_name(dtype));
    if (is_complex(dtype)) text += fmt::format(" {:.3g}", summary.max_ulp);
  }
  return text;
}

std::string head(const char* first) {
  std::string html = fmt::format(
      "<table><thead><tr><th></th><th></th><th></th><th></th><th colspan=\"5\">forward, largest "
      "error in ulp</th><th colspan=\"4\">gradient, largest difference in ulp</th></tr>\n"
      "<tr><th>{}</th><th>verdict</th><th class=\"n\">gradient elements</th><th "
      "class=\"n\">checks</th>",
      first);
  const auto columns = [&] {
    for (const DType dtype : kColumns) {
      html += fmt::format("<th class=\"n\">{}</th>", short_name(dtype));
    }
  };
  columns();
  html += "<th>also</th>";
  columns();
  return html + "</tr></thead><tbody>\n";
}

std::string row(const std::string& name, const Report& r, bool missing) {
  if (missing) {
    return fmt::format(
        "<tr><td>{}</td><td class=\"faint\" colspan=\"12\">not in the library</td></tr>\n", name);
  }
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>{}"
      "<td class=\"long faint\">{}</td>{}</tr>\n",
      name, verdict_of(r), r.elements(), r.checks, cells_of(r.forward), others_of(r.forward),
      cells_of(r.backward));
}

std::string overview(const std::vector<OperatorLines>& groups) {
  std::string html = "<div class=\"wide\">" + head("operator");
  for (const OperatorLines& group : groups) {
    html += row(fmt::format("<a href=\"#{0}\"><code>{0}</code></a>", group.op), group.report,
                !group.is_in_library);
  }
  return html + "</tbody></table></div>\n";
}

std::string pictures_of(const Report& report) {
  std::string figures;
  for (const auto& [side, errors] :
       {std::pair("forward", &report.forward), std::pair("gradient", &report.backward)}) {
    for (const DType dtype : kColumns) {
      const auto found = errors->find(dtype);
      if (found == errors->end()) continue;
      figures += histogram(fmt::format("{}, {}", side, short_name(dtype)), found->second);
    }
  }
  return figures;
}

std::string details_of(const OperatorLines& group) {
  std::vector<std::string> functions;
  for (const Line* line : group.lines) {
    for (const std::string& name : line->functions) {
      if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
        functions.push_back(name);
      }
    }
  }
  std::string html =
      fmt::format("<section id=\"{0}\"><h3><code>{0}</code></h3>\n<p class=\"faint\">{1}</p>\n",
                  group.op, fmt::join(functions, ", "));
  html += "<div class=\"wide\">" + head("attributes");
  for (const Line* line : group.lines) {
    const std::string name = line->attributes.empty() ? "none" : line->attributes;
    html += row("<code>" + escaped(name) + "</code>", line->report, !line->missing.empty());
  }
  html += "</tbody></table></div>\n";
  for (const Line* line : group.lines) {
    for (const Corner& corner : line->report.corners) {
      html += "<p>Corner: " + escaped(corner.to_string()) + "</p>\n";
    }
  }
  bool first = true;
  for (const Line* line : group.lines) {
    const std::string figures = pictures_of(line->report);
    if (figures.empty()) continue;
    html += fmt::format(
        "<details{}><summary>errors over the inputs <code>{}</code></summary>\n{}"
        "</details>\n",
        first ? " open" : "", escaped(line->attributes), figures);
    first = false;
  }
  return html + "</section>\n";
}

std::string finding_of(const Finding& finding, std::size_t alike) {
  const bool wrong = finding.verdict == Verdict::wrong;
  std::string html = fmt::format(
      "<div class=\"finding{}\"><h3><span class=\"{}\">{}</span> {} <span class=\"faint\">({})"
      "</span></h3>\n<p>{}</p>\n",
      wrong ? "" : " maybe", wrong ? "bad" : "unsure", to_string(finding.verdict),
      escaped(detail::place_of(finding)), escaped(finding.check), escaped(finding.text));
  if (finding.element) html += "<p>" + escaped(to_string(*finding.element)) + "</p>\n";
  if (!finding.diagnosis.empty()) html += "<p>Diagnosis: " + escaped(finding.diagnosis) + "</p>\n";
  if (!finding.reproduce.empty()) {
    html += "<p>Reproduce: <code>" + escaped(finding.reproduce) + "</code></p>\n";
  }
  if (alike > 1) html += fmt::format("<p class=\"faint\">and {} more like it</p>\n", alike - 1);
  return html + "</div>\n";
}

std::string fact(const std::string& number, const char* what) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>", number, what);
}

}  // namespace

std::string to_html(const std::string& library, const Coverage& found,
                    const std::vector<Line>& lines) {
  const Report all = total(lines);
  const std::vector<OperatorLines> groups = by_operator(lines);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>gradcheck</title>"
      "<style>{}</style></head><body>\n<h1>gradcheck: {}</h1>\n<p class=\"faint\">Library <code>{}"
      "</code></p>\n<div class=\"facts\">",
      kStyle, verdict_of(all), escaped(library));
  html += fact(std::to_string(all.right), "gradient elements right");
  html += fact(std::to_string(all.wrong), "wrong");
  if (all.inexact > 0) html += fact(std::to_string(all.inexact), "inexact");
  html += fact(std::to_string(all.inconclusive), "inconclusive");
  html += fact(std::to_string(all.vacuous), "gradients vacuous");
  html += fact(std::to_string(all.checks), "checks");
  html += fact(std::to_string(all.configurations), "configurations");
  html += fact(
      fmt::format("{} of {}", found.exported.size() - found.unknown.size(), found.exported.size()),
      "exported operators known");
  html += fact(std::to_string(found.without_gradient.size()), "of them without a gradient");
  html += "</div>\n";
  if (!all.findings.empty()) {
    html += fmt::format("<h2>Findings ({})</h2>\n", all.findings.size());
    for (const auto& [first, count] : by_kind(all.findings)) html += finding_of(*first, count);
  }
  html += "<h2>Operators</h2>\n" + overview(groups);
  html +=
      "<p class=\"faint\">One ulp is a unit in the last place of the dtype; rounding alone costs "
      "up to "
      "0.5. Gradients: distance from the numeric derivative, less what its error bar and the "
      "rounding of saved tensors explain, in units of what is added up. Elements at corners are "
      "left out. Other types than floating ones are right or wrong.</p>\n";
  html += "<h2>Details</h2>\n";
  for (const OperatorLines& group : groups) html += details_of(group);
  return html + "</body></html>\n";
}

}  // namespace aclgrad::gradcheck
