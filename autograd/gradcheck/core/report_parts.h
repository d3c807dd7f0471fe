// SPDX-License-Identifier: Apache-2.0
// Parts of reports for machines and pages, to be put into larger ones.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/report.h"

namespace aclgrad::gradcheck::detail {

nlohmann::json json_of(const Report& report);

/// "aclnnElu alpha=1.3, float32, transposed, 4x6".
std::string place_of(const Finding& finding);

/// What is no UTF-8 is replaced.
std::string text_of(const nlohmann::json& value);

inline const std::string kFindingHead =
    "\nOf each function and check the worst finding:\n\n"
    "| function | check | worst | others | command |\n|---|---|---|---:|---|\n";

/// A line for each function and check.
std::string finding_rows(const std::vector<Finding>& findings);

}  // namespace aclgrad::gradcheck::detail
