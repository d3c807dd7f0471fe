// SPDX-License-Identifier: Apache-2.0
// Pictures as tensors: PNG files, one by one or a folder of classes.
//
//   const data::ImageFolder flowers = data::image_folder("flowers", {.channels = 3, .height = 64,
//                                                                    .width = 64});
//   data::Batches batches(flowers.images, {.batch_size = 32});   // features [n, 3, 64, 64]
//   flowers.classes[label]                                       // "daisy", "rose", ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "aclgrad/data.h"

namespace aclgrad::data {

struct ImageOptions {
  /// 1 (grey), 3 (red, green, blue) or 4 (and how opaque); 0: those of the file, which may be grey
  /// and opacity, 2. Grey is 0.299 red + 0.587 green + 0.114 blue; opacity is left out, or 1.
  std::int64_t channels = 0;

  /// resize() to these, which are given together; 0: the size of the file.
  std::int64_t height = 0, width = 0;

  /// float32: 0 is black and 1 is white. uint8, a quarter of the memory: 0 to 255.
  DType dtype = DType::float32;
};

/// The picture in a PNG file, [channels, height, width], with the values that the file has: grey,
/// RGB, RGBA and palettes, of 1 to 16 bits. Nothing is corrected by gammas and profiles; a single
/// transparent colour (of a file without a palette) is passed over. Throws IoError, which names
/// file and reason, for one that is damaged, of more than 2^28 pixels, or another kind
/// of picture; ValueError for options that are out of range, DTypeError for other dtypes.
Tensor read_png(const std::filesystem::path& path, const ImageOptions& options = {});

/// Writes a picture [height, width] or [channels, height, width], of 1 (grey), 2 (grey and how
/// opaque), 3 or 4 channels and 8 bits each, as write_file_atomically() does: of floating numbers
/// from 0 to 1, each rounded, or of uint8. Throws ShapeError, DTypeError for other dtypes,
/// ValueError with the place for a number outside of 0 to 1, and IoError when writing fails.
void write_png(const std::filesystem::path& path, const Tensor& picture);

/// Pictures and what they show.
struct ImageFolder {
  Dataset images;                            ///< features [n, channels, height, width], labels [n]
  std::vector<std::string> classes;          ///< the name of each label
  std::vector<std::filesystem::path> paths;  ///< the file of each example
};

/// Reads a folder that has a folder for each class, whose PNG files, in folders within it as well,
/// show it: flowers/rose/1.png. Classes and files are in the order of their names, whatever the
/// file system's; hidden files and those that are no pictures are passed over. Throws IoError, with
/// the file, as read_png() does, and for a picture of another format; for a folder without classes,
/// or a class without pictures; for pictures of different sizes or channels, where `options` do not
/// make them alike.
ImageFolder image_folder(const std::filesystem::path& path, const ImageOptions& options = {});

/// Images [..., height, width] in another size, of at least 1 pixel each way: every new pixel is a
/// mean of those around its centre, with weights that fall off linearly, over as many pixels as
/// become one, so that nothing flickers in a smaller picture (bilinear, with antialiasing).
/// Floating dtypes and uint8, which is rounded. Throws ShapeError for images without two axes or
/// without a pixel, ValueError for a size below 1 or above 65,536, DTypeError.
Tensor resize(const Tensor& images, std::int64_t height, std::int64_t width);

}  // namespace aclgrad::data
