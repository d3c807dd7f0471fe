// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/windows_contract.h"

#include <algorithm>
#include <stdexcept>

namespace aclgrad::contract {
namespace {

// The value for an axis of the first array of these names that there is.
int64_t value_for(const Arguments& a, size_t axis, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!a.has(name)) continue;
    const Shape& values = a.array(name);
    return values.size() == 1 ? values[0] : values.at(axis);
  }
  return 1;
}

// Windows until none begins in the axis, or is whole; rounded up, there is one more for elements
// that a window before it would not reach. Those of an average weigh what `divisor` says of how
// many there are, the padding counted or not.
template <class Divisor>
Axis along(const PoolAxis& p, bool up, const Divisor& divisor) {
  Axis axis{p.in};
  const int64_t reach = p.dilation * (p.kernel - 1) + 1, room = p.in + p.end;
  for (int64_t start = -p.begin;; start += p.stride) {
    const bool fits = start + reach <= room;
    if (!fits && (!up || start >= p.in || start - p.stride + reach >= room)) return axis;
    std::vector<Tap>& taps = axis.taps.emplace_back();
    for (int64_t k = 0; k < p.kernel; ++k) {
      const int64_t place = start + k * p.dilation;
      if (place >= 0 && place < p.in) taps.push_back({place, 1});
    }
    const Number by =
        divisor(static_cast<int64_t>(taps.size()), std::min(start + p.kernel, room) - start);
    for (Tap& tap : taps) tap.weight = 1 / by;
  }
}

}  // namespace

std::vector<PoolAxis> pool_axes(const Arguments& a, const Shape& image, size_t axes) {
  const Shape sizes = require_image(image, axes);
  const char* const stride = a.has("stride") ? "stride" : "strides";
  std::vector<PoolAxis> all;
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t kernel = value_for(a, axis, {"kernelSize", "kernelShape"});
    const bool has_ends = a.has("pads") && a.array("pads").size() == 2 * axes;
    all.push_back({sizes[axis], kernel,
                   a.array(stride).empty() ? kernel : value_for(a, axis, {stride}),
                   value_for(a, axis, {"dilation", "dilations"}),
                   value_for(a, axis, {"padding", "paddings", "pads"}),
                   value_for(a, axis + (has_ends ? axes : 0), {"padding", "paddings", "pads"})});
  }
  return all;
}

Axes windows_of(const Arguments& a, const Shape& image, size_t axes) {
  Axes all;
  for (const PoolAxis& p : pool_axes(a, image, axes)) {
    all.push_back(along(p, a.number("ceilMode") != 0, [](int64_t, int64_t) { return Number{1}; }));
  }
  return all;
}

Axes averages_of(const Arguments& a, const Shape& image, size_t axes) {
  const Number divisor = a.number("divisorOverride");
  const bool with_padding = a.number("countIncludePad") != 0;
  Axes all;
  for (const PoolAxis& p : pool_axes(a, image, axes)) {
    const Number given = all.empty() ? divisor : 1;
    all.push_back(along(p, a.number("ceilMode") != 0, [&](int64_t real, int64_t whole) {
      return divisor != 0 ? given : static_cast<Number>(with_padding ? whole : real);
    }));
  }
  return all;
}

Axes adaptive_axes(const Shape& image, const Shape& sizes, bool averages) {
  const Shape in = require_image(image, sizes.size());
  Axes all;
  for (size_t k = 0; k < sizes.size(); ++k) {
    const int64_t out = sizes[k];
    Axis& axis = all.emplace_back(Axis{in[k]});
    for (int64_t i = 0; i < out; ++i) {
      const int64_t begin = i * in[k] / out, end = ((i + 1) * in[k] + out - 1) / out;
      std::vector<Tap>& taps = axis.taps.emplace_back();
      const Number weight = averages ? Number{1} / static_cast<Number>(end - begin) : Number{1};
      for (int64_t place = begin; place < end; ++place) taps.push_back({place, weight});
    }
  }
  return all;
}

Shape require_image(const Shape& image, size_t axes) {
  const Shape sizes = last_sizes(image, axes);
  if (count_of(image) == 0) throw std::invalid_argument("an image has elements");
  return sizes;
}

Sample sample_of(const Pool& pool) {
  Sample sample;
  if (!pool.self.empty()) sample.settings.emplace_back("self", pool.self);
  for (const char* name : {"kernelSize", "kernelShape"}) {
    sample.settings.emplace_back(name, pool.kernel);
  }
  for (const char* name : {"stride", "strides"}) sample.settings.emplace_back(name, pool.stride);
  for (const char* name : {"padding", "paddings", "pads"}) {
    sample.settings.emplace_back(name, pool.padding);
  }
  if (pool.dilation != Shape{1}) {
    for (const char* name : {"dilation", "dilations"}) {
      sample.settings.emplace_back(name, pool.dilation);
    }
  }
  if (pool.ceil_mode) sample.settings.emplace_back("ceilMode", 1.0);
  return sample;
}

Domain of_windows(std::vector<Sample> samples, size_t axes, const DTypes& dtypes) {
  const auto arrange = [axes](Arguments& a) {
    const Shape image = a.shape("self");
    const Shape result = resized(image, windows_of(a, image, axes));
    if (count_of(result) == 0) throw std::invalid_argument("the window does not fit the image");
    a.reshape({"out", "indices", "gradOutput"}, result);
    a.reshape({"gradInput"}, image);
    if (!a.has("mask")) return;
    Shape mask = result;
    const std::vector<PoolAxis> windows = pool_axes(a, image, axes);
    mask[mask.size() - 2] = windows[0].kernel * windows[1].kernel;
    mask.back() = ((result[result.size() - 2] * result.back() + 15) / 16 + 1) * 32;
    a.reshape({"mask"}, mask);
  };
  return {.everywhere = dtypes,
          .max_rank = axes + 2,
          .grows = false,
          .base = "self",
          .base_shape = right_base(axes),
          .arrange = arrange,
          .samples = std::move(samples)};
}

Domain of_adaptive(std::vector<Sample> samples, size_t axes, const DTypes& dtypes) {
  const auto arrange = [axes](Arguments& a) {
    const Shape image = a.shape("self");
    const bool is_backward = a.has("gradOutput");
    Shape size = is_backward ? Shape() : a.array("outputSize");
    if (is_backward) {
      const Shape& gradient = a.shape("gradOutput");
      if (gradient.size() != image.size()) throw std::invalid_argument("ranks differ");
      size = last_sizes(gradient, axes);
    }
    if (size.size() != axes || *std::ranges::min_element(size) < 1) {
      throw std::invalid_argument("outputSize is a size for each axis");
    }
    const Shape result = resized(image, adaptive_axes(image, size, false));
    a.reshape({"out", "indices", "gradOutput"}, result);
    a.reshape({"gradInput"}, image);
  };
  return {.everywhere = dtypes,
          .max_rank = axes + 2,
          .grows = false,
          .base = "self",
          .base_shape = right_base(axes),
          .arrange = arrange,
          .samples = std::move(samples)};
}

Sample adaptive_sample(Shape size, Shape self, Shape gradient) {
  return {{{"self", std::move(self)},
           {"outputSize", std::move(size)},
           {"gradOutput", std::move(gradient)}}};
}

const Shape& right_image(size_t axes) {
  static const Shape kPlane = {1, 2, 4, 6}, kVolume = {1, 2, 2, 4, 6};
  return axes == 2 ? kPlane : kVolume;
}
const Shape& right_result(size_t axes) {
  static const Shape kPlane = {1, 2, 3, 4}, kVolume = {1, 2, 3, 3, 4};
  return axes == 2 ? kPlane : kVolume;
}
Shape right_base(size_t axes) {
  Shape base = right_image(axes);
  base[0] = kN;
  return base;
}

std::vector<ErrorInput> wrong_windows(const char* kernel, const char* stride, const char* padding,
                                      size_t axes, const std::vector<ErrorInput>& more) {
  const auto wrong = [&](const char* name, Shape values) {
    if (values.size() > 1 && axes == 3) values.push_back(1);
    std::string text;
    for (const int64_t value : values) text += (text.empty() ? "[" : ", ") + std::to_string(value);
    return wrong_values(name, "= " + text + "]", values, text + "]");
  };
  return std::vector{wrong(kernel, {0}),     wrong(kernel, Shape(axes, 1) + Shape{1}),
                     wrong(kernel, {9, 3}),  wrong(stride, {0, 1}),
                     wrong(padding, {2, 0}), wrong(padding, {-1})} +
         more;
}

}  // namespace aclgrad::contract
