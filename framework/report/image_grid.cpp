// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/report.h"
#include "report/svg.h"

namespace aclgrad::report {
namespace {

constexpr Colour kWhite = {255, 255, 255};
constexpr Colour kBlack = {0, 0, 0};
constexpr double kTile = 72;     // longest edge of an image as drawn
constexpr double kGap = 14;      // between images
constexpr double kCaption = 18;  // room below an image

}  // namespace

std::string ImageGrid::svg() const {
  std::int64_t longest = 1;
  double tile_width = kTile;
  for (const GridImage& image : images) {
    if (image.pixels.rank() != 2) {
      throw ShapeError("images must be [height, width], got shape " +
                       to_string(image.pixels.shape()));
    }
    longest = std::max({longest, image.pixels.shape()[0], image.pixels.shape()[1]});
    tile_width = std::max(tile_width, text_width(image.caption, kTextSize));
  }
  const double pixel = std::max(1.0, std::floor(kTile / static_cast<double>(longest)));
  tile_width = std::max(tile_width, pixel * static_cast<double>(longest));
  const double tile_height = pixel * static_cast<double>(longest) + kCaption;
  const auto count = static_cast<std::int64_t>(images.size());
  const std::int64_t across = std::max<std::int64_t>(1, std::min<std::int64_t>(columns, count));
  const std::int64_t down = (count + across - 1) / across;
  const double heading = title.empty() ? kGap : 46;
  SvgCanvas canvas(kGap + (tile_width + kGap) * static_cast<double>(across),
                   heading + (tile_height + kGap) * static_cast<double>(down), title);
  canvas.heading(title, 28);
  for (std::int64_t i = 0; i < count; ++i) {
    const GridImage& image = images[static_cast<std::size_t>(i)];
    const double middle =
        kGap + (tile_width + kGap) * static_cast<double>(i % across) + tile_width / 2;
    const double top = heading + (tile_height + kGap) * static_cast<double>(i / across);
    const double width = pixel * static_cast<double>(image.pixels.shape()[1]);
    const double height = pixel * static_cast<double>(image.pixels.shape()[0]);
    const double left = std::round(middle - width / 2);
    canvas.raster(left, top, pixel, pixel, image.pixels.shape()[0], image.pixels.shape()[1],
                  [&](std::int64_t row, std::int64_t column) {
                    const double value = image.pixels.at({row, column});
                    return blend(kWhite, kBlack, (value - light) / (dark - light));
                  });
    canvas.rectangle(left - 0.5, top - 0.5, width + 1, height + 1, "none", "#c8c8c8");
    canvas.text(middle, top + height + 15, image.caption,
                {.colour = image.colour.empty() ? kInk : std::string_view(image.colour),
                 .anchor = Anchor::middle});
  }
  return std::move(canvas).finish();
}

ImageGrid mistakes(const Tensor& images, const Tensor& actual, const Tensor& predicted,
                   std::size_t most) {
  const std::int64_t n = actual.numel();
  const bool flat = images.rank() == 2;
  const std::int64_t pixels = flat ? images.shape()[1] : 0;
  const std::int64_t side = std::lround(std::sqrt(static_cast<double>(pixels)));
  if (images.rank() < 2 || side * side != pixels || images.shape()[0] != n ||
      predicted.numel() != n) {
    throw ShapeError(fmt::format("{} images of shape {} and {} predictions do not fit together", n,
                                 to_string(images.shape()), predicted.numel()));
  }
  const Shape size = flat ? Shape{side, side}
                          : Shape{images.shape().dims().end()[-2], images.shape().dims().back()};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ImageGrid grid{.columns = 6, .light = kInfinity, .dark = -kInfinity};
  for (std::int64_t i = 0; i < images.numel(); ++i) {
    grid.light = std::min(grid.light, images.get(i));
    grid.dark = std::max(grid.dark, images.get(i));
  }
  std::size_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (actual.get(i) == predicted.get(i) || ++wrong > most) continue;
    grid.images.push_back(
        {.pixels = images.slice(0, i, i + 1).reshape(size),
         .caption = fmt::format("{}, taken for {}", actual.get(i), predicted.get(i)),
         .colour = "#B03A2E"});
  }
  grid.title = fmt::format("{} of {} misclassified", wrong, n);
  return grid;
}

}  // namespace aclgrad::report
