// SPDX-License-Identifier: Apache-2.0
// The callbacks of fit()'s own options, which look at a run and change nothing in it: the log and
// the progress bar. Only the first rank has any.
#pragma once

#include <string>
#include <vector>

#include "aclgrad/fit.h"

namespace aclgrad::detail {

/// Those that the options ask for; they refer to the options.
std::vector<Callback> own_callbacks(const FitOptions& options, const std::string& data_order);

}  // namespace aclgrad::detail
