// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "aclgrad/data/images.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad::data {
namespace {

// The pixels of a line that become one, from `first` on, and their weights, which add up to 1.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights = {};
};

std::vector<Taps> taps_of(std::int64_t from, std::int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(scale, 1.0);
  std::vector<Taps> all(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    Taps& taps = all[static_cast<std::size_t>(i)];
    taps.first = std::max<std::int64_t>(0, static_cast<std::int64_t>(centre - reach + 0.5));
    const std::int64_t end = std::min(from, static_cast<std::int64_t>(centre + reach + 0.5));
    double sum = 0;
    for (std::int64_t at = taps.first; at < end; ++at) {
      const double distance = std::abs(static_cast<double>(at) + 0.5 - centre) / reach;
      taps.weights.push_back(std::max(0.0, 1 - distance));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights) weight /= sum;
  }
  return all;
}

// Lines of `taps`' length whose elements lie `stride` apart become shorter or longer ones, for the
// `inner` lines beside each other of each of `outer` blocks.
std::vector<double> resampled(const std::vector<double>& values, std::int64_t outer,
                              std::int64_t length, std::int64_t inner,
                              const std::vector<Taps>& taps) {
  std::vector<double> result(values.size() / static_cast<std::size_t>(length) * taps.size());
  auto to = result.begin();
  for (std::int64_t block = 0; block < outer; ++block) {
    for (const Taps& tap : taps) {
      for (std::int64_t place = 0; place < inner; ++place, ++to) {
        std::int64_t at = (block * length + tap.first) * inner + place;
        for (const double weight : tap.weights) {
          *to += weight * values[static_cast<std::size_t>(at)];
          at += inner;
        }
      }
    }
  }
  return result;
}

}  // namespace

Tensor resize(const Tensor& images, std::int64_t height, std::int64_t width) {
  constexpr std::int64_t kLargest = 65'536;
  const std::size_t rank = images.shape().rank();
  if (rank < 2 || images.numel() == 0) {
    throw ShapeError(
        fmt::format("resize() takes images [..., height, width], got {}", images.shape()));
  }
  if (height < 1 || width < 1 || height > kLargest || width > kLargest) {
    throw ValueError(
        fmt::format("resize() to {} x {}: 1 to 65,536 pixels each way", height, width));
  }
  if (!is_floating(images.dtype()) && images.dtype() != DType::uint8) {
    throw DTypeError(
        fmt::format("resize() takes floating images or uint8, got {}", to_string(images.dtype())));
  }
  std::vector<std::int64_t> dims = images.shape().dims();
  const std::int64_t old_height = dims[rank - 2], old_width = dims[rank - 1];
  const std::int64_t planes = images.numel() / (old_height * old_width);
  dims[rank - 2] = height;
  dims[rank - 1] = width;
  Tensor result = Tensor::zeros(Shape(dims), images.dtype());
  const std::vector<Taps> rows = taps_of(old_height, height), columns = taps_of(old_width, width);
  std::vector<double> plane(static_cast<std::size_t>(old_height * old_width));
  for (std::int64_t n = 0; n < planes; ++n) {
    for (std::size_t i = 0; i < plane.size(); ++i) {
      plane[i] = images.get(n * old_height * old_width + static_cast<std::int64_t>(i));
    }
    const std::vector<double> wide = resampled(plane, old_height, old_width, 1, columns);
    const std::vector<double> whole = resampled(wide, 1, old_height, width, rows);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const double value = images.dtype() == DType::uint8 ? std::floor(whole[i] + 0.5) : whole[i];
      result.set(n * height * width + static_cast<std::int64_t>(i), value);
    }
  }
  return result;
}

}  // namespace aclgrad::data
