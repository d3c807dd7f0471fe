// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "aclgrad/error.h"
#include "gradcheck/core/report_parts.h"
#include "gradcheck/tool/run.h"

namespace aclgrad::gradcheck {

using nlohmann::json;

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
    line.report.vacuous =
        std::ranges::count(line.report.findings, Verdict::vacuous, &Finding::verdict);
  }
  return count;
}

std::string to_json(const std::string& library, const Coverage& found,
                    const std::vector<Line>& lines) {
  json operators = json::array();
  for (const Line& line : lines) {
    json value = detail::json_of(line.report);
    value["operator"] = line.op;
    value["functions"] = line.functions;
    value["attributes"] = line.attributes;
    value["missing"] = line.missing;
    value["seconds"] = line.seconds;
    operators.push_back(std::move(value));
  }
  const Report all = total(lines);
  const json page = {{"library", library},
                     {"status", all.exit_status()},
                     {"configurations", all.configurations},
                     {"checks", all.checks},
                     {"exported", found.exported},
                     {"not_checked", found.unknown},
                     {"without_gradient", found.without_gradient},
                     {"operators", std::move(operators)}};
  return detail::text_of(page);
}

}  // namespace aclgrad::gradcheck
