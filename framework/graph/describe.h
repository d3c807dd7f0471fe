// SPDX-License-Identifier: Apache-2.0
// How graphs and their parts read in messages and listings.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

#include "aclgrad/graph.h"

namespace aclgrad::detail {

/// "examples/x.cpp:41".
std::string place(const std::source_location& where);

/// "node 3 `geglu` (examples/x.cpp:41)".
std::string node_label(NodeId id, std::string_view op, const std::source_location& where);

/// The operator's C name, or "" for a node that calls none.
std::string_view call_name(const Node& node);

/// "float32 [2, 3]".
std::string describe_spec(const TensorSpec& spec);
std::string describe_spec(const Value& value);

}  // namespace aclgrad::detail
