// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/meta/soc.h"

namespace aclgrad::ops {
namespace {

std::string text(const Arguments& arguments, size_t array) {
  return fmt::format("{} [{}]", arguments.name(array), fmt::join(arguments.int_array(array), ", "));
}

std::string arrays_text(const Arguments& arguments, const PoolParameters& p) {
  std::string all = text(arguments, p.kernel);
  for (const size_t array : {p.stride, p.padding}) all += ", " + text(arguments, array);
  return p.dilation ? all + ", " + text(arguments, *p.dilation) : all;
}

int64_t value_of(const Arguments& arguments, size_t array, size_t axis) {
  const std::vector<int64_t>& values = arguments.int_array(array);
  return values[values.size() == 1 ? 0 : axis];
}

bool has_values(const Arguments& arguments, size_t array, int64_t least) {
  const std::vector<int64_t>& values = arguments.int_array(array);
  return (values.size() == 1 || values.size() == 2) &&
         std::all_of(values.begin(), values.end(),
                     [least](int64_t value) { return value >= least && value <= kMaxWindow; });
}

// The shape of the image's result: a size for each window, negative where 64 bits cannot hold it.
Dims result_shape(const Arguments& arguments, const PoolParameters& p) {
  Dims shape = arguments.shape(p.image);
  const size_t row = shape.size() - (has_channels_last(arguments, p.image) ? 3 : 2);
  for (const size_t axis : {size_t{0}, size_t{1}}) {
    shape[row + axis] =
        window_count(pool_axis(arguments, p, axis), arguments.flag(p.ceil_mode)).value_or(-1);
  }
  return shape;
}

}  // namespace

bool has_channels_last(const Arguments& arguments, size_t tensor) {
  return arguments.tensor(tensor).format == ACL_FORMAT_NHWC;
}

std::array<int64_t, 2> image_sizes(const Arguments& arguments, size_t tensor) {
  const Dims& shape = arguments.shape(tensor);
  const size_t row = shape.size() - (has_channels_last(arguments, tensor) ? 3 : 2);
  return {shape[row], shape[row + 1]};
}

Rule image_rank(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(tensor).size();
    if (rank == 3 || rank == 4) return std::nullopt;
    return fmt::format("tensor {} must have 3 or 4 dimensions, but has {}.", arguments.name(tensor),
                       rank);
  });
}

Rule image_not_empty(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (std::all_of(shape.end() - 3, shape.end(), [](int64_t size) { return size > 0; })) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have channels, height and width above 0, but is {}.",
                       arguments.name(tensor), to_string(shape));
  });
}

Rule one_format(std::initializer_list<size_t> tensors) {
  return require([list = std::vector<size_t>(tensors)](
                     const Arguments& arguments) -> std::optional<std::string> {
    const aclFormat expected = arguments.tensor(list.front()).format;
    for (const size_t tensor : list) {
      const aclFormat format = arguments.tensor(tensor).format;
      if (format == expected && !is_private_format(format)) continue;
      return fmt::format(
          "tensor {} must have the format of {} ({}), and no private one, but its "
          "format is {}.",
          arguments.name(tensor), arguments.name(list.front()), static_cast<int>(expected),
          static_cast<int>(format));
    }
    return std::nullopt;
  });
}

Rule pool_arrays(const PoolParameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!has_values(arguments, p.kernel, 1)) {
      return fmt::format("{} must be 1 or 2 values within [1, {}].", text(arguments, p.kernel),
                         kMaxWindow);
    }
    if (!arguments.int_array(p.stride).empty() && !has_values(arguments, p.stride, 1)) {
      return fmt::format("{} must be empty, or 1 or 2 values within [1, {}].",
                         text(arguments, p.stride), kMaxWindow);
    }
    const bool has_padding = has_values(arguments, p.padding, 0);
    for (const size_t axis : {size_t{0}, size_t{1}}) {
      if (has_padding &&
          2 * value_of(arguments, p.padding, axis) <= value_of(arguments, p.kernel, axis)) {
        continue;
      }
      return fmt::format("{} must be 1 or 2 values of at least 0, at most half of {}.",
                         text(arguments, p.padding), text(arguments, p.kernel));
    }
    if (!p.dilation) return std::nullopt;
    const int64_t most = current_soc() == Soc::kAscend950 ? kMaxWindow : 1;
    for (const size_t axis : {size_t{0}, size_t{1}}) {
      if (has_values(arguments, *p.dilation, 1) && value_of(arguments, *p.dilation, axis) <= most) {
        continue;
      }
      return fmt::format("{} must be 1 or 2 values within [1, {}].", text(arguments, *p.dilation),
                         most);
    }
    return std::nullopt;
  });
}

WindowAxis pool_axis(const Arguments& arguments, const PoolParameters& p, size_t axis) {
  const bool has_stride = !arguments.int_array(p.stride).empty();
  const int64_t padding = value_of(arguments, p.padding, axis);
  return {image_sizes(arguments, p.image)[axis],
          value_of(arguments, p.kernel, axis),
          value_of(arguments, has_stride ? p.stride : p.kernel, axis),
          p.dilation ? value_of(arguments, *p.dilation, axis) : 1,
          padding,
          padding};
}

Rule pool_window_fits(const PoolParameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    for (const size_t axis : {size_t{0}, size_t{1}}) {
      const auto count = window_count(pool_axis(arguments, p, axis), arguments.flag(p.ceil_mode));
      if (count && *count > 0) continue;
      return fmt::format("the windows of {} must have room in tensor {} {}.",
                         arrays_text(arguments, p), arguments.name(p.image),
                         to_string(arguments.shape(p.image)));
    }
    return std::nullopt;
  });
}

Rule pool_result_shape(size_t tensor, const PoolParameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims expected = result_shape(arguments, p);
    if (arguments.shape(tensor) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {} for {}, but is {}.", arguments.name(tensor),
                       to_string(expected), arrays_text(arguments, p),
                       to_string(arguments.shape(tensor)));
  });
}

}  // namespace aclgrad::ops
