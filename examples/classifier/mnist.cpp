// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/mnist.h"

#include <aclgrad/error.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <filesystem>

namespace mnist {
namespace {

using namespace aclgrad;

data::Dataset load_part(const std::filesystem::path& folder, const std::string& part) {
  const std::filesystem::path image_path = folder / (part + "-images-idx3-ubyte");
  const std::filesystem::path label_path = folder / (part + "-labels-idx1-ubyte");
  Tensor images = data::read_idx(image_path);
  if (images.dtype() != DType::uint8 || images.rank() != 3 || images.shape()[1] != kSide ||
      images.shape()[2] != kSide || images.numel() == 0) {
    throw IoError(fmt::format("{}: {} {} instead of uint8 pictures of {}x{}", image_path.string(),
                              images.dtype(), images.shape(), kSide, kSide));
  }
  const std::int64_t count = images.shape()[0];
  const Tensor labels = data::read_idx(label_path);
  if (labels.dtype() != DType::uint8 || labels.shape() != Shape{count}) {
    throw IoError(fmt::format("{}: {} {} instead of a uint8 label for each of {} pictures",
                              label_path.string(), labels.dtype(), labels.shape(), count));
  }
  const auto largest = std::ranges::max(labels.data<std::uint8_t>());
  if (largest >= kClasses) {
    throw IoError(
        fmt::format("{}: there is a label {}, but digits end at 9", label_path.string(), largest));
  }
  return {data::rescale(std::move(images).reshape({count, kPixels}), 1.0 / 255),
          labels.to(DType::int64)};
}

}  // namespace

data::Split load(const std::string& data, const std::string& advice) {
  const std::filesystem::path folder = data == "mnist"     ? "out/mnist-data"
                                       : data == "fashion" ? "out/fashion-mnist-data"
                                                           : data;
  try {
    return {load_part(folder, "train"), load_part(folder, "t10k")};
  } catch (const IoError& error) {
    throw IoError(fmt::format("{}\n{}", error.what(), advice));
  }
}

data::Split load_images(const std::string& data) {
  data::Split images = data::standardized(load(data));
  for (data::Dataset* part : {&images.train, &images.test}) {
    part->features = std::move(part->features).reshape({part->size(), 1, kSide, kSide});
  }
  return images;
}

data::Dataset shift_and_flip(data::Dataset batch, const Random& random) {
  batch.features = data::random_flip(data::random_shift(batch.features, 1, random), random);
  return batch;
}

}  // namespace mnist
