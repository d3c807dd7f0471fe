// SPDX-License-Identifier: Apache-2.0
#include "digits.h"

#include <aclgrad/error.h>
#include <fmt/format.h>

aclgrad::data::Dataset load_digits(const std::filesystem::path& path) {
  using aclgrad::DType;
  using aclgrad::Tensor;
  constexpr int kInk = 16;
  const Tensor table = aclgrad::data::read_csv(path, {.dtype = DType::int64});
  const std::int64_t rows = table.shape()[0];
  if (table.shape()[1] != kPixels + 1) {
    throw aclgrad::IoError(fmt::format("{}: {} columns, but a digit has {} pixels and a label",
                                       path.string(), table.shape()[1], kPixels));
  }
  Tensor features = Tensor::zeros({rows, kPixels});
  Tensor labels = Tensor::zeros({rows}, DType::int64);
  const auto values = table.data<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column <= kPixels; ++column) {
      const std::int64_t value = values[static_cast<std::size_t>(row * (kPixels + 1) + column)];
      const bool is_label = column == kPixels;
      const std::int64_t limit = is_label ? kClasses - 1 : kInk;
      if (value < 0 || value > limit) {
        throw aclgrad::IoError(
            fmt::format("{}, line {}: {} is {}, but must be from 0 to {}", path.string(), row + 1,
                        is_label ? "the label" : fmt::format("pixel {}", column), value, limit));
      }
      if (is_label) {
        labels.set(row, static_cast<double>(value));
      } else {
        features.set(row * kPixels + column, static_cast<double>(value) / kInk);
      }
    }
  }
  return {std::move(features), std::move(labels)};
}
