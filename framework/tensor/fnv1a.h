// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace aclgrad::detail {

/// FNV-1a with 64 bits (Fowler, Noll, Vo), of bytes after those that `hash` is of: the same on
/// every machine, which std::hash is not. It finds damage, not forgery.
inline std::uint64_t fnv1a(std::span<const std::byte> bytes,
                           std::uint64_t hash = 0xCBF29CE484222325) {
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3;
  }
  return hash;
}

}  // namespace aclgrad::detail
