// SPDX-License-Identifier: Apache-2.0
// Sizes of what slides over an axis, and the formats of the tensors that it slides over.
#pragma once

#include <optional>

#include "ops/meta/rules.h"

namespace aclgrad::ops {

// Strides, dilations and paddings are at most this: indices made of them fit 64 bits.
inline constexpr int64_t kMaxWindow = (int64_t{1} << 31) - 1;

struct WindowAxis {
  int64_t in;
  int64_t kernel;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t begin = 0;  // padding
  int64_t end = 0;
};

// Whether at least one window lies in the padded axis.
bool fits_padded(const WindowAxis& axis);

// How many windows there are: (in + begin + end - dilation (kernel - 1) - 1) / stride + 1, rounded
// down, or up as long as the last one begins before the padding behind the axis: up, a window that
// is larger than the padded axis by less than the stride is one. Nothing where 64 bits cannot hold
// it.
std::optional<int64_t> window_count(const WindowAxis& axis, bool ceil_mode = false);

// The size of what a transposed convolution writes.
std::optional<int64_t> transposed_size(const WindowAxis& axis, int64_t output_padding);

// A tensor of rank 3, 4 or 5 has the format NCL, NCHW or NCDHW; of rank 3 also ND, if that is
// allowed. Other ranks pass.
Rule has_image_format(size_t tensor, bool allows_nd = false);

}  // namespace aclgrad::ops
