// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/report_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace aclgrad::gradcheck {
namespace {

using nlohmann::json;

// JSON has no infinity and no NaN.
json in_json(double value) {
  return std::isfinite(value) ? json(value) : json(fmt::format("{}", value));
}
json in_json(Number value) { return in_json(static_cast<double>(value)); }

json errors_of(const std::map<DType, ErrorSummary>& errors) {
  json all = json::object();
  for (const auto& [dtype, summary] : errors) {
    all[std::string(short_name(dtype))] = {
        {"elements", summary.elements}, {"max_ulp", in_json(summary.max_ulp)},
        {"inputs", summary.inputs},     {"misrounded", summary.misrounded},
        {"nan", summary.nan},           {"infinity", summary.infinity}};
  }
  return all;
}

json to_json_value(const Finding& finding) {
  json value = {{"verdict", to_string(finding.verdict)}, {"check", finding.check},
                {"operator", finding.operator_name},     {"text", finding.text},
                {"diagnosis", finding.diagnosis},        {"reproduce", finding.reproduce}};
  if (finding.dtype) value["dtype"] = short_name(*finding.dtype);
  if (!finding.pattern.empty()) value["pattern"] = finding.pattern;
  if (finding.layout) value["layout"] = to_string(*finding.layout);
  if (finding.element) {
    const Element& e = *finding.element;
    value["element"] = {{"gradient_of", e.of},           {"index", e.index},
                        {"input", in_json(e.input)},     {"analytic", in_json(e.analytic)},
                        {"numeric_low", in_json(e.low)}, {"numeric_high", in_json(e.high)},
                        {"error", in_json(e.error)},     {"bound", in_json(e.bound)},
                        {"ulp", in_json(e.ulp)}};
  }
  return value;
}

}  // namespace

namespace detail {

nlohmann::json json_of(const Report& report) {
  json findings = json::array();
  for (const Finding& finding : report.findings) findings.push_back(to_json_value(finding));
  json gradients = json::array();
  for (const Gradient& g : report.gradients) {
    gradients.push_back({{"of", g.of},
                         {"shape", g.shape},
                         {"verdict", to_string(g.verdict())},
                         {"compared", g.compared},
                         {"elements",
                          {{"right", g.right},
                           {"wrong", g.wrong},
                           {"inexact", g.inexact},
                           {"inconclusive", g.inconclusive}}},
                         {"corners", g.corners},
                         {"largest", in_json(g.largest)},
                         {"max_abs_error", in_json(g.max_abs_error)},
                         {"max_rel_error", in_json(g.max_rel_error)}});
  }
  json corners = json::array();
  for (const Corner& corner : report.corners) {
    corners.push_back({{"operator", corner.operator_name},
                       {"at", in_json(corner.at)},
                       {"left", in_json(corner.left)},
                       {"right", in_json(corner.right)},
                       {"taken", in_json(corner.taken)},
                       {"convention", corner.convention}});
  }
  json ranges = json::array();
  for (const auto& [input, range] : report.ranges) {
    ranges.push_back(
        {{"input", input}, {"low", in_json(range.low)}, {"high", in_json(range.high)}});
  }
  json notes = json::array();
  for (const auto& [note, operators] : report.notes) notes.push_back(note);
  return {{"status", report.exit_status()},
          {"elements",
           {{"right", report.right},
            {"wrong", report.wrong},
            {"inexact", report.inexact},
            {"inconclusive", report.inconclusive}}},
          {"configurations", report.configurations},
          {"checks", report.checks},
          {"vacuous", report.vacuous},
          {"notes", std::move(notes)},
          {"ranges", std::move(ranges)},
          {"gradients", std::move(gradients)},
          {"forward", errors_of(report.forward)},
          {"backward", errors_of(report.backward)},
          {"corners", std::move(corners)},
          {"findings", std::move(findings)}};
}

std::string text_of(const nlohmann::json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace detail

std::string Report::to_json() const { return detail::text_of(detail::json_of(*this)); }

}  // namespace aclgrad::gradcheck
