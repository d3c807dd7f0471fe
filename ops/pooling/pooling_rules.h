// SPDX-License-Identifier: Apache-2.0
// What the pooling operators share: their arrays, and the windows that follow from them.
#pragma once

#include <optional>
#include <vector>

#include "ops/convolution/window_rules.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/pooling/pooling_kernel.h"

namespace aclgrad::ops {

// Numbers of the parameters: the tensor that windows slide over, arrays of one value for all axes
// or one for each. An empty stride is the kernel.
struct PoolParameters {
  size_t image, kernel, stride, padding;
  std::optional<size_t> dilation;
  size_t ceil_mode;
  size_t axes = 2;                  // or 3: require_pool_axes()
  bool dilates_everywhere = false;  // else on Ascend950 alone
  // Padding may be as large as the kernel, and have a second value for each axis: of its end.
  bool is_onnx = false;
};

// Of places of maxima.
inline constexpr DtypeSet kPlaceDtypes{{ACL_INT32, ACL_INT64}};

// The format of a tensor with its channels last, which MaxPool2d knows.
bool has_channels_last(const Arguments& arguments, size_t tensor);
// Those of the last axes of the shape, or of the ones before the channels.
std::vector<int64_t> image_sizes(const Arguments& arguments, size_t tensor, size_t axes = 2);

// Rank 3 or 4.
Rule image_rank(size_t tensor);
// No size but the batch's is 0.
Rule image_not_empty(size_t tensor);
// Formats that are equal and not private.
Rule one_format(std::initializer_list<size_t> tensors);

// Sizes and values of the arrays.
Rule pool_arrays(const PoolParameters& p);
// Every window has room.
Rule pool_window_fits(const PoolParameters& p);
// A tensor has an element for each window.
Rule pool_result_shape(size_t tensor, const PoolParameters& p);

// An array of that tensor's spatial sizes, which are above 0.
Rule sizes_are_outs(size_t array, size_t tensor, size_t axes = 2);
// Equal batch and channels; `is_spatial` says the same of each of them, and more.
Rule same_planes(size_t tensor, size_t reference, size_t axes = 2);

// The windows that the arrays describe, each of which counts for its elements, or for those in the
// padding too.
PoolWindows pool_windows(const Arguments& arguments, const PoolParameters& p,
                         bool counts_padding = false);
// What sums of windows are divided by instead of their numbers of elements; 0 stands for nothing.
std::optional<int64_t> divisor_of(const Arguments& arguments, size_t divisor_override);
// Windows between the sizes of two tensors: number i along an axis covers [floor(i in / out),
// ceil((i + 1) in / out)). Those that are alike may be said to slide.
PoolWindows adaptive_windows(const Planes& in, const Planes& out, bool may_slide = false);

}  // namespace aclgrad::ops
