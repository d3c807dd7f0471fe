// SPDX-License-Identifier: Apache-2.0
// Reserved addresses, and memory that the program maps to them.
#pragma once

#include <cstddef>

namespace aclgrad::runtime {

// Of sizes that are reserved and mapped; as on devices, since programs compute with it.
inline constexpr size_t kGranularity = size_t{2} << 20;

// Whether the address is reserved, with memory or without.
bool is_reserved(const void* address);

}  // namespace aclgrad::runtime
