// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/report_parts.h"
#include "gradcheck/tool/run.h"

namespace aclgrad::gradcheck {
namespace {

// Checks of the bits, and those whose finding begins so.
constexpr const char* kBitChecks[] = {"length", "position", "alignment",    "threads",
                                      "layout", "replay",   "repeatability"};

using Errors = std::map<DType, ErrorSummary>;

std::vector<DType> columns_of(const std::vector<OperatorLines>& operators, Errors Report::*side) {
  std::vector<DType> columns;
  for (const DType dtype : kColumns) {
    const auto has = [&](const OperatorLines& one) { return (one.report.*side).contains(dtype); };
    if (std::any_of(operators.begin(), operators.end(), has)) columns.push_back(dtype);
  }
  return columns;
}

std::string cell(const Errors& errors, DType dtype) {
  const auto found = errors.find(dtype);
  if (found == errors.end() || found->second.elements == 0) return "–";
  const double ulp = found->second.max_ulp;
  return std::isinf(ulp) ? "∞" : fmt::format("{:.3g}", ulp);
}

std::string specials_of(const Report& report) {
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

std::string bits_of(const Report& report) {
  std::vector<std::string> differ;
  for (const Finding& finding : report.findings) {
    if (is_of_bits(finding) && std::ranges::count(differ, finding.check) == 0) {
      differ.push_back(finding.check);
    }
  }
  return differ.empty() ? "same" : fmt::format("{}", fmt::join(differ, "; "));
}

std::string table_of(const std::vector<OperatorLines>& operators) {
  const std::vector<DType> forward = columns_of(operators, &Report::forward);
  const std::vector<DType> backward = columns_of(operators, &Report::backward);
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
  for (const OperatorLines& one : operators) {
    text += "| " + one.op + " |";
    for (const DType dtype : forward) text += " " + cell(one.report.forward, dtype) + " |";
    for (const DType dtype : backward) text += " " + cell(one.report.backward, dtype) + " |";
    text += fmt::format(" {} | {} | {} |\n", specials_of(one.report), bits_of(one.report),
                        one.report.checks == 0 ? "–" : to_string(one.report.verdict()));
  }
  return text;
}

}  // namespace

std::string to_markdown(const std::string& library, const std::vector<Line>& lines) {
  std::vector<OperatorLines> operators = by_operator(lines);
  std::erase_if(operators, [](const OperatorLines& one) { return !one.is_in_library; });
  const Report all = total(lines);
  std::string text = fmt::format(
      "**{}**: {}, {} findings in {} checks.\n\nLargest errors in units of the last place; –: not "
      "taken. NaN and infinities: how many results are wrong at them, or are NaN for a number.\n\n",
      library, to_string(all.verdict()), all.findings.size(), all.checks);
  text += table_of(operators);
  if (all.findings.empty()) return text;
  text += detail::kFindingHead;
  for (const OperatorLines& one : operators) text += detail::finding_rows(one.report.findings);
  return text;
}

}  // namespace aclgrad::gradcheck
