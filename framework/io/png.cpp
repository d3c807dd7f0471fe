// SPDX-License-Identifier: Apache-2.0
#include "io/png.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "io/deflate.h"
#include "io/file_kind.h"
#include "io/shown.h"

namespace aclgrad::detail {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1A\n"sv;
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 28;
enum Colour : std::uint8_t { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgba = 6 };

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}
std::uint32_t big_endian_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

// Undoes the prediction of each byte of a row from the bytes to the left, above, and above left;
// `step` is the distance to the left. False for a filter that there is not.
bool undo_filter(std::uint8_t filter, std::uint8_t* row, const std::uint8_t* above,
                 std::size_t size, std::size_t step) {
  if (filter > 4) return false;
  for (std::size_t i = 0; i < size && filter != 0; ++i) {
    const int left = i < step ? 0 : row[i - step], up = above[i];
    const int corner = i < step ? 0 : above[i - step];
    int predicted = filter == 1 ? left : filter == 2 ? up : (left + up) / 2;
    if (filter == 4) {  // of Paeth: the nearest of the three to left + up - corner
      const int to_left = std::abs(up - corner), to_up = std::abs(left - corner);
      const int to_corner = std::abs(left + up - 2 * corner);
      predicted = to_left <= to_up && to_left <= to_corner ? left
                  : to_up <= to_corner                     ? up
                                                           : corner;
    }
    row[i] = static_cast<std::uint8_t>(row[i] + predicted);
  }
  return true;
}

class Decoder {
 public:
  Decoder(std::string_view bytes, const std::string& place) : rest_(bytes), place_(place) {}

  Pixels decode() {
    if (!rest_.starts_with(kSignature)) {
      const std::string kind = other_kind(rest_, Expected::tensors);
      fail(kind.empty() ? "it does not begin as a PNG file does" : kind);
    }
    rest_.remove_prefix(kSignature.size());
    read_header(next_chunk());
    std::string packed;
    for (Chunk chunk = next_chunk(); chunk.type != "IEND"; chunk = next_chunk()) {
      constexpr std::uint8_t kLowerCase = 0x20;  // in the first letter: not needed for the picture
      if (chunk.type == "IDAT") {
        packed += chunk.content;
      } else if (chunk.type == "PLTE") {
        palette_ = chunk.content;
      } else if (chunk.type == "tRNS") {
        opacities_ = chunk.content;
      } else if ((byte_at(chunk.type, 0) & kLowerCase) == 0) {
        fail(fmt::format("a part {} that is not known", shown(chunk.type)));
      }
    }
    return pixels_of(packed);
  }

 private:
  struct Chunk {
    std::string_view type, content;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}: not a sound PNG picture: {}", place_, what));
  }

  Chunk next_chunk() {
    constexpr std::size_t kAround = 12;  // length and type before, checksum behind
    if (rest_.size() < kAround) fail("it is cut off");
    const std::size_t size = big_endian_at(rest_, 0);
    if (size > rest_.size() - kAround) fail("it is cut off");
    const Chunk chunk{.type = rest_.substr(4, 4), .content = rest_.substr(8, size)};
    if (checksum_of(rest_.substr(4, size + 4)) != big_endian_at(rest_, size + 8)) {
      fail(fmt::format("the checksum of its part {} does not agree: it is damaged",
                       shown(chunk.type)));
    }
    rest_.remove_prefix(size + kAround);
    return chunk;
  }

  void read_header(const Chunk& chunk) {
    if (chunk.type != "IHDR" || chunk.content.size() != 13) fail("it has no header");
    const std::uint32_t width = big_endian_at(chunk.content, 0);
    const std::uint32_t height = big_endian_at(chunk.content, 4);
    bits_ = byte_at(chunk.content, 8);
    colour_ = byte_at(chunk.content, 9);
    if (width == 0 || height == 0) fail("it has no pixels");
    if (std::uint64_t{width} * height > kMostPixels) {
      fail(fmt::format("its {} x {} pixels are more than 2^28, the most that are read", width,
                       height));
    }
    const bool is_whole = bits_ == 8 || bits_ == 16,
               is_part = bits_ == 1 || bits_ == 2 || bits_ == 4;
    const bool is_known =
        colour_ == kGrey ? is_whole || is_part
        : colour_ == kPalette
            ? bits_ == 8 || is_part
            : is_whole && (colour_ == kRgb || colour_ == kGreyAlpha || colour_ == kRgba);
    if (!is_known || chunk.content.substr(10, 2) != "\0\0"sv) {
      fail(fmt::format("colour type {} of {} bits, compression {} or filter {} is not known",
                       colour_, bits_, byte_at(chunk.content, 10), byte_at(chunk.content, 11)));
    }
    if (byte_at(chunk.content, 12) != 0) {
      fail("it is interlaced, which is not read: save it without (Adam7) interlacing");
    }
    width_ = width;
    height_ = height;
  }

  Pixels pixels_of(std::string_view packed) {
    constexpr std::array<std::size_t, 7> kSamples = {1, 0, 3, 1, 2, 0, 4};  // by colour type
    const std::size_t samples = kSamples[colour_];
    const std::size_t row_size = (width_ * samples * bits_ + 7) / 8;
    const std::size_t size = (row_size + 1) * height_;
    if (size / kMostByDeflate > packed.size()) {
      fail(fmt::format("{} bytes cannot have become {}", size, packed.size()));
    }
    std::string rows(size, '\0');
    if (!inflate_all(packed, rows, Wrapper::zlib)) fail("its pixels cannot be unpacked");
    const bool is_indexed = colour_ == kPalette;
    if (is_indexed && (palette_.empty() || palette_.size() % 3 != 0 || palette_.size() > 768)) {
      fail("its palette is damaged");
    }
    Pixels pixels{.height = static_cast<std::int64_t>(height_),
                  .width = static_cast<std::int64_t>(width_),
                  .channels = static_cast<std::int64_t>(samples),
                  .white = static_cast<std::uint16_t>(is_indexed ? 255 : (1 << bits_) - 1)};
    if (is_indexed) pixels.channels = opacities_.empty() ? 3 : 4;
    pixels.values.reserve(height_ * width_ * static_cast<std::size_t>(pixels.channels));
    const std::size_t step = std::max<std::size_t>(1, samples * bits_ / 8);
    std::vector<std::uint8_t> none(row_size);
    const std::uint8_t* above = none.data();
    for (std::size_t y = 0; y < height_; ++y) {
      auto* row = reinterpret_cast<std::uint8_t*>(rows.data()) + y * (row_size + 1) + 1;
      if (!undo_filter(row[-1], row, above, row_size, step)) {
        fail(fmt::format("filter {} of row {} is not known", row[-1], y));
      }
      for (std::size_t i = 0; i < width_ * samples; ++i) {
        const std::uint16_t sample = sample_of(row, i);
        is_indexed ? add_indexed(sample, pixels) : pixels.values.push_back(sample);
      }
      above = row;
    }
    return pixels;
  }

  std::uint16_t sample_of(const std::uint8_t* row, std::size_t i) const {
    if (bits_ == 8) return row[i];
    if (bits_ == 16) return static_cast<std::uint16_t>(row[2 * i] << 8 | row[2 * i + 1]);
    const std::size_t bit = i * bits_;  // the first is the most significant one
    return static_cast<std::uint16_t>(row[bit / 8] >> (8 - bits_ - bit % 8) & ((1 << bits_) - 1));
  }

  void add_indexed(std::size_t index, Pixels& pixels) const {
    if (3 * index >= palette_.size()) {
      fail(fmt::format("a pixel has colour {} of a palette of {}", index, palette_.size() / 3));
    }
    for (std::size_t c = 0; c < 3; ++c) pixels.values.push_back(byte_at(palette_, 3 * index + c));
    if (pixels.channels == 4) {
      pixels.values.push_back(index < opacities_.size() ? byte_at(opacities_, index)
                                                        : std::uint8_t{255});
    }
  }

  std::string_view rest_;
  const std::string& place_;
  std::string_view palette_, opacities_;
  std::size_t width_ = 0, height_ = 0;
  std::uint8_t bits_ = 0, colour_ = 0;
};

}  // namespace

Pixels decode_png(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  const std::string place = path.string();
  try {
    return Decoder(content, place).decode();
  } catch (const std::bad_alloc&) {
    throw IoError(place + ": its pixels do not fit into memory");
  }
}

std::string encode_png(const Pixels& pixels) {
  constexpr std::array<Colour, 5> kColours = {kGrey, kGrey, kGreyAlpha, kRgb,
                                              kRgba};  // by channels
  std::string file(kSignature);
  const auto append_number = [](std::string& to, std::uint64_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(number >> shift & 0xFF);
  };
  const auto append_part = [&](const std::string& type, const std::string& content) {
    append_number(file, content.size());
    file += type + content;
    append_number(file, checksum_of(type + content));
  };
  std::string header;
  append_number(header, static_cast<std::uint64_t>(pixels.width));
  append_number(header, static_cast<std::uint64_t>(pixels.height));
  header += {'\x08', static_cast<char>(kColours[static_cast<std::size_t>(pixels.channels)])};
  header.append(3, '\0');  // Deflate, the filters above, not interlaced
  append_part("IHDR", header);
  // Each row begins with its filter: 0, the bytes as they are.
  const auto row_size = static_cast<std::size_t>(pixels.width * pixels.channels);
  std::string rows;
  for (std::size_t i = 0; i < pixels.values.size(); ++i) {
    if (i % row_size == 0) rows += '\0';
    rows += static_cast<char>(pixels.values[i]);
  }
  append_part("IDAT", deflated_bytes(rows, Wrapper::zlib));
  append_part("IEND", "");
  return file;
}

}  // namespace aclgrad::detail
