// SPDX-License-Identifier: Apache-2.0
// Deflate and its checksum, by zlib. This is the only place that needs it, and a program that reads
// no archive is not linked with it (framework/CMakeLists.txt).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aclgrad::detail {

/// How many times as large as it is packed a content is at most.
inline constexpr std::uint64_t kMostByDeflate = 1032;

/// CRC-32.
std::uint32_t checksum_of(std::string_view bytes);

/// Fills a content of known size. False unless the bytes are just that, no more and no less.
bool inflate_all(std::string_view packed, std::string& content);

/// Of at most 4 GiB.
std::string deflated_bytes(std::string_view content);

}  // namespace aclgrad::detail
