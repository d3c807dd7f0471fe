// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/data/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <system_error>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/io/file.h"
#include "io/png.h"

namespace aclgrad::data {
namespace {

void require_sound(const ImageOptions& options) {
  const std::int64_t channels = options.channels;
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
    throw ValueError(
        fmt::format("an image has 1, 3 or 4 channels, not {}; 0: those of its file", channels));
  }
  if ((options.height == 0) != (options.width == 0)) {
    throw ValueError(fmt::format("height {} and width {} of an image are given together",
                                 options.height, options.width));
  }
  if (options.dtype != DType::float32 && options.dtype != DType::uint8) {
    throw DTypeError(
        fmt::format("an image becomes float32 or uint8, not {}", to_string(options.dtype)));
  }
}

// What channel `wanted` of `count` is for a pixel of another number of channels.
double converted(const std::uint16_t* pixel, std::int64_t channels, std::int64_t wanted,
                 std::int64_t count, double white) {
  const bool has_colour = channels >= 3;
  if (wanted == 3) return channels % 2 == 0 ? pixel[channels - 1] : white;
  if (!has_colour) return pixel[0];
  if (count == 1) return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
  return pixel[wanted];
}

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

// In the order of their names. Throws IoError.
template <class Iterator, class Wanted>
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder,
                                                  const Wanted& is_wanted) {
  std::vector<std::filesystem::path> paths;
  try {
    for (const std::filesystem::directory_entry& entry : Iterator(folder)) {
      if (!entry.path().filename().string().starts_with('.') && is_wanted(entry)) {
        paths.push_back(entry.path());
      }
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw IoError(
        fmt::format("{}: cannot read the folder: {}", folder.string(), error.code().message()));
  }
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder) {
  constexpr std::array<std::string_view, 10> kOthers = {".jpg", ".jpeg", ".gif", ".bmp", ".webp",
                                                        ".tif", ".tiff", ".ppm", ".pgm", ".avif"};
  using Recursive = std::filesystem::recursive_directory_iterator;
  const auto is_picture = [&](const std::filesystem::directory_entry& entry) {
    const std::string extension = extension_of(entry.path());
    if (std::ranges::find(kOthers, extension) != kOthers.end()) {
      throw IoError(entry.path().string() +
                    ": only PNG pictures are read: convert it, with `mogrify -format png` of "
                    "ImageMagick or Image.save() of Pillow");
    }
    return extension == ".png" && entry.is_regular_file();
  };
  std::vector<std::filesystem::path> paths = sorted_entries<Recursive>(folder, is_picture);
  if (paths.empty()) throw IoError(folder.string() + ": the folder of a class has no PNG pictures");
  return paths;
}

}  // namespace

Tensor read_png(const std::filesystem::path& path, const ImageOptions& options) {
  require_sound(options);
  const aclgrad::detail::Pixels pixels = aclgrad::detail::decode_png(path);
  const std::int64_t channels = options.channels == 0 ? pixels.channels : options.channels;
  const bool as_they_are = channels == pixels.channels;
  const double white = pixels.white, largest = options.dtype == DType::uint8 ? 255 : 1;
  const std::int64_t area = pixels.height * pixels.width;
  Tensor image = Tensor::zeros({channels, pixels.height, pixels.width}, options.dtype);
  for (std::int64_t i = 0; i < area; ++i) {
    const std::uint16_t* pixel = &pixels.values[static_cast<std::size_t>(i * pixels.channels)];
    for (std::int64_t c = 0; c < channels; ++c) {
      const double value =
          as_they_are ? pixel[c] : converted(pixel, pixels.channels, c, channels, white);
      const double scaled = value * largest / white;
      image.set(c * area + i, options.dtype == DType::uint8 ? std::floor(scaled + 0.5) : scaled);
    }
  }
  return options.height == 0 ? image : resize(image, options.height, options.width);
}

void write_png(const std::filesystem::path& path, const Tensor& picture) {
  const std::int64_t rank = picture.rank();
  const std::int64_t channels = rank == 3 ? picture.shape()[0] : 1;
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;  // that read_png() reads
  if ((rank != 2 && rank != 3) || channels < 1 || channels > 4 || picture.numel() == 0 ||
      picture.numel() / channels > kMostPixels) {
    throw ShapeError(fmt::format(
        "a picture is [height, width] or [channels, height, width], of 1 to 4 channels and at most "
        "2^28 pixels, got shape {}",
        picture.shape()));
  }
  const bool is_whole = picture.dtype() == DType::uint8;
  if (!is_whole && !is_floating(picture.dtype())) {
    throw DTypeError(
        fmt::format("a picture is of uint8 or of floating numbers, got {}", picture.dtype()));
  }
  aclgrad::detail::Pixels pixels{.height = picture.shape()[rank - 2],
                                 .width = picture.shape()[rank - 1],
                                 .channels = channels};
  const std::int64_t size = pixels.height * pixels.width;
  for (std::int64_t i = 0; i < picture.numel(); ++i) {
    const std::int64_t place = i % channels * size + i / channels;  // channels lie side by side
    const double value = picture.get(place);
    if (!is_whole && !(value >= 0 && value <= 1)) {
      throw ValueError(fmt::format("element {} of the picture is {}, but 0 is black and 1 is white",
                                   place, value));
    }
    pixels.values.push_back(
        static_cast<std::uint16_t>(std::lround(is_whole ? value : 255 * value)));
  }
  write_file_atomically(path, aclgrad::detail::encode_png(pixels));
}

ImageFolder image_folder(const std::filesystem::path& path, const ImageOptions& options) {
  const auto is_folder = [](const auto& entry) { return entry.is_directory(); };
  const auto folders = sorted_entries<std::filesystem::directory_iterator>(path, is_folder);
  if (folders.empty()) {
    throw IoError(path.string() +
                  ": no folders of classes in it: pictures lie in path/class/name.png");
  }
  ImageFolder result;
  std::vector<std::int64_t> labels;
  for (const std::filesystem::path& folder : folders) {
    for (std::filesystem::path& file : pictures_in(folder)) {
      result.paths.push_back(std::move(file));
      labels.push_back(static_cast<std::int64_t>(result.classes.size()));
    }
    result.classes.push_back(folder.filename().string());
  }
  Tensor& all = result.images.features;
  const auto count = static_cast<std::int64_t>(result.paths.size());
  Shape first;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::filesystem::path& file = result.paths[static_cast<std::size_t>(i)];
    const Tensor image = read_png(file, options);
    if (i == 0) {
      first = image.shape();
      all = Tensor::zeros({count, first[0], first[1], first[2]}, image.dtype());
    }
    if (image.shape() != first) {
      throw IoError(fmt::format(
          "{}: its shape [channels, height, width] is {}, that of {} is {}: images of one folder "
          "are alike, which `.channels = 3` and `.height`, `.width` make them",
          file.string(), image.shape(), result.paths[0].string(), first));
    }
    std::copy_n(image.bytes(), image.nbytes(),
                all.bytes() + static_cast<std::size_t>(i) * image.nbytes());
  }
  result.images.labels = Tensor::from({count}, labels);
  return result;
}

}  // namespace aclgrad::data
