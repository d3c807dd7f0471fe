// SPDX-License-Identifier: Apache-2.0
// Whole numbers in the bytes of a file, least significant byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace aclgrad::detail {

/// The number at a place that must be within the bytes.
template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[at + i])} << 8 * i;
  }
  return static_cast<T>(value);
}

template <class T>
void append(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i & 0xFF);
  }
}

}  // namespace aclgrad::detail
