// SPDX-License-Identifier: Apache-2.0
// Pictures in the PNG format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace aclgrad::detail {

struct Pixels {
  std::int64_t height = 0, width = 0;
  std::int64_t channels = 0;               // 1 grey, 2 grey and opacity, 3 RGB, 4 RGBA
  std::uint16_t white = 255;               // the largest value: 2^bits - 1
  std::vector<std::uint16_t> values = {};  // [height, width, channels]
};

/// Throws as data::read_png().
Pixels decode_png(const std::filesystem::path& path);

/// A file of values from 0 to 255.
std::string encode_png(const Pixels& pixels);

}  // namespace aclgrad::detail
