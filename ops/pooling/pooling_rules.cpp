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

bool has_values(const Arguments& arguments, size_t array, int64_t least, size_t axes) {
  const std::vector<int64_t>& values = arguments.int_array(array);
  return (values.size() == 1 || values.size() == axes) &&
         std::all_of(values.begin(), values.end(),
                     [least](int64_t value) { return value >= least && value <= kMaxWindow; });
}

size_t first_axis(const Arguments& arguments, size_t tensor, size_t axes) {
  return arguments.shape(tensor).size() - axes - (has_channels_last(arguments, tensor) ? 1 : 0);
}

bool is_ceiled(const Arguments& arguments, const PoolParameters& p) {
  return (arguments.integer(p.ceil_mode) & 1) != 0;  // of a bool in an int64_t only that is defined
}

WindowAxis pool_axis(const Arguments& arguments, const PoolParameters& p, size_t axis) {
  const bool has_stride = !arguments.int_array(p.stride).empty();
  const bool has_ends = arguments.int_array(p.padding).size() == 2 * p.axes;
  return {image_sizes(arguments, p.image, p.axes)[axis],
          value_of(arguments, p.kernel, axis),
          value_of(arguments, has_stride ? p.stride : p.kernel, axis),
          p.dilation ? value_of(arguments, *p.dilation, axis) : 1,
          value_of(arguments, p.padding, axis),
          value_of(arguments, p.padding, axis + (has_ends ? p.axes : 0))};
}

// The shape of the image's result: a size for each window, negative where 64 bits cannot hold it.
Dims result_shape(const Arguments& arguments, const PoolParameters& p) {
  Dims shape = arguments.shape(p.image);
  const size_t first = first_axis(arguments, p.image, p.axes);
  for (size_t axis = 0; axis < p.axes; ++axis) {
    shape[first + axis] =
        window_count(pool_axis(arguments, p, axis), is_ceiled(arguments, p)).value_or(-1);
  }
  return shape;
}

// "1 or 2 values".
std::string values_text(const PoolParameters& p) { return fmt::format("1 or {} values", p.axes); }

using Complaint = std::optional<std::string>;

Complaint padding_complaint(const Arguments& arguments, const PoolParameters& p) {
  const bool has_ends = p.is_onnx && arguments.int_array(p.padding).size() == 2 * p.axes;
  const size_t count = has_ends ? 2 * p.axes : p.axes;
  bool fits = has_values(arguments, p.padding, 0, count);
  for (size_t i = 0; fits && i < count; ++i) {
    const int64_t kernel = value_of(arguments, p.kernel, i % p.axes);
    fits = (p.is_onnx ? 1 : 2) * value_of(arguments, p.padding, i) <= kernel;
  }
  if (fits) return std::nullopt;
  return fmt::format("{} must be {} of at least 0, at most {} {}.", text(arguments, p.padding),
                     p.is_onnx ? "1, 2 or 4 values" : values_text(p),
                     p.is_onnx ? "those of" : "half of", text(arguments, p.kernel));
}

AxisWindows axis_windows(const WindowAxis& axis, int64_t count, bool counts_padding) {
  AxisWindows all;
  const SlidingWindows& sliding =
      all.sliding.emplace(SlidingWindows{axis.kernel, axis.stride, axis.dilation, axis.begin});
  for (int64_t i = 0; i < count; ++i) {
    all.begin.push_back(sliding.first(i));
    all.end.push_back(sliding.end(i, axis.in));
    const int64_t start = sliding.place(i, 0);
    all.counted.push_back(counts_padding ? std::min(start + axis.kernel, axis.in + axis.end) - start
                                         : all.end.back() - all.begin.back());
  }
  return all;
}

// a b / c, rounded down, of numbers that are not negative with b <= c.
int64_t scaled(int64_t a, int64_t b, int64_t c) {
  __extension__ using Int128 = __int128;
  return static_cast<int64_t>(Int128{a} * b / c);
}

AxisWindows adaptive_axis(int64_t in, int64_t out, bool may_slide) {
  AxisWindows all;
  for (int64_t i = 0; i < out; ++i) {
    all.begin.push_back(scaled(in, i, out));
    all.end.push_back(in - scaled(in, out - i - 1, out));
    all.counted.push_back(all.end.back() - all.begin.back());
  }
  // A single window has no neighbours to be taken with.
  if (may_slide && out > 1 && in % out == 0) all.sliding = SlidingWindows{in / out, in / out, 1, 0};
  return all;
}

}  // namespace

bool has_channels_last(const Arguments& arguments, size_t tensor) {
  return arguments.tensor(tensor).format == ACL_FORMAT_NHWC;
}

std::vector<int64_t> image_sizes(const Arguments& arguments, size_t tensor, size_t axes) {
  const auto first = arguments.shape(tensor).begin() +
                     static_cast<std::ptrdiff_t>(first_axis(arguments, tensor, axes));
  return {first, first + static_cast<std::ptrdiff_t>(axes)};
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
  require_pool_axes(p.axes);
  return require([=](const Arguments& arguments) -> Complaint {
    if (!has_values(arguments, p.kernel, 1, p.axes)) {
      return fmt::format("{} must be {} within [1, {}].", text(arguments, p.kernel), values_text(p),
                         kMaxWindow);
    }
    if (!arguments.int_array(p.stride).empty() && !has_values(arguments, p.stride, 1, p.axes)) {
      return fmt::format("{} must be empty, or {} within [1, {}].", text(arguments, p.stride),
                         values_text(p), kMaxWindow);
    }
    if (Complaint complaint = padding_complaint(arguments, p)) return complaint;
    if (!p.dilation) return std::nullopt;
    const bool dilates = p.dilates_everywhere || current_soc() == Soc::kAscend950;
    const int64_t most = dilates ? kMaxWindow : 1;
    for (size_t axis = 0; axis < p.axes; ++axis) {
      if (has_values(arguments, *p.dilation, 1, p.axes) &&
          value_of(arguments, *p.dilation, axis) <= most) {
        continue;
      }
      return fmt::format("{} must be {} within [1, {}].", text(arguments, *p.dilation),
                         values_text(p), most);
    }
    return std::nullopt;
  });
}

Rule pool_window_fits(const PoolParameters& p) {
  return require([=](const Arguments& arguments) -> Complaint {
    for (size_t axis = 0; axis < p.axes; ++axis) {
      const auto count = window_count(pool_axis(arguments, p, axis), is_ceiled(arguments, p));
      if (count && *count > 0) continue;
      return fmt::format("the windows of {} must have room in tensor {} {}.",
                         arrays_text(arguments, p), arguments.name(p.image),
                         to_string(arguments.shape(p.image)));
    }
    return std::nullopt;
  });
}

Rule pool_result_shape(size_t tensor, const PoolParameters& p) {
  return require([=](const Arguments& arguments) -> Complaint {
    const Dims expected = result_shape(arguments, p);
    if (arguments.shape(tensor) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {} for {}, but is {}.", arguments.name(tensor),
                       to_string(expected), arrays_text(arguments, p),
                       to_string(arguments.shape(tensor)));
  });
}

Rule sizes_are_outs(size_t array, size_t tensor, size_t axes) {
  return require([=](const Arguments& arguments) -> Complaint {
    const std::vector<int64_t>& sizes = arguments.int_array(array);
    if (sizes == image_sizes(arguments, tensor, axes) &&
        std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; })) {
      return std::nullopt;
    }
    return fmt::format("{} must be the last {} sizes of tensor {} {}, above 0, but is [{}].",
                       arguments.name(array), axes, arguments.name(tensor),
                       to_string(arguments.shape(tensor)), fmt::join(sizes, ", "));
  });
}

Rule same_planes(size_t tensor, size_t reference, size_t axes) {
  return require([=](const Arguments& arguments) -> Complaint {
    Dims expected = arguments.shape(reference);
    const Dims& shape = arguments.shape(tensor);
    const size_t first = first_axis(arguments, reference, axes);
    if (shape.size() == expected.size()) {
      for (size_t i = first; i < first + axes; ++i) expected[i] = shape[i];
      if (shape == expected && *std::min_element(shape.begin(), shape.end()) >= 0) {
        return std::nullopt;
      }
    }
    return fmt::format("tensor {} must have the sizes of tensor {} {} but for [{}], but is {}.",
                       arguments.name(tensor), arguments.name(reference),
                       to_string(arguments.shape(reference)),
                       fmt::join(image_sizes(arguments, reference, axes), ", "), to_string(shape));
  });
}

PoolWindows pool_windows(const Arguments& arguments, const PoolParameters& p, bool counts_padding) {
  const auto along = [&](size_t axis) {
    const WindowAxis window = pool_axis(arguments, p, axis);
    return axis_windows(window, *window_count(window, is_ceiled(arguments, p)), counts_padding);
  };
  const AxisWindows one_slice{{0}, {1}, {1}};
  return {p.axes == 3 ? along(0) : one_slice, along(p.axes - 2), along(p.axes - 1)};
}

std::optional<int64_t> divisor_of(const Arguments& arguments, size_t divisor_override) {
  const int64_t divisor = arguments.integer(divisor_override);
  return divisor == 0 ? std::nullopt : std::optional(divisor);
}

PoolWindows adaptive_windows(const Planes& in, const Planes& out, bool may_slide) {
  return {adaptive_axis(in.depth, out.depth, may_slide),
          adaptive_axis(in.height, out.height, may_slide),
          adaptive_axis(in.width, out.width, may_slide)};
}

}  // namespace aclgrad::ops
