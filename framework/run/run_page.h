// SPDX-License-Identifier: Apache-2.0
// From what is known of runs to pages, and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/run_report.h"
#include "page/document.h"

namespace aclgrad::run {

/// A title and an SVG document.
using Picture = std::pair<std::string, std::string>;

/// `refresh_s` is how often browsers load the page of a running run anew.
std::string run_page(const RunRecord& record, std::span<const Picture> pictures, int refresh_s);

/// Where the page's script draws data["charts"]; and the page, with the script and its data.
std::string curves_section();
std::string with_charts(page::Document document, const nlohmann::json& data);

/// Bars of the norms of gradients by layer, and of how much a step changes the weights, with what
/// they say; "" for a run that has none.
std::string norms_sections(const RunRecord& record);

/// As it stands in the page's data element. Numbers that are not finite become null, and null comes
/// back as NaN.
nlohmann::json to_json(const RunRecord& record);
nlohmann::json to_json(const RunRecord::Chart& chart);
RunRecord from_json(const nlohmann::json& json);

}  // namespace aclgrad::run
