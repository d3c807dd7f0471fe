// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclgrad/fit.h"

namespace aclgrad::detail {

/// Throws ValueError for what fit() refuses before it begins.
void check_fit(const data::Batches& batches, const FitOptions& options, const Optimizer& optimizer);

}  // namespace aclgrad::detail
