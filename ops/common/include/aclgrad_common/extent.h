// SPDX-License-Identifier: Apache-2.0
// Which memory a tensor's elements lie in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "aclgrad_common/dtypes.h"

namespace aclgrad::common {

// From the first element in memory to the last.
struct Extent {
  std::int64_t begin;  // in bytes from the tensor's address, which may lie behind it
  std::uint64_t bytes;
};

// None for a tensor without elements, of a dtype without whole bytes, or that no memory holds.
// There are as many strides as sizes; they and the offset are in elements.
inline std::optional<Extent> extent_of(aclDataType dtype, std::span<const std::int64_t> shape,
                                       std::span<const std::int64_t> strides, std::int64_t offset) {
  const DtypeInfo* const info = find_dtype(dtype);
  if (info == nullptr || info->bytes == 0) return std::nullopt;
  __int128 low = offset;
  __int128 high = offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] <= 0) return std::nullopt;
    const __int128 last = static_cast<__int128>(shape[i] - 1) * strides[i];
    (last < 0 ? low : high) += last;
  }
  constexpr __int128 kMost = INT64_MAX / 32;
  if (low < -kMost || high > kMost) return std::nullopt;
  const auto size = static_cast<std::int64_t>(info->bytes);
  return Extent{static_cast<std::int64_t>(low) * size,
                static_cast<std::uint64_t>(high - low + 1) * info->bytes};
}

}  // namespace aclgrad::common
