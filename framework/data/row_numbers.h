// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace aclgrad::detail {

/// first, first + 1, ... Throws ValueError where so many do not fit into memory.
std::vector<std::int64_t> row_numbers(std::int64_t first, std::int64_t count);

}  // namespace aclgrad::detail
