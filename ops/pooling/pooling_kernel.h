// SPDX-License-Identifier: Apache-2.0
// Pooling over the planes of images: averages, with sums in double, and maxima; each result is
// rounded once. Bits do not depend on the number of threads.
#ifndef ACLGRAD_OPS_POOLING_POOLING_KERNEL_H_
#define ACLGRAD_OPS_POOLING_POOLING_KERNEL_H_

#include <optional>

#include "ops/engine/elementwise.h"
#include "ops/pooling/pooling_kernel_plane.h"

namespace aclgrad::ops {

// A tensor [C, H, W] or [N, C, H, W], or with the channels last, as planes of H x W.
struct Planes {
  size_t parameter;
  aclDataType dtype;
  int64_t images, channels, height, width;
  int64_t image_stride, channel_stride, row_stride, column_stride;

  Planes(const Arguments& arguments, size_t tensor, bool channels_last = false);

  int64_t count() const { return images * channels; }
  int64_t size() const { return height * width; }
  int64_t offset(int64_t plane) const {
    return plane / channels * image_stride + plane % channels * channel_stride;
  }
};

// out = the sum under each window, divided by `divisor` or by what it counts for.
Plan plan_average_pool(const Planes& self, const Planes& out, AxisWindows rows, AxisWindows columns,
                       std::optional<int64_t> divisor);
// The adjoint.
Plan plan_average_pool_backward(const Planes& grad_output, const Planes& grad_input,
                                AxisWindows rows, AxisWindows columns,
                                std::optional<int64_t> divisor);

// out = the first largest element under each window, row by row, or the first NaN; indices = its
// place in the plane.
Plan plan_max_pool(const Planes& self, const Planes& out, const Planes& indices,
                   const SlidingWindows& rows, const SlidingWindows& columns);
// Adds gradients up at the places that indices give. A run fails where one is outside the plane.
Plan plan_max_pool_backward(const Planes& grad_output, const Planes& indices,
                            const Planes& grad_input);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_POOLING_POOLING_KERNEL_H_
