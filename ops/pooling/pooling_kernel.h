// SPDX-License-Identifier: Apache-2.0
// Pooling over the planes of images and over volumes: averages, with sums in double, and maxima;
// each result is rounded once. Bits do not depend on the number of threads.
#pragma once

#include <optional>

#include "ops/engine/elementwise.h"
#include "ops/pooling/pooling_kernel_plane.h"

namespace aclgrad::ops {

// Throws for axes that nothing here walks over: a line would be read as rows of its channels.
void require_pool_axes(size_t axes);

// A tensor [C, H, W] or [N, C, H, W], or with the channels last, as planes of H x W; or, with three
// axes, [C, D, H, W] or [N, C, D, H, W] as planes of D slices, one behind the other.
struct Planes {
  size_t parameter;
  aclDataType dtype;
  int64_t images, channels, depth, height, width;
  int64_t image_stride, channel_stride, slice_stride, row_stride, column_stride;

  Planes(const Arguments& arguments, size_t tensor, size_t axes = 2, bool channels_last = false);

  int64_t count() const { return images * channels; }
  int64_t size() const { return depth * height * width; }
  VolumeSize volume() const { return {depth, height, width}; }
  int64_t offset(int64_t plane) const {
    return plane / channels * image_stride + plane % channels * channel_stride;
  }
  // Whether all rows of a plane are `row_stride` apart.
  bool has_even_rows() const { return depth == 1 || slice_stride == height * row_stride; }
};

// out = the sum under each window, divided by `divisor` or by what it counts for.
Plan plan_average_pool(const Planes& self, const Planes& out, PoolWindows windows,
                       std::optional<int64_t> divisor = std::nullopt);
// The adjoint.
Plan plan_average_pool_backward(const Planes& grad_output, const Planes& grad_input,
                                PoolWindows windows, std::optional<int64_t> divisor = std::nullopt);

// Where the places of maxima go: their numbers in the plane, or bits of a mask, or nowhere. Row
// `k` of a mask's plane is for element `k` of a window, bit e % 8 of its byte e / 8 for window e.
struct MaxPlaces {
  std::optional<Planes> indices = std::nullopt, mask = std::nullopt;
};
// out = the first largest element under each window, row by row, or the first NaN; minus infinity
// for windows without elements, whose places are kNoPlace and whose bits are missing.
Plan plan_max_pool(const Planes& self, const Planes& out, const MaxPlaces& places,
                   const PoolWindows& windows);
// Adds gradients up at the places that indices give; those of kNoPlace go nowhere. A run fails
// where another is outside the plane.
Plan plan_max_pool_backward(const Planes& grad_output, const Planes& indices,
                            const Planes& grad_input);
// The same for the mask of windows that slide over planes of one slice, whose bits say where.
Plan plan_max_pool_mask_backward(const Planes& grad_output, const Planes& mask,
                                 const Planes& grad_input, const PoolWindows& windows);
// out = 0, and self at the places that indices give, the last where they are equal. A run fails
// where one is outside the plane.
Plan plan_max_unpool(const Planes& self, const Planes& indices, const Planes& out);

}  // namespace aclgrad::ops
