// SPDX-License-Identifier: Apache-2.0
#include "ops/resampling/resampling_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace aclgrad::ops {

Rule is_spatial(size_t tensor, size_t axes, bool has_batch) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    const size_t rank = shape.size();
    const char* const name = arguments.name(tensor);
    if (rank != axes + 2 && (has_batch || rank != axes + 1)) {
      return fmt::format(
          "tensor {} must have {} dimensions, {}channels and {} spatial ones, but is "
          "{}.",
          name,
          has_batch ? fmt::format("{}", axes + 2) : fmt::format("{} or {}", axes + 1, axes + 2),
          has_batch ? "a batch, " : "", axes, to_string(shape));
    }
    constexpr aclFormat kPlain[] = {ACL_FORMAT_ND, ACL_FORMAT_NCL, ACL_FORMAT_NCHW,
                                    ACL_FORMAT_NCDHW};
    const aclFormat format = arguments.tensor(tensor).format;
    if (std::ranges::count(kPlain, format) == 0) {
      return fmt::format(
          "tensor {} must have the format ND, NCL, NCHW or NCDHW, but its format is {}.", name,
          static_cast<int>(format));
    }
    const auto first = shape.end() - static_cast<std::ptrdiff_t>(axes) - 1;
    if (std::all_of(first, shape.end(), [](int64_t size) { return size > 0; })) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have channels and spatial sizes above 0, but is {}.", name,
                       to_string(shape));
  });
}

Rule has_numbers(size_t array, size_t count) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& numbers = arguments.int_array(array);
    if (numbers.size() == count) return std::nullopt;
    return fmt::format("{} must be {} numbers, but is {}.", arguments.name(array), count,
                       to_string(numbers));
  });
}

std::vector<int64_t> spatial_sizes(const Arguments& arguments, size_t tensor, size_t axes) {
  const Dims& shape = arguments.shape(tensor);
  return {shape.end() - static_cast<std::ptrdiff_t>(axes), shape.end()};
}

Dims with_spatial(const Dims& shape, const std::vector<int64_t>& sizes) {
  Dims other = shape;
  const size_t first = shape.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) other[first + i] = sizes[i];
  return other;
}

}  // namespace aclgrad::ops
