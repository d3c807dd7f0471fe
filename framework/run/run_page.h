// SPDX-License-Identifier: Apache-2.0
// From what is known of runs to pages, and back.
#ifndef ACLGRAD_FRAMEWORK_RUN_RUN_PAGE_H_
#define ACLGRAD_FRAMEWORK_RUN_RUN_PAGE_H_

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/run_report.h"

namespace aclgrad::run {

/// A title and an SVG document.
using Picture = std::pair<std::string, std::string>;

/// `refresh_s` is how often browsers load the page of a running run anew.
std::string run_page(const RunRecord& record, std::span<const Picture> pictures, int refresh_s);

/// A chart with at most some hundred points a curve, and "" or a sentence that says how they were
/// averaged.
struct Thinned {
  report::LineChart chart;
  std::string note;
};
Thinned thinned(const RunRecord::Chart& chart);

/// A drawing with a sentence below it, if there is one.
std::string card(const std::string& content, const std::string& note);

/// As it stands in the page's data element. Numbers that are not finite become null, and null comes
/// back as NaN.
nlohmann::json to_json(const RunRecord& record);
RunRecord from_json(const nlohmann::json& json);

}  // namespace aclgrad::run

#endif  // ACLGRAD_FRAMEWORK_RUN_RUN_PAGE_H_
