// SPDX-License-Identifier: Apache-2.0
// The aclnnUpsample functions and their gradients.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_1d.h"
#include "aclnnop/aclnn_upsample_nearest_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_1d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact_3d.h"
#include "aclnnop/aclnn_upsample_nearest_exact_3d_backward.h"
#include "aclnnop/aclnn_upsample_trilinear_3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"
#include "ops/resampling/axis_map_kernel.h"
#include "ops/resampling/keys.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::upsample {
namespace {

enum class Taps { kNearest, kNearestExact, kLinear, kCubic };

// A function. It takes self and outputSize, or gradOutput, outputSize and inputSize, then
// alignCorners where elements are interpolated, the scales, and the result.
struct Resize {
  const char* name;
  size_t axes;
  Taps taps;
  bool is_backward;
  std::vector<const char*> scales;  // one for each axis, or none

  bool has_corners() const { return taps == Taps::kLinear || taps == Taps::kCubic; }
  size_t corners() const { return is_backward ? 3 : 2; }
  size_t first_scale() const { return corners() + (has_corners() ? 1 : 0); }
  size_t result() const { return first_scale() + scales.size(); }
  // The tensor before it is resized, and after.
  size_t original() const { return is_backward ? result() : 0; }
  size_t resized() const { return is_backward ? 0 : result(); }
};

constexpr size_t kOutputSize = 1, kInputSize = 2;

// The array is that many of a tensor's last sizes.
Rule is_sizes_of(size_t array, size_t tensor, size_t count) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& sizes = arguments.int_array(array);
    if (sizes == spatial_sizes(arguments, tensor, count)) return std::nullopt;
    return fmt::format("{} must be the last {} sizes of tensor {} {}, but is {}.",
                       arguments.name(array), count, arguments.name(tensor),
                       to_string(arguments.shape(tensor)), to_string(sizes));
  });
}

// What is asked for is named before the tensor that was made for it.
Rule asks_for_elements(size_t array) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& sizes = arguments.int_array(array);
    if (std::ranges::all_of(sizes, [](int64_t size) { return size > 0; })) return std::nullopt;
    return fmt::format("{} must be sizes above 0, but is {}.", arguments.name(array),
                       to_string(sizes));
  });
}

OperatorSpec spec_of(const Resize& resize) {
  constexpr DtypeSet kRealFloatsAndUint8{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_UINT8},
                                         {ACL_BF16}};
  std::vector<Parameter> parameters = {input(resize.is_backward ? "gradOutput" : "self"),
                                       attribute("outputSize")};
  if (resize.is_backward) parameters.push_back(attribute("inputSize"));
  if (resize.has_corners()) parameters.push_back(attribute("alignCorners"));
  for (const char* scale : resize.scales) parameters.push_back(attribute(scale));
  parameters.push_back(output(resize.is_backward ? "gradInput" : "out"));

  const auto expected = [resize](const Arguments& arguments) {
    return with_spatial(arguments.shape(resize.original()),
                        spatial_sizes(arguments, resize.resized(), resize.axes));
  };
  std::vector<Rule> rules = {
      resize.is_backward ? not_null({0, kOutputSize, kInputSize, resize.result()})
                         : not_null({0, kOutputSize, resize.result()}),
      dtype_in(0, resize.has_corners() || resize.is_backward ? kRealFloats : kRealFloatsAndUint8),
      same_dtype(resize.result(), 0),
      asks_for_elements(kOutputSize),
      is_spatial(0, resize.axes, true),
      is_spatial(resize.result(), resize.axes, true),
      has_shape_of(resize.resized(), expected),
      is_sizes_of(kOutputSize, resize.resized(), resize.axes)};
  if (resize.is_backward)
    rules.push_back(is_sizes_of(kInputSize, resize.original(), resize.axes + 2));
  return {resize.name, std::move(parameters), std::move(rules)};
}

// ---- Where the elements of an axis come from ----------------------------------------------------

struct AxisSizes {
  int64_t in, out;
  bool corners;
  double scale;  // 0: the sizes' ratio
};

// Elements of self for one of the result, computed in T.
template <class T>
T ratio_of(const AxisSizes& axis) {
  if (axis.corners) {
    return axis.out > 1 ? static_cast<T>(axis.in - 1) / static_cast<T>(axis.out - 1) : T{0};
  }
  return axis.scale > 0 ? static_cast<T>(1 / axis.scale)
                        : static_cast<T>(axis.in) / static_cast<T>(axis.out);
}

int64_t nearest(const AxisSizes& axis, int64_t i, bool is_exact) {
  if (!is_exact && axis.out == axis.in) return i;
  if (!is_exact && axis.out == 2 * axis.in) return i / 2;
  const float at = (static_cast<float>(i) + (is_exact ? 0.5F : 0.0F)) * ratio_of<float>(axis);
  return std::min(static_cast<int64_t>(std::floor(at)), axis.in - 1);
}

// Linear axes that keep their size are copied, whatever their scale is.
void add_copies(const AxisSizes& axis, AxisMap& map) {
  for (int64_t i = 0; i < axis.out; ++i) {
    map.add(i);
    map.end_element();
  }
}

// Places and weights that follow from a coordinate, which T is computed in. A tap of weight 0
// counts as the others: a NaN or an infinity there gives NaN, as in PyTorch.
template <class T>
void add_taps(const AxisSizes& axis, bool is_cubic, AxisMap& map) {
  if (!is_cubic && axis.out == axis.in) return add_copies(axis, map);
  const T ratio = ratio_of<T>(axis);
  for (int64_t i = 0; i < axis.out; ++i) {
    T at = axis.corners ? ratio * static_cast<T>(i) : ratio * (static_cast<T>(i) + T{0.5}) - T{0.5};
    if (!is_cubic) at = std::max(at, T{0});
    const T floor = std::floor(at);
    const double t = at - floor;
    const auto before = static_cast<int64_t>(floor);
    const auto add = [&](int64_t place, double weight) {
      map.add(std::clamp<int64_t>(place, 0, axis.in - 1), weight);
    };
    if (is_cubic) {
      const std::array<double, 4> weights = keys_weights(t);
      for (int64_t k = 0; k < 4; ++k) add(before - 1 + k, weights[static_cast<size_t>(k)]);
    } else {
      add(before, 1 - t);
      add(before + 1, t);
    }
    map.end_element();
  }
}

// The scale, where it leads from the one size to the other: clients also give 0, -1 and 1 for none.
double usable_scale(double scale, int64_t in, int64_t out) {
  const auto leads = [&](double s) {
    return std::floor(static_cast<double>(in) * s) == static_cast<double>(out);
  };
  if (!(scale > 0)) return 0;
  // A float may have been rounded down on its way.
  const auto as_float = static_cast<float>(scale);
  const bool is_float = static_cast<double>(as_float) == scale;
  return leads(scale) || (is_float && leads(std::nextafter(as_float, HUGE_VALF))) ? scale : 0;
}

std::vector<AxisMap> maps_of(const Arguments& arguments, const Resize& resize) {
  const std::vector<int64_t> in = spatial_sizes(arguments, resize.original(), resize.axes);
  const std::vector<int64_t> out = spatial_sizes(arguments, resize.resized(), resize.axes);
  std::vector<AxisMap> maps;
  for (size_t i = 0; i < resize.axes; ++i) {
    AxisSizes axis{in[i], out[i], resize.has_corners() && arguments.flag(resize.corners()), 0};
    // The gradient of the nearest element in one dimension is given a scale that its forward has
    // not.
    if (!resize.scales.empty() && !(resize.axes == 1 && resize.taps == Taps::kNearest)) {
      axis.scale = usable_scale(arguments.real(resize.first_scale() + i), in[i], out[i]);
    }
    AxisMap& map = maps.emplace_back(in[i]);
    if (!resize.has_corners()) {
      for (int64_t k = 0; k < out[i]; ++k) {
        map.add(nearest(axis, k, resize.taps == Taps::kNearestExact));
        map.end_element();
      }
    } else if (arguments.dtype(0) == ACL_DOUBLE) {
      add_taps<double>(axis, resize.taps == Taps::kCubic, map);
    } else {
      add_taps<float>(axis, resize.taps == Taps::kCubic, map);
    }
  }
  return maps;
}

// Where every element stands a whole number of times side by side: one copy, for which the result
// has two dimensions for each axis.
std::optional<Plan> repeated(const Arguments& arguments, const Resize& resize,
                             const std::vector<AxisMap>& maps) {
  ViewCopy copy{arguments.shape(resize.resized()), whole(arguments, resize.resized()),
                whole(arguments, resize.original())};
  for (size_t k = maps.size(); k-- > 0;) {
    const AxisMap& map = maps[k];
    const int64_t times = map.out() / map.in;
    if (map.out() != times * map.in) return std::nullopt;
    for (int64_t i = 0; i < map.out(); ++i) {
      if (map.places[static_cast<size_t>(i)] != i / times) return std::nullopt;
    }
    const auto split = [axis = k + 2](Dims& dims, int64_t first, int64_t second) {
      std::vector<int64_t> all(dims.begin(), dims.end());
      all[axis] = first;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(axis) + 1, second);
      dims = Dims(all.data(), all.size());
    };
    const int64_t step = copy.to.strides[k + 2];
    split(copy.shape, map.in, times);
    split(copy.to.strides, step * times, step);
    split(copy.from.strides, copy.from.strides[k + 2], 0);
  }
  return plan_copies({copy});
}

Plan plan_resize(const Arguments& arguments, const Resize& resize) {
  if (arguments.empty(resize.result())) return {};
  const std::vector<AxisMap> maps = maps_of(arguments, resize);
  if (!resize.is_backward && !resize.has_corners()) {
    if (std::optional<Plan> copy = repeated(arguments, resize, maps)) return *std::move(copy);
  }
  return resize.is_backward ? plan_axis_maps_backward(arguments, 0, resize.result(), maps)
                            : plan_axis_maps(arguments, 0, resize.result(), maps);
}

}  // namespace

// A function: its axes, its taps, whether it is a gradient, its scales.
#define ACLGRAD_RESIZE(name, axes, taps, is_backward, ...)                           \
  static const Resize name##Of{#name, axes, Taps::taps, is_backward, {__VA_ARGS__}}; \
  static const OperatorSpec name##Spec = spec_of(name##Of);                          \
  ACLGRAD_OPERATOR(name, name##Spec,                                                 \
                   [](const Arguments& arguments) { return plan_resize(arguments, name##Of); })
#define ACLGRAD_RESIZE_BOTH(name, axes, taps, ...)     \
  ACLGRAD_RESIZE(name, axes, taps, false, __VA_ARGS__) \
  ACLGRAD_RESIZE(name##Backward, axes, taps, true, __VA_ARGS__)

ACLGRAD_RESIZE(aclnnUpsampleNearest1d, 1, kNearest, false)
ACLGRAD_RESIZE(aclnnUpsampleNearest1dBackward, 1, kNearest, true, "scales")
ACLGRAD_RESIZE(aclnnUpsampleNearest2d, 2, kNearest, false)
ACLGRAD_RESIZE(aclnnUpsampleNearest2dV2, 2, kNearest, false, "scaleH", "scaleW")
ACLGRAD_RESIZE(aclnnUpsampleNearest2dBackward, 2, kNearest, true, "scalesH", "scalesW")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleNearest3d, 3, kNearest, "scalesD", "scalesH", "scalesW")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleNearestExact1d, 1, kNearestExact, "scales")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleNearestExact2d, 2, kNearestExact, "scalesH", "scalesW")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleNearestExact3d, 3, kNearestExact, "scalesD", "scalesH", "scalesW")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleLinear1d, 1, kLinear, "scales")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleBilinear2d, 2, kLinear, "scalesH", "scalesW")
ACLGRAD_RESIZE(aclnnUpsampleBilinear2dBackwardV2, 2, kLinear, true, "scalesH", "scalesW")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleBicubic2d, 2, kCubic, "scalesH", "scalesW")
ACLGRAD_RESIZE_BOTH(aclnnUpsampleTrilinear3d, 3, kLinear, "scalesD", "scalesH", "scalesW")

}  // namespace aclgrad::ops::upsample
