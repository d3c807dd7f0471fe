// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "aclgrad/error.h"
#include "tool/run.h"

namespace aclgrad::gradcheck {
namespace {

using nlohmann::json;

// JSON has no infinity and no NaN.
json number(double value) {
  return std::isfinite(value) ? json(value) : json(std::to_string(value));
}
json number(Number value) { return number(static_cast<double>(value)); }

json errors_of(const std::map<DType, ErrorSummary>& errors) {
  json all = json::object();
  for (const auto& [dtype, summary] : errors) {
    all[std::string(short_name(dtype))] = {
        {"elements", summary.elements}, {"max_ulp", number(summary.max_ulp)},
        {"inputs", summary.inputs},     {"misrounded", summary.misrounded},
        {"nan", summary.nan},           {"infinity", summary.infinity}};
  }
  return all;
}

json to_json_value(const Finding& finding) {
  json value = {{"verdict", to_string(finding.verdict)}, {"check", finding.check},
                {"operator", finding.operator_name},     {"text", finding.text},
                {"suspected", finding.suspect},          {"reproduce", finding.reproduce}};
  if (finding.dtype) value["dtype"] = short_name(*finding.dtype);
  if (finding.layout) value["layout"] = to_string(*finding.layout);
  if (finding.element) {
    const Element& e = *finding.element;
    value["element"] = {{"gradient_of", e.of},          {"index", e.index},
                        {"input", number(e.input)},     {"analytic", number(e.analytic)},
                        {"numeric_low", number(e.low)}, {"numeric_high", number(e.high)},
                        {"error", number(e.error)},     {"bound", number(e.bound)},
                        {"ulp", number(e.ulp)}};
  }
  return value;
}

json to_json_value(const OperatorReport& report) {
  json findings = json::array();
  for (const Finding& finding : report.findings) findings.push_back(to_json_value(finding));
  json corners = json::array();
  for (const Corner& corner : report.corners) {
    corners.push_back({{"operator", corner.operator_name},
                       {"at", number(corner.at)},
                       {"left", number(corner.left)},
                       {"right", number(corner.right)},
                       {"taken", number(corner.taken)},
                       {"convention", corner.convention}});
  }
  json notes = json::array();
  for (const auto& [note, operators] : report.notes) notes.push_back(note);
  return {
      {"status", report.exit_status()},
      {"elements",
       {{"right", report.right}, {"wrong", report.wrong}, {"inconclusive", report.inconclusive}}},
      {"configurations", report.configurations},
      {"checks", report.checks},
      {"mistrusted", report.mistrusted},
      {"notes", std::move(notes)},
      {"forward", errors_of(report.forward)},
      {"backward", errors_of(report.backward)},
      {"corners", std::move(corners)},
      {"findings", std::move(findings)}};
}

}  // namespace

Baseline::Baseline(const std::string& text) {
  try {
    const json report = json::parse(text);
    for (const json& line : report.at("operators")) {
      for (const json& finding : line.at("findings")) {
        known_.insert(key(finding.at("verdict"), finding.at("check"), finding.at("operator"),
                          finding.value("dtype", "")));
      }
    }
  } catch (const json::exception& error) {
    throw IoError(std::string("the baseline is no report of --json: ") + error.what());
  }
}

std::string Baseline::key(const std::string& verdict, const std::string& check,
                          const std::string& function, const std::string& dtype) {
  return verdict + ", " + check + ", " + function + ", " + dtype;
}

std::size_t Baseline::take_from(std::vector<Line>& lines) {
  std::size_t count = 0;
  for (Line& line : lines) {
    count += std::erase_if(line.report.findings, [&](const Finding& f) {
      const std::string dtype(f.dtype ? short_name(*f.dtype) : "");
      const std::string one = key(to_string(f.verdict), f.check, f.operator_name, dtype);
      if (!known_.contains(one)) return false;
      seen_.insert(one);
      return true;
    });
    line.report.mistrusted =
        std::ranges::count(line.report.findings, Verdict::mistrusted, &Finding::verdict);
  }
  return count;
}

std::string to_json(const Library& library, const Coverage& found, const std::vector<Line>& lines) {
  json operators = json::array();
  for (const Line& line : lines) {
    json value = to_json_value(line.report);
    value["operator"] = line.op;
    value["functions"] = line.functions;
    value["attributes"] = line.attributes;
    value["missing"] = line.missing;
    value["seconds"] = line.seconds;
    operators.push_back(std::move(value));
  }
  const OperatorReport all = total(lines);
  const json page = {{"library", library.path()},
                     {"status", all.exit_status()},
                     {"configurations", all.configurations},
                     {"checks", all.checks},
                     {"exported", found.exported},
                     {"not_checked", found.unknown},
                     {"operators", std::move(operators)}};
  return page.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace aclgrad::gradcheck
