// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "page/document.h"
#include "report/svg.h"
#include "run/run_page.h"

namespace aclgrad {
namespace {

using report::xml_escape;

// "Loss, train"; a chart's only curve may have no name of its own.
std::string name_of(const RunRecord::Chart& chart, const report::Series& curve) {
  return curve.name.empty() ? chart.title : chart.title + ", " + curve.name;
}

// All names, in the order of their first mention.
template <class List>
void mention(std::vector<std::string>& names, const List& list) {
  for (const auto& [name, other] : list) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

std::vector<std::pair<std::string, std::string>> last_values(const RunRecord& run) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const RunRecord::Chart& chart : run.charts) {
    for (const report::Series& curve : chart.series) {
      if (curve.y.empty()) continue;
      values.emplace_back(name_of(chart, curve), fmt::format("{:.4g}", curve.y.back()));
    }
  }
  return values;
}

// Of a page beside this one, whatever its name: a browser must not take it for a scheme, a query or
// a place in this page.
std::string link_to(const std::string& page) {
  constexpr std::string_view kPlain =
      "-._~/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string link;
  for (const char c : page) {
    link += kPlain.find(c) != std::string_view::npos
                ? std::string(1, c)
                : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return link;
}

}  // namespace

std::string compare_runs(const std::string& title, std::span<const RunRecord> runs) {
  page::Document document;
  document.title = title;
  document.body = fmt::format(
      "<header><h1>{}</h1><span class=\"faint\">{} runs</span>"
      "<button id=\"theme\" type=\"button\">Dark</button></header>\n",
      xml_escape(title), runs.size());
  // Every curve that any run has, with a line a run.
  nlohmann::json charts = nlohmann::json::array();
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const RunRecord::Chart& chart : runs[r].charts) {
      nlohmann::json drawn = run::to_json(chart);
      for (std::size_t i = 0; i < chart.series.size(); ++i) {
        nlohmann::json line = drawn["curves"][i];
        line["name"] = runs[r].title;
        line["colour"] = r;
        const std::string name = name_of(chart, chart.series[i]);
        const auto is_it = [&](const nlohmann::json& c) { return c["title"] == name; };
        auto found = std::find_if(charts.begin(), charts.end(), is_it);
        if (found == charts.end()) {
          charts.push_back(drawn);
          found = charts.end() - 1;
          (*found)["title"] = name;
          (*found)["curves"] = nlohmann::json::array();
        }
        nlohmann::json& most = (*found)["values_per_point"];
        most = std::max(most.get<std::int64_t>(), chart.values_per_point);
        (*found)["curves"].push_back(std::move(line));
      }
    }
  }
  document.body += run::curves_section();

  std::string head = "<tr><th></th>";
  for (const RunRecord& run : runs) {
    const std::string name = xml_escape(run.title);
    head += run.page.empty()
                ? fmt::format("<th>{}</th>", name)
                : fmt::format("<th><a href=\"{}\">{}</a></th>", link_to(run.page), name);
  }
  std::string rows;
  const auto add_rows = [&](auto list_of) {
    std::vector<std::string> names;
    for (const RunRecord& run : runs) mention(names, list_of(run));
    for (const std::string& name : names) {
      rows += fmt::format("<tr><td>{}</td>", xml_escape(name));
      for (const RunRecord& run : runs) {
        const auto list = list_of(run);
        const auto found = std::ranges::find(list, name, [](const auto& p) { return p.first; });
        rows += fmt::format("<td>{}</td>", found == list.end() ? "" : xml_escape(found->second));
      }
      rows += "</tr>\n";
    }
  };
  add_rows([](const RunRecord& run) {
    auto all = run.settings;
    if (!run.failure.empty()) all.emplace_back("failed", run.failure);
    return all;
  });
  add_rows(last_values);
  document.body += "<section id=\"table\"><h2>Settings and last values</h2><table>" + head +
                   "</tr>\n" + rows + "</table></section>\n";
  return run::with_charts(std::move(document), {{"charts", std::move(charts)}});
}

}  // namespace aclgrad
