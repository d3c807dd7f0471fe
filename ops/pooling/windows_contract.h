// SPDX-License-Identifier: Apache-2.0
// Windows of the contracts of pooling, as axes whose results are made of the elements under each.
#pragma once

#include "ops/resampling/axes_contract.h"

namespace aclgrad::contract {

// Of the last `axes` sizes of an image; throws where there is none.
struct PoolAxis {
  int64_t in, kernel, stride, dilation, begin, end;  // the last two are the padding

  int64_t start(int64_t window) const { return window * stride - begin; }
};
std::vector<PoolAxis> pool_axes(const Arguments& a, const Shape& image, size_t axes);

// Every element under a window, with weight 1, or as an average takes it.
Axes windows_of(const Arguments& a, const Shape& image, size_t axes);
Axes averages_of(const Arguments& a, const Shape& image, size_t axes);
// As many windows as wanted of an axis.
Axes adaptive_axes(const Shape& image, const Shape& sizes, bool averages);

// The last `axes` sizes; throws where the image has none or no elements.
Shape require_image(const Shape& image, size_t axes);

// The numbers of a call: one of the names that operators have for each.
struct Pool {
  Shape kernel, stride, padding;
  bool ceil_mode = false;
  Shape self = {};
  Shape dilation = {1};
};
Sample sample_of(const Pool& pool);

// Results have a place for each window, gradients of the image its shape.
Domain of_windows(std::vector<Sample> samples, size_t axes = 2, const DTypes& dtypes = kFloats);
Domain of_adaptive(std::vector<Sample> samples, size_t axes, const DTypes& dtypes);
Sample adaptive_sample(Shape size, Shape self, Shape gradient);

// For two axes or three; a pool of one would need numbers of its own here. Images of the right
// calls, and their results with kernels [2, 3] or [2, 2, 3], strides [2, 1] or [1, 2, 1] and
// paddings [1, 0] or [1, 1, 0].
const Shape& right_image(size_t axes);
const Shape& right_result(size_t axes);
Shape right_base(size_t axes);
inline Shape right_kernel(size_t axes) { return axes == 2 ? Shape{2, 3} : Shape{2, 2, 3}; }
inline Shape right_stride(size_t axes) { return axes == 2 ? Shape{2, 1} : Shape{1, 2, 1}; }
inline Shape right_padding(size_t axes) { return axes == 2 ? Shape{1, 0} : Shape{1, 1, 0}; }

// Wrong values of the arrays, by their names, and more.
std::vector<ErrorInput> wrong_windows(const char* kernel, const char* stride, const char* padding,
                                      size_t axes, const std::vector<ErrorInput>& more = {});

inline constexpr Bound kSumBound{.of_float = 0.51, .of_16_bits = 0.5001, .of_double = 8};

void add_max_pools(std::vector<Operator>& all);

}  // namespace aclgrad::contract
