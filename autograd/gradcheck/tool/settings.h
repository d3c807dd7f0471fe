// SPDX-License-Identifier: Apache-2.0
// What a plan says, as text, by the names that the command line and the C interface give it.
#pragma once

#include <string>
#include <vector>

#include "gradcheck/tool/run.h"

namespace aclgrad::gradcheck {

/// Sets "dtype" to "float32,bf16", "shape" to "4x6", "check" to "values,bits", "layout", "seed",
/// "ulp-slack", or an attribute, such as "input-scale" to "1.5" and "keep-dims" to "true". Throws
/// ValueError for another name and for a text that is no such value.
void set(Plan& plan, const std::string& name, const std::string& text);

/// What stands between separators.
std::vector<std::string> parts_of(const std::string& text, char separator);

/// Throws ValueError for an attribute that none of the plan's operators has.
void require_use(const Plan& plan);

}  // namespace aclgrad::gradcheck
