// SPDX-License-Identifier: Apache-2.0
// aclnnReflectionPad1d to 3d, aclnnReplicationPad1d to 3d, their gradients.
#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_reflection_pad1d.h"
#include "aclnnop/aclnn_reflection_pad1d_backward.h"
#include "aclnnop/aclnn_reflection_pad2d.h"
#include "aclnnop/aclnn_reflection_pad2d_backward.h"
#include "aclnnop/aclnn_reflection_pad3d.h"
#include "aclnnop/aclnn_reflection_pad3d_backward.h"
#include "aclnnop/aclnn_replication_pad1d.h"
#include "aclnnop/aclnn_replication_pad1d_backward.h"
#include "aclnnop/aclnn_replication_pad2d.h"
#include "aclnnop/aclnn_replication_pad2d_backward.h"
#include "aclnnop/aclnn_replication_pad3d.h"
#include "aclnnop/aclnn_replication_pad3d_backward.h"
#include "ops/resampling/axis_map_kernel.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::pad {
namespace {

struct Padding {
  size_t axes;
  bool reflects;  // or replicates
};

// Numbers of the parameters of both directions: the padded tensor, the one it pads, the array.
struct Pads {
  size_t padded, self, padding;
};
constexpr Pads kForward{2, 0, 1}, kBackward{0, 1, 2};
constexpr size_t kGradInput = 3;

struct Ends {
  int64_t begin, end;
};

// Of a spatial axis, the first of which the last two numbers are for.
Ends ends_of(const Arguments& arguments, const Pads& p, const Padding& padding, size_t axis) {
  const std::vector<int64_t>& numbers = arguments.int_array(p.padding);
  const size_t first = 2 * (padding.axes - 1 - axis);
  return {numbers[first], numbers[first + 1]};
}

Rule pads_fit(const Pads& p, const Padding& padding) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t> sizes = spatial_sizes(arguments, p.self, padding.axes);
    for (size_t axis = 0; axis < padding.axes; ++axis) {
      const Ends ends = ends_of(arguments, p, padding, axis);
      const int64_t size = sizes[axis];
      const std::string text = to_string(arguments.int_array(p.padding));
      if (padding.reflects && std::max(ends.begin, ends.end) >= size) {
        return fmt::format("{} {} must be less than the size that it reflects, of {} {}.",
                           arguments.name(p.padding), text, arguments.name(p.self),
                           to_string(arguments.shape(p.self)));
      }
      if (saturating_sum(saturating_sum(size, ends.begin), ends.end) < 1) {
        return fmt::format("{} {} must leave elements of {} {} along every axis.",
                           arguments.name(p.padding), text, arguments.name(p.self),
                           to_string(arguments.shape(p.self)));
      }
    }
    return std::nullopt;
  });
}

Rule has_padded_shape(const Pads& p, const Padding& padding) {
  const auto padded = [=](const Arguments& arguments) {
    std::vector<int64_t> sizes = spatial_sizes(arguments, p.self, padding.axes);
    for (size_t axis = 0; axis < padding.axes; ++axis) {
      const Ends ends = ends_of(arguments, p, padding, axis);
      sizes[axis] = saturating_sum(saturating_sum(sizes[axis], ends.begin), ends.end);
    }
    return with_spatial(arguments.shape(p.self), sizes);
  };
  return has_shape_of(p.padded, padded, given({p.padding}));
}

OperatorSpec forward_spec(const char* name, Padding padding) {
  return {name,
          {input("self"), attribute("padding"), output("out")},
          {not_null({0, 1, 2}), dtype_in(kForward.self, kNumbersAndBool),
           same_dtype(kForward.padded, kForward.self), is_spatial(kForward.self, padding.axes),
           has_numbers(kForward.padding, 2 * padding.axes), pads_fit(kForward, padding),
           is_spatial(kForward.padded, padding.axes), has_padded_shape(kForward, padding)}};
}

OperatorSpec backward_spec(const char* name, Padding padding) {
  return {name,
          {input("gradOutput"), input("self"), attribute("padding"), output("gradInput")},
          {not_null({0, 1, 2, kGradInput}), dtype_in(kBackward.padded, kRealFloats),
           same_dtype(kBackward.self, kBackward.padded), same_dtype(kGradInput, kBackward.padded),
           is_spatial(kBackward.self, padding.axes),
           has_numbers(kBackward.padding, 2 * padding.axes), pads_fit(kBackward, padding),
           is_spatial(kBackward.padded, padding.axes), has_padded_shape(kBackward, padding),
           is_spatial(kGradInput, padding.axes), same_shape(kGradInput, kBackward.self)}};
}

// From self's elements to the padded ones.
std::vector<AxisMap> maps_of(const Arguments& arguments, const Pads& p, const Padding& padding) {
  const std::vector<int64_t> sizes = spatial_sizes(arguments, p.self, padding.axes);
  std::vector<AxisMap> maps;
  for (size_t axis = 0; axis < padding.axes; ++axis) {
    const int64_t last = sizes[axis] - 1;
    const Ends ends = ends_of(arguments, p, padding, axis);
    AxisMap& map = maps.emplace_back(sizes[axis]);
    for (int64_t i = -ends.begin; i <= last + ends.end; ++i) {
      const int64_t reflected = i > last ? 2 * last - i : std::abs(i);
      map.add(padding.reflects ? reflected : std::clamp<int64_t>(i, 0, last));
      map.end_element();
    }
  }
  return maps;
}

// The boxes in which elements lie at one distance along every axis, which is negative where they
// are reflected and 0 where they are replicated.
void cut(const std::vector<AxisMap>& maps, size_t axis, const ViewCopy& box,
         std::vector<ViewCopy>& copies) {
  if (axis == maps.size()) return copies.push_back(box);
  const std::vector<int64_t>& places = maps[axis].places;
  const size_t dim = box.shape.size() - maps.size() + axis;
  for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    const int64_t step = begin + 1 < places.size() ? places[begin + 1] - places[begin] : 0;
    for (end = begin + 1; end < places.size() && places[end] - places[end - 1] == step;) ++end;
    ViewCopy part = box;
    part.shape[dim] = static_cast<int64_t>(end - begin);
    part.from.offset += places[begin] * box.from.strides[dim];
    part.from.strides[dim] *= step;
    part.to.offset += static_cast<int64_t>(begin) * box.to.strides[dim];
    cut(maps, axis + 1, part, copies);
  }
}

Plan plan_pad(const Arguments& arguments, Padding padding) {
  if (arguments.empty(kForward.padded)) return {};
  const ViewCopy all{arguments.shape(kForward.padded), whole(arguments, kForward.padded),
                     whole(arguments, kForward.self)};
  std::vector<ViewCopy> copies;
  cut(maps_of(arguments, kForward, padding), 0, all, copies);
  return plan_copies(copies);
}

Plan plan_pad_backward(const Arguments& arguments, Padding padding) {
  if (arguments.empty(kGradInput)) return {};
  return plan_axis_maps_backward(arguments, kBackward.padded, kGradInput,
                                 maps_of(arguments, kBackward, padding));
}

}  // namespace

// A padding and its gradient.
#define ACLGRAD_PAD(name, ...)                                                                    \
  static const OperatorSpec name##Spec = forward_spec(#name, {__VA_ARGS__});                      \
  static const OperatorSpec name##BackwardSpec = backward_spec(#name "Backward", {__VA_ARGS__});  \
  ACLGRAD_OPERATOR(name, name##Spec,                                                              \
                   [](const Arguments& arguments) { return plan_pad(arguments, {__VA_ARGS__}); }) \
  ACLGRAD_OPERATOR(name##Backward, name##BackwardSpec, [](const Arguments& arguments) {           \
    return plan_pad_backward(arguments, {__VA_ARGS__});                                           \
  })

ACLGRAD_PAD(aclnnReflectionPad1d, 1, true)
ACLGRAD_PAD(aclnnReflectionPad2d, 2, true)
ACLGRAD_PAD(aclnnReflectionPad3d, 3, true)
ACLGRAD_PAD(aclnnReplicationPad1d, 1, false)
ACLGRAD_PAD(aclnnReplicationPad2d, 2, false)
ACLGRAD_PAD(aclnnReplicationPad3d, 3, false)

}  // namespace aclgrad::ops::pad
