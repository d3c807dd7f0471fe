// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace aclgrad::detail {

/// A name out of a file for a message: in double quotes, bounded, always printable.
std::string shown(std::string_view name);

}  // namespace aclgrad::detail
