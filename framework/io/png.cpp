// SPDX-License-Identifier: Apache-2.0
#include "io/png.h"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "io/deflate.h"
#include "io/file_kind.h"

namespace aclgrad::detail {
namespace {

constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 28;

// libpng leaves its functions by longjmp(), which calls no destructors: what has one is a member
// here, and no local variable of what attempt() calls.
class Decoder {
 public:
  Decoder(std::string_view bytes, const std::string& place) : rest_(bytes), place_(place) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

  Pixels decode() {
    constexpr std::size_t kSignature = 8;
    if (rest_.size() < kSignature ||
        png_sig_cmp(reinterpret_cast<png_const_bytep>(rest_.data()), 0, kSignature) != 0) {
      const std::string kind = other_kind(rest_, Expected::tensors);
      fail(kind.empty() ? "it does not begin as a PNG file does" : kind);
    }
    const std::size_t file_size = rest_.size();
    attempt([](Decoder& it) { it.read_header(); });
    const std::size_t width = png_get_image_width(png_, info_);
    const std::size_t height = png_get_image_height(png_, info_);
    if (std::uint64_t{width} * height > kMostPixels) {
      fail(fmt::format("its {} x {} pixels are more than 2^28, the most that are read", width,
                       height));
    }
    if (const std::size_t packed = png_get_rowbytes(png_, info_) * height;
        packed / kMostByDeflate > file_size) {
      fail(fmt::format("{} bytes cannot have become {}", file_size, packed));
    }
    attempt([](Decoder& it) {    // takes memory for rows
      png_set_packing(it.png_);  // a byte for each sample of less
      it.passes_ = png_set_interlace_handling(it.png_);
      png_read_update_info(it.png_, it.info_);
    });
    samples_.resize(png_get_rowbytes(png_, info_) * height);
    attempt([](Decoder& it) {
      const std::size_t row_size = png_get_rowbytes(it.png_, it.info_);
      for (int pass = 0; pass < it.passes_; ++pass) {
        for (std::size_t at = 0; at < it.samples_.size(); at += row_size) {
          png_read_row(it.png_, it.samples_.data() + at, nullptr);
        }
      }
      png_read_end(it.png_, nullptr);
    });
    return pixels(width, height);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}: not a sound PNG picture: {}", place_, what));
  }

  void attempt(void (*part)(Decoder&)) {
    if (setjmp(png_jmpbuf(png_)) == 0) return part(*this);
    fail(warning_[0] == 0 ? std::string(error_.data())
                          : fmt::format("{}: {}", error_.data(), warning_.data()));
  }

  // A damaged part is an error wherever it is, but nothing is read that no pixel needs, such as a
  // colour profile, whatever is wrong with that.
  void read_header() {
    png_set_read_fn(png_, this, read_some);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(png_, 0);  // the file is in memory
    png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(png_, 0);
    png_set_check_for_invalid_index(png_, -1);  // look_up() does, and names the colour
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    bits_ = png_get_bit_depth(png_, info_);
  }

  Pixels pixels(std::size_t width, std::size_t height) const {
    const bool is_indexed = png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE;
    Pixels pixels{.height = static_cast<std::int64_t>(height),
                  .width = static_cast<std::int64_t>(width),
                  .channels = png_get_channels(png_, info_),
                  .white = static_cast<std::uint16_t>((1 << bits_) - 1)};
    if (is_indexed) {
      look_up(pixels);
    } else if (bits_ == 16) {
      pixels.values.reserve(samples_.size() / 2);
      for (std::size_t i = 0; i < samples_.size(); i += 2) {
        pixels.values.push_back(static_cast<std::uint16_t>(samples_[i] << 8 | samples_[i + 1]));
      }
    } else {
      pixels.values.assign(samples_.begin(), samples_.end());
    }
    return pixels;
  }

  void look_up(Pixels& pixels) const {
    png_colorp palette = nullptr;
    png_bytep opacities = nullptr;
    int colours = 0, transparent = 0;
    png_get_PLTE(png_, info_, &palette, &colours);
    png_get_tRNS(png_, info_, &opacities, &transparent, nullptr);
    pixels.channels = transparent == 0 ? 3 : 4;
    pixels.white = 255;
    pixels.values.reserve(samples_.size() * static_cast<std::size_t>(pixels.channels));
    for (const std::uint8_t index : samples_) {
      if (index >= colours) {
        fail(fmt::format("a pixel has colour {} of a palette of {}", index, colours));
      }
      const auto& [red, green, blue] = palette[index];
      pixels.values.insert(pixels.values.end(), {red, green, blue});
      if (transparent == 0) continue;
      pixels.values.push_back(index < transparent ? opacities[index] : std::uint8_t{255});
    }
  }

  static void keep(std::array<char, 128>& text, const char* what) {
    std::snprintf(text.data(), text.size(), "%s", what);
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp what) {
    keep(static_cast<Decoder*>(png_get_error_ptr(png))->error_, what);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp png, png_const_charp what) {
    keep(static_cast<Decoder*>(png_get_error_ptr(png))->warning_, what);
  }
  static void read_some(png_structp png, png_bytep to, std::size_t size) {
    std::string_view& rest = static_cast<Decoder*>(png_get_io_ptr(png))->rest_;
    if (size > rest.size()) png_error(png, "it is cut off");
    rest.copy(reinterpret_cast<char*>(to), size);
    rest.remove_prefix(size);
  }

  std::string_view rest_;
  const std::string& place_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::size_t bits_ = 0;  // of a sample in the file
  int passes_ = 1;        // 7 of an interlaced file
  std::vector<std::uint8_t> samples_;
  std::array<char, 128> error_ = {}, warning_ = {};
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
  constexpr std::array<png_uint_32, 5> kFormats = {0, PNG_FORMAT_GRAY, PNG_FORMAT_GA,
                                                   PNG_FORMAT_RGB, PNG_FORMAT_RGBA};  // by channels
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(pixels.width);
  image.height = static_cast<png_uint_32>(pixels.height);
  image.format = kFormats[static_cast<std::size_t>(pixels.channels)];
  const std::vector<std::uint8_t> samples(pixels.values.begin(), pixels.values.end());
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  if (png_image_write_to_memory(&image, file.data(), &size, /*convert_to_8_bit=*/0, samples.data(),
                                /*row_stride=*/0, /*colormap=*/nullptr) == 0) {
    throw IoError(fmt::format("a picture cannot be written as PNG: {}", image.message));
  }
  file.resize(size);
  return file;
}

}  // namespace aclgrad::detail
