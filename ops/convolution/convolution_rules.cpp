// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/convolution_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/convolution/convolution_kernel_pairs.h"
#include "ops/convolution/window_rules.h"

namespace aclgrad::ops {
namespace {

using Parameters = ConvolutionParameters;

size_t spatial_axes(const Arguments& arguments, const Parameters& p) {
  return arguments.shape(p.input).size() - 2;
}

std::string text(const std::vector<int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

// Padding before the first element of an axis, and behind the last.
struct Padding {
  int64_t begin;
  int64_t end;
};
Padding padding_of(const Arguments& arguments, const Parameters& p, size_t axis) {
  const std::vector<int64_t>& padding = arguments.int_array(p.padding);
  if (padding.size() == spatial_axes(arguments, p)) return {padding[axis], padding[axis]};
  return {padding[2 * axis], padding[2 * axis + 1]};
}

WindowAxis window_axis(const Arguments& arguments, const Parameters& p, size_t axis) {
  const Padding padding = padding_of(arguments, p, axis);
  return {arguments.shape(p.input)[axis + 2],
          arguments.shape(p.weight)[axis + 2],
          arguments.int_array(p.stride)[axis],
          arguments.int_array(p.dilation)[axis],
          padding.begin,
          padding.end};
}

// The shape of the result; nothing where 64 bits cannot hold a size.
std::optional<Dims> result_shape(const Arguments& arguments, const Parameters& p) {
  Dims shape{arguments.shape(p.input)[0], output_channels(arguments, p)};
  for (size_t axis = 0; axis < spatial_axes(arguments, p); ++axis) {
    const WindowAxis window = window_axis(arguments, p, axis);
    const auto size = arguments.flag(p.transposed)
                          ? transposed_size(window, arguments.int_array(p.output_padding)[axis])
                          : window_count(window);
    if (!size || *size < 0) return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

std::optional<std::string> wrong_value(const Arguments& arguments, size_t array, int64_t least) {
  for (const int64_t value : arguments.int_array(array)) {
    if (value >= least && value <= kMaxWindow) continue;
    return fmt::format("every value of {} must be within [{}, {}], but it is {}.",
                       arguments.name(array), least, kMaxWindow, text(arguments.int_array(array)));
  }
  return std::nullopt;
}

}  // namespace

bool is_empty_convolution(const Arguments& arguments, const Parameters& p) {
  return arguments.empty(p.input) || arguments.empty(p.weight);
}

int64_t output_channels(const Arguments& arguments, const Parameters& p) {
  const Dims& weight = arguments.shape(p.weight);
  if (!arguments.flag(p.transposed)) return weight[0];
  int64_t channels = 0;
  return __builtin_mul_overflow(weight[1], arguments.integer(p.groups), &channels) ? -1 : channels;
}

Rule convolution_ranks(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(p.input).size();
    for (const size_t tensor : {p.input, p.weight, p.result}) {
      const size_t own = arguments.shape(tensor).size();
      if (own >= 3 && own <= 5 && own == rank) continue;
      return fmt::format("tensor {} must have 3 to 5 dimensions, as many as {} ({}), but has {}.",
                         arguments.name(tensor), arguments.name(p.input), rank, own);
    }
    return std::nullopt;
  });
}

Rule convolution_array_sizes(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t axes = spatial_axes(arguments, p);
    const bool transposed = arguments.flag(p.transposed);
    const bool both_sides = axes == 2 || (axes == 1 && !transposed);
    for (const size_t array : {p.stride, p.padding, p.dilation, p.output_padding}) {
      if (array == p.output_padding && !transposed) continue;
      const size_t size = arguments.int_array(array).size();
      if (size == axes || (array == p.padding && both_sides && size == 2 * axes)) continue;
      return fmt::format("{} must have a value for each of {} spatial dimensions, but is {}.",
                         arguments.name(array), axes, text(arguments.int_array(array)));
    }
    return std::nullopt;
  });
}

Rule convolution_values(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (auto wrong = wrong_value(arguments, p.stride, 1)) return wrong;
    if (auto wrong = wrong_value(arguments, p.padding, 0)) return wrong;
    return wrong_value(arguments, p.dilation, 1);
  });
}

Rule convolution_window_fits(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.flag(p.transposed)) return std::nullopt;
    for (size_t axis = 0; axis < spatial_axes(arguments, p); ++axis) {
      const WindowAxis window = window_axis(arguments, p, axis);
      if (fits_padded(window)) continue;
      return fmt::format(
          "the window of tensor {} {} with dilation {} must lie in the padded input, but does not "
          "along dimension {} of {} {}.",
          arguments.name(p.weight), to_string(arguments.shape(p.weight)), window.dilation, axis + 2,
          arguments.name(p.input), to_string(arguments.shape(p.input)));
    }
    return std::nullopt;
  });
}

Rule convolution_groups(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.integer(p.groups) >= 1) return std::nullopt;
    return fmt::format("{} must be at least 1, but is {}.", arguments.name(p.groups),
                       arguments.integer(p.groups));
  });
}

Rule convolution_channels(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t channels = arguments.shape(p.input)[1];
    const Dims& weight = arguments.shape(p.weight);
    const int64_t groups = arguments.integer(p.groups);
    const bool fits = arguments.flag(p.transposed)
                          ? channels == weight[0]
                          : channels % groups == 0 && channels / groups == weight[1];
    if (fits) return std::nullopt;
    return fmt::format("tensor {} {} must have the channels of tensor {} {} in {} groups.",
                       arguments.name(p.input), to_string(arguments.shape(p.input)),
                       arguments.name(p.weight), to_string(weight), groups);
  });
}

Rule convolution_groups_divide(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t channels = arguments.shape(p.weight)[0];
    if (channels % arguments.integer(p.groups) == 0) return std::nullopt;
    return fmt::format("tensor {} must have a first size that is a multiple of {} ({}), but is {}.",
                       arguments.name(p.weight), arguments.name(p.groups),
                       arguments.integer(p.groups), to_string(arguments.shape(p.weight)));
  });
}

Rule has_output_channels(size_t tensor, const Parameters& p) {
  return [=](const Arguments& arguments) {
    return has_shape(tensor, {output_channels(arguments, p)})(arguments);
  };
}

Rule convolution_result_shape(const Parameters& p) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::optional<Dims> expected = result_shape(arguments, p);
    const Dims& shape = arguments.shape(p.result);
    if (expected && shape == *expected) return std::nullopt;
    if (!expected) {
      return fmt::format("the sizes of tensor {} must fit 64 bits, but do not for {} {}.",
                         arguments.name(p.result), arguments.name(p.input),
                         to_string(arguments.shape(p.input)));
    }
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(p.result),
                       to_string(*expected), to_string(shape));
  });
}

ConvolutionShape convolution_shape(const Arguments& arguments, const Parameters& p) {
  const bool transposed = arguments.flag(p.transposed);
  const Dims& x = arguments.shape(transposed ? p.result : p.input);
  const Dims& y = arguments.shape(transposed ? p.input : p.result);
  ConvolutionShape shape{.images = x[0],
                         .groups = arguments.integer(p.groups),
                         .in_channels = x[1],
                         .out_channels = y[1]};
  const size_t axes = spatial_axes(arguments, p);
  for (size_t axis = 0; axis < axes; ++axis) {
    const size_t at = shape.in.size() - axes + axis;
    const WindowAxis window = window_axis(arguments, p, axis);
    shape.in[at] = x[axis + 2];
    shape.out[at] = y[axis + 2];
    shape.kernel[at] = window.kernel;
    shape.stride[at] = window.stride;
    shape.dilation[at] = window.dilation;
    shape.padding[at] = window.begin;
  }
  return shape;
}

aclDataType convolution_dtype(const Arguments& arguments, const ConvolutionShape& shape,
                              std::initializer_list<size_t> operands,
                              std::initializer_list<size_t> others) {
  const auto is_double = [&](size_t tensor) { return arguments.dtype(tensor) == ACL_DOUBLE; };
  const auto is_bfloat16 = [&](size_t tensor) {
    return !arguments.given(tensor) || arguments.dtype(tensor) == ACL_BF16;
  };
  if (std::any_of(operands.begin(), operands.end(), is_double)) return ACL_DOUBLE;
  const bool all = std::all_of(operands.begin(), operands.end(), is_bfloat16) &&
                   std::all_of(others.begin(), others.end(), is_bfloat16);
  return all && convolves_in_pairs(shape) ? ACL_BF16 : ACL_FLOAT;
}

}  // namespace aclgrad::ops
