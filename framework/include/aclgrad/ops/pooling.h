// SPDX-License-Identifier: Apache-2.0
// Averages and maxima of windows of images [C, H, W] or [N, C, H, W], and of volumes [C, D, H, W]
// or [N, C, D, H, W].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/graph/per_axis.h"
#include "aclgrad/ops/reduction.h"

namespace aclgrad {

struct MaxPoolOptions {
  PerAxis stride = std::vector<std::int64_t>{};  ///< The kernel, where none is given.
  PerAxis padding = 0;                           ///< At both ends, at most half of the kernel.
  bool ceil_mode = false;
  PerAxis dilation = 1;  ///< From element to element of a window; of max_pool2d only 1.
};

struct AvgPoolOptions {
  PerAxis stride = std::vector<std::int64_t>{};  ///< The kernel, where none is given.
  PerAxis padding = 0;                           ///< At both ends, at most half of the kernel.
  bool ceil_mode = false;
  bool count_include_pad = true;      ///< Padding counts in the divisor.
  std::int64_t divisor_override = 0;  ///< Divides, where it is not 0.
};

/// The largest element under each window, with (in + 2 padding - kernel) / stride + 1 windows along
/// an axis, rounded down, or with ceil_mode up, without a last one that would begin in the padding
/// behind the axis. So with ceil_mode a kernel may be larger than the padded axis, by less than the
/// stride. NaN is the largest. The node's second output is the place of each in its plane, int32.
/// Throws ShapeError where there is no window, DTypeError, and ValueError for kernel and stride
/// below 1, padding below 0 and any of them above 2^31 - 1, as the others do.
Value max_pool2d(Operand x, const PerAxis& kernel, const MaxPoolOptions& options = {});

/// The same of volumes, also with dilation: then a window reaches over dilation (kernel - 1) + 1
/// elements. One that steps over all there are is minus infinity, its place -1, and it has no
/// gradient.
Value max_pool3d(Operand x, const PerAxis& kernel, const MaxPoolOptions& options = {});

/// The average of the elements under each such window.
Value avg_pool2d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options = {});
Value avg_pool3d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options = {});

/// Averages to a height and width of `size`: element i of an axis is that of the elements
/// floor(i in / out) to ceil((i + 1) in / out) - 1. Of volumes to a depth, height and width.
Value adaptive_avg_pool2d(Operand x, const PerAxis& size);
Value adaptive_avg_pool3d(Operand x, const PerAxis& size);

/// The largest of the same elements; the node's second output is the place of each, int32.
Value adaptive_max_pool2d(Operand x, const PerAxis& size);
Value adaptive_max_pool3d(Operand x, const PerAxis& size);

/// Maxima with their places, as max_unpool2d() takes them; those of volumes are (d H + h) W + w.
ValuesAndIndices max_pool2d_with_indices(Operand x, const PerAxis& kernel,
                                         const MaxPoolOptions& options = {});
ValuesAndIndices max_pool3d_with_indices(Operand x, const PerAxis& kernel,
                                         const MaxPoolOptions& options = {});
ValuesAndIndices adaptive_max_pool2d_with_indices(Operand x, const PerAxis& size);
ValuesAndIndices adaptive_max_pool3d_with_indices(Operand x, const PerAxis& size);

/// Planes of a height and width of `size`, with the elements of x at the places that indices give,
/// int32 or int64 of x's shape, and 0 elsewhere. Where two elements have one place, the last is
/// there, and each gets the gradient. A run fails at an index outside the plane. There is no
/// default for size: PyTorch's is (in - 1) stride - 2 padding + kernel.
Value max_unpool2d(Operand x, const Value& indices, const PerAxis& size);

struct MaxPoolAttributes {
  std::vector<std::int64_t> kernel, stride, padding, dilation;
  bool ceil_mode;
  std::size_t which() const { return kernel.size() == 3 ? 1 : 0; }
  auto arguments() const {
    return named({"kernel", "stride", "padding", "dilation", "ceil_mode"}, kernel, stride, padding,
                 dilation, ceil_mode);
  }
  std::string text() const;
};
struct AvgPoolAttributes {
  std::vector<std::int64_t> kernel, stride, padding;
  bool ceil_mode, count_include_pad;
  std::int64_t divisor_override;
  std::size_t which() const { return kernel.size() == 3 ? 1 : 0; }
  auto arguments() const {
    return named({"kernel", "stride", "padding", "ceil_mode", "count_include_pad",
                  "divisor_override", "cube_math_type"},
                 kernel, stride, padding, ceil_mode, count_include_pad, divisor_override,
                 std::int64_t{0});
  }
  std::string text() const;
};
struct AdaptivePoolAttributes {
  std::vector<std::int64_t> sizes;
  std::size_t which() const { return sizes.size() == 3 ? 1 : 0; }
  auto arguments() const { return named({""}, sizes); }
};
struct AdaptivePoolBackwardAttributes : AdaptivePoolAttributes {
  auto arguments() const { return named(); }
};

/// The gradients with respect to x, from the forward's attributes; x gives its shape.
Value max_pool_backward(Operand grad, const Value& x, const Value& indices,
                        const MaxPoolAttributes& attributes);
Value avg_pool_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes);
Value adaptive_max_pool_backward(Operand grad, const Value& x, const Value& indices,
                                 const AdaptivePoolAttributes& attributes);
Value adaptive_avg_pool_backward(Operand grad, const Value& x,
                                 const AdaptivePoolAttributes& attributes);

/// avg_pool2d and 3d with the attributes as the operators take them.
Value avg_pool(Operand x, const AvgPoolAttributes& attributes);

namespace calls {
// Of images and of volumes. Input x; outputs the result and, of maxima, indices.
extern const Declaration<MaxPoolAttributes> max_pool[2];
extern const Declaration<AvgPoolAttributes> avg_pool[2];
extern const Declaration<AdaptivePoolAttributes> adaptive_max_pool[2], adaptive_avg_pool[2];
// Inputs grad, x and, of maxima, indices.
extern const Declaration<MaxPoolAttributes> max_pool_backward[2];
extern const Declaration<AvgPoolAttributes> avg_pool_backward[2];
extern const Declaration<AdaptivePoolBackwardAttributes> adaptive_max_pool_backward[2],
    adaptive_avg_pool_backward[2];
// Inputs x and indices.
extern const Declaration<AdaptivePoolAttributes> max_unpool2d;
}  // namespace calls

using MaxPoolOp = SelectedOp<calls::max_pool>;
using MaxPoolBackwardOp = SelectedOp<calls::max_pool_backward>;
using AvgPoolOp = SelectedOp<calls::avg_pool>;
using AvgPoolBackwardOp = SelectedOp<calls::avg_pool_backward>;
using AdaptiveMaxPoolOp = SelectedOp<calls::adaptive_max_pool>;
using AdaptiveMaxPoolBackwardOp = SelectedOp<calls::adaptive_max_pool_backward>;
using AdaptiveAvgPoolOp = SelectedOp<calls::adaptive_avg_pool>;
using AdaptiveAvgPoolBackwardOp = SelectedOp<calls::adaptive_avg_pool_backward>;
using MaxUnpool2dOp = DeclaredOp<calls::max_unpool2d>;

}  // namespace aclgrad
