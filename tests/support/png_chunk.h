// SPDX-License-Identifier: Apache-2.0
// Parts of a PNG file as bytes, sound or not.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace aclgrad {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1A\n";

inline const Bytef* as_bytes(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

inline std::string big_endian(std::uint64_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
  return bytes;
}

/// With the right length and checksum.
inline std::string png_chunk(const std::string& type, const std::string& content) {
  const std::string body = type + content;
  return big_endian(content.size()) + body + big_endian(crc32_z(0, as_bytes(body), body.size()));
}

/// Deflated, as IDAT has the pixels.
inline std::string zlib_packed(std::string_view content) {
  uLongf size = compressBound(static_cast<uLong>(content.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, as_bytes(content),
           static_cast<uLong>(content.size()));
  packed.resize(size);
  return packed;
}

}  // namespace aclgrad
