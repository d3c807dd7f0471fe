// SPDX-License-Identifier: Apache-2.0
// What the pooling operators share: their arrays, and the windows that follow from them.
#ifndef ACLGRAD_OPS_POOLING_POOLING_RULES_H_
#define ACLGRAD_OPS_POOLING_POOLING_RULES_H_

#include <array>
#include <optional>

#include "ops/convolution/window_rules.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/pooling/pooling_kernel.h"

namespace aclgrad::ops {

// Numbers of the parameters: the tensor that windows slide over, arrays of one value for both axes
// or one for each. An empty stride is the kernel.
struct PoolParameters {
  size_t image, kernel, stride, padding;
  std::optional<size_t> dilation;
  size_t ceil_mode;
};

// The format of a tensor with its channels last, which MaxPool2d knows.
bool has_channels_last(const Arguments& arguments, size_t tensor);
// Height and width.
std::array<int64_t, 2> image_sizes(const Arguments& arguments, size_t tensor);

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

WindowAxis pool_axis(const Arguments& arguments, const PoolParameters& p, size_t axis);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_POOLING_POOLING_RULES_H_
