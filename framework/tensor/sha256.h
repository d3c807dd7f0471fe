// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace aclgrad::detail {

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece: what `sha256sum` and Python's hashlib
/// print, on every machine. Processors with instructions for it (SHA-NI) use them.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }

  /// 64 hexadecimal digits. Nothing may be added afterwards.
  std::string text();

  /// As if the processor had no instructions for it; for tests.
  void use_portable() { portable_ = true; }

 private:
  static constexpr std::size_t kBlock = 64;
  void compress(const std::byte* blocks, std::size_t count);

  std::array<std::uint32_t, 8> state_ = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                         0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  std::array<std::byte, kBlock> rest_{};  // what does not fill a block yet
  std::uint64_t size_ = 0;                // bytes so far
  bool portable_ = false;
};

/// That of all bytes at once.
inline std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.text();
}

}  // namespace aclgrad::detail
