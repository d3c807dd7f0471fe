// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::data {
namespace {

// A new tensor that has in place (y, x) of image n what image n has in source_of(n)(y, x), or 0
// where that is outside.
template <class SourceOf>
Tensor moved(const Tensor& images, const SourceOf& source_of) {
  if (images.rank() != 4) {
    throw ShapeError(fmt::format("images have shape [n, c, h, w], got {}", images.shape()));
  }
  const std::int64_t channels = images.shape()[1], height = images.shape()[2],
                     width = images.shape()[3];
  const std::size_t size = size_of(images.dtype());
  Tensor result = Tensor::zeros(images.shape(), images.dtype());
  for (std::int64_t n = 0; n < images.shape()[0]; ++n) {
    const auto source = source_of(n);
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const auto [from_y, from_x] = source(y, x);
        if (from_y < 0 || from_y >= height || from_x < 0 || from_x >= width) continue;
        for (std::int64_t c = 0; c < channels; ++c) {
          const std::int64_t plane = (n * channels + c) * height;
          std::memcpy(
              result.bytes() + static_cast<std::size_t>((plane + y) * width + x) * size,
              images.bytes() + static_cast<std::size_t>((plane + from_y) * width + from_x) * size,
              size);
        }
      }
    }
  }
  return result;
}

struct Pixel {
  std::int64_t y, x;
};

}  // namespace

Tensor random_shift(const Tensor& images, std::int64_t pixels, const Random& random) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (pixels < 0 || pixels > kMost) {
    throw ValueError(fmt::format("images are shifted by 0 to 2^40 pixels, not {}", pixels));
  }
  const auto range = static_cast<std::uint64_t>(2 * pixels + 1);
  return moved(images, [&](std::int64_t n) {
    const auto draw = 2 * static_cast<std::uint64_t>(n);
    const std::int64_t down = static_cast<std::int64_t>(random.below(draw, range)) - pixels;
    const std::int64_t right = static_cast<std::int64_t>(random.below(draw + 1, range)) - pixels;
    return [=](std::int64_t y, std::int64_t x) { return Pixel{y - down, x - right}; };
  });
}

Tensor random_flip(const Tensor& images, const Random& random) {
  const std::int64_t last = images.rank() == 4 ? images.shape()[3] - 1 : 0;
  return moved(images, [&](std::int64_t n) {
    const bool mirrored = random.below(static_cast<std::uint64_t>(n), 2) == 1;
    return [=](std::int64_t y, std::int64_t x) { return Pixel{y, mirrored ? last - x : x}; };
  });
}

}  // namespace aclgrad::data
