// SPDX-License-Identifier: Apache-2.0
// A picture of errors over an input range, as SVG.
#pragma once

#include <string>

#include "aclgrad/gradcheck/report.h"

namespace aclgrad::gradcheck {

/// `text` with what HTML gives a meaning replaced.
std::string escaped(const std::string& text);

/// The largest error in each of 48 equal parts of the input range, in units of the last place, with
/// lines at a half and at whole units. "" when there is nothing to see: too few inputs, or results
/// that are exact.
std::string histogram(const std::string& caption, const ErrorSummary& errors);

}  // namespace aclgrad::gradcheck
