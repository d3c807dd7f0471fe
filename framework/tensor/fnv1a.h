// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// FNV-1a of words in place of bytes, several at a time, as a byte takes as long as a word; what a
/// product has in its upper half is moved down, for it would reach no other bit. The rest is bytes.
inline std::uint64_t fnv1a_of_words(std::span<const std::byte> bytes,
                                    std::uint64_t hash = fnv1a({})) {
  constexpr std::size_t kLanes = 4, kStep = kLanes * sizeof(std::uint64_t);
  std::array<std::uint64_t, kLanes> lanes = {hash, hash + 1, hash + 2, hash + 3};
  const std::size_t whole = bytes.size() / kStep * kStep;
  for (std::size_t at = 0; at < whole; at += kStep) {
    std::array<std::uint64_t, kLanes> words;
    std::memcpy(words.data(), bytes.data() + at, kStep);
#pragma GCC unroll 4  // four times as fast: with -O2 the lanes would lie in memory
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::uint64_t product = (lanes[i] ^ words[i]) * 0x100000001B3;
      lanes[i] = product ^ (product >> 32);
    }
  }
  return fnv1a(bytes.subspan(whole), fnv1a(std::as_bytes(std::span(lanes)), hash));
}

}  // namespace aclgrad::detail
