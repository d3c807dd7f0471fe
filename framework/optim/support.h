// SPDX-License-Identifier: Apache-2.0
// What the optimizers share.
#pragma once

#include <string_view>

#include "aclgrad/graph.h"
#include "aclgrad/variable.h"

namespace aclgrad::detail {

/// The variable that a value of `graph` is. Throws ValueError, naming the value, when it is none or
/// of another graph, DTypeError when it is not floating.
const Variable& variable_to_update(const Graph& graph, const Value& value);

/// The slot with a parameter's own count of steps.
inline constexpr std::string_view kCount = "step";

}  // namespace aclgrad::detail
