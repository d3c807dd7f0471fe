// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tool/run.h"

namespace aclgrad::gradcheck {
namespace {

constexpr DType kFloatColumns[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
// Checks of the bits, and those whose finding begins so.
constexpr const char* kBitChecks[] = {"length", "position", "alignment",    "threads",
                                      "layout", "replay",   "repeatability"};

using Errors = std::map<DType, ErrorSummary>;

// All lines of one operator.
struct Summary {
  std::string op;
  OperatorReport report;
  bool found = false;  // in the library
};

std::vector<Summary> summaries_of(const std::vector<Line>& lines) {
  std::vector<Summary> summaries;
  for (const Line& line : lines) {
    if (summaries.empty() || summaries.back().op != line.op) summaries.push_back({line.op, {}});
    summaries.back().report.add(line.report);
    summaries.back().found = summaries.back().found || line.missing.empty();
  }
  std::erase_if(summaries, [](const Summary& summary) { return !summary.found; });
  return summaries;
}

std::vector<DType> columns_of(const std::vector<Summary>& summaries, Errors OperatorReport::*side) {
  std::vector<DType> columns;
  for (const DType dtype : kFloatColumns) {
    const auto has = [&](const Summary& summary) { return (summary.report.*side).contains(dtype); };
    if (std::any_of(summaries.begin(), summaries.end(), has)) columns.push_back(dtype);
  }
  return columns;
}

std::string cell(const Errors& errors, DType dtype) {
  const auto found = errors.find(dtype);
  if (found == errors.end() || found->second.elements == 0) return "–";
  const double ulp = found->second.max_ulp;
  return std::isinf(ulp) ? "∞" : fmt::format("{:.3g}", ulp);
}

std::string specials_of(const OperatorReport& report) {
  std::int64_t inputs = 0;
  std::string text;
  for (const auto& [side, errors] :
       {std::pair("forward", &report.forward), std::pair("backward", &report.backward)}) {
    for (const auto& [dtype, each] : *errors) {
      inputs += each.inputs;
      if (each.nan + each.infinity == 0) continue;
      text += fmt::format("{}{} {}: {}", text.empty() ? "" : "; ", side, short_name(dtype),
                          each.nan + each.infinity);
    }
  }
  return !text.empty() ? text : inputs > 0 ? "right" : "–";
}

bool is_of_bits(const Finding& finding) {
  const auto begins = [&](const char* check) { return finding.check.starts_with(check); };
  return std::any_of(std::begin(kBitChecks), std::end(kBitChecks), begins);
}

std::string bits_of(const OperatorReport& report) {
  std::vector<std::string> differ;
  for (const Finding& finding : report.findings) {
    if (is_of_bits(finding) && std::ranges::count(differ, finding.check) == 0) {
      differ.push_back(finding.check);
    }
  }
  return differ.empty() ? "same" : fmt::format("{}", fmt::join(differ, "; "));
}

// A table's cells are on one line, and a bar would end them.
std::string in_cell(std::string text) {
  for (const auto& [from, to] : {std::pair("\n", " "), std::pair("|", "\\|")}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += std::string_view(to).size()) {
      text.replace(at, 1, to);
    }
  }
  return text;
}

std::string table_of(const std::vector<Summary>& summaries) {
  const std::vector<DType> forward = columns_of(summaries, &OperatorReport::forward);
  const std::vector<DType> backward = columns_of(summaries, &OperatorReport::backward);
  std::string head = "| operator |";
  std::string rule = "|---|";
  for (const auto& [side, columns] :
       {std::pair("forward", &forward), std::pair("backward", &backward)}) {
    for (const DType dtype : *columns) {
      head += fmt::format(" {} {} |", side, short_name(dtype));
      rule += "---:|";
    }
  }
  std::string text = head + " NaN, infinities | bits | verdict |\n" + rule + "---|---|---|\n";
  for (const Summary& summary : summaries) {
    text += "| " + summary.op + " |";
    for (const DType dtype : forward) text += " " + cell(summary.report.forward, dtype) + " |";
    for (const DType dtype : backward) text += " " + cell(summary.report.backward, dtype) + " |";
    text += fmt::format(" {} | {} | {} |\n", specials_of(summary.report), bits_of(summary.report),
                        to_string(summary.report.verdict()));
  }
  return text;
}

// The findings of one function and check: the worst of them, and how many there are.
struct Alike {
  const Finding* worst;
  std::size_t count;
};

double size_of(const Finding& finding) { return finding.element ? finding.element->ulp : 0; }

std::string function_of(const Finding& finding) {
  return finding.operator_name.substr(0, finding.operator_name.find(' '));
}

std::string row_of(const Alike& alike) {
  const Finding& f = *alike.worst;
  const std::string dtype = f.dtype ? fmt::format("{}: ", short_name(*f.dtype)) : "";
  const std::string element = f.element ? "; " + gradcheck::to_string(*f.element) : "";
  return fmt::format("| {} | {} | {} | {} | `{}` |\n", function_of(f), f.check,
                     in_cell(dtype + f.text + element), alike.count - 1, in_cell(f.reproduce));
}

std::string findings_of(const std::vector<Summary>& summaries) {
  std::string text = "| function | check | worst | others | command |\n|---|---|---|---:|---|\n";
  for (const Summary& summary : summaries) {
    std::map<std::pair<std::string, std::string>, Alike> kinds;
    for (const Finding& finding : summary.report.findings) {
      const auto [it, is_new] =
          kinds.try_emplace({function_of(finding), finding.check}, Alike{&finding, 0});
      ++it->second.count;
      if (size_of(finding) > size_of(*it->second.worst)) it->second.worst = &finding;
    }
    for (const auto& [kind, alike] : kinds) text += row_of(alike);
  }
  return text;
}

}  // namespace

std::string to_markdown(const Library& library, const std::vector<Line>& lines) {
  const std::vector<Summary> summaries = summaries_of(lines);
  const OperatorReport all = total(lines);
  std::string text = fmt::format(
      "**{}**: {}, {} findings in {} checks.\n\nLargest errors in units of the last place; –: not "
      "taken. NaN and infinities: how many results are wrong at them, or are NaN for a number.\n\n",
      library.path(), to_string(all.verdict()), all.findings.size(), all.checks);
  text += table_of(summaries);
  if (all.findings.empty()) return text;
  return text + "\nOf each function and check the worst finding:\n\n" + findings_of(summaries);
}

}  // namespace aclgrad::gradcheck
