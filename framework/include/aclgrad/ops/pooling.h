// SPDX-License-Identifier: Apache-2.0
// Averages and maxima of windows of images [C, H, W] or [N, C, H, W], and of volumes [C, D, H, W]
// or [N, C, D, H, W].
#ifndef ACLGRAD_OPS_POOLING_H_
#define ACLGRAD_OPS_POOLING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/per_axis.h"

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
  std::int64_t cube_math_type = 0;
  auto arguments() const {
    return named({"kernel", "stride", "padding", "ceil_mode", "count_include_pad",
                  "divisor_override", "cube_math_type"},
                 kernel, stride, padding, ceil_mode, count_include_pad, divisor_override,
                 cube_math_type);
  }
  std::string text() const;
};

/// The gradients with respect to x, from the forward's attributes; x gives its shape.
Value max_pool2d_backward(Operand grad, const Value& x, const Value& indices,
                          const MaxPoolAttributes& attributes);
Value max_pool3d_backward(Operand grad, const Value& x, const Value& indices,
                          const MaxPoolAttributes& attributes);
Value avg_pool2d_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes);
Value avg_pool3d_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes);
Value adaptive_avg_pool2d_backward(Operand grad, const Value& x);
Value adaptive_avg_pool3d_backward(Operand grad, const Value& x);
Value adaptive_max_pool2d_backward(Operand grad, const Value& x, const Value& indices);
Value adaptive_max_pool3d_backward(Operand grad, const Value& x, const Value& indices);

/// avg_pool2d and 3d with the attributes as the operator takes them.
Value avg_pool2d(Operand x, const AvgPoolAttributes& attributes);
Value avg_pool3d(Operand x, const AvgPoolAttributes& attributes);

namespace calls {
// Input x; outputs the result and, of maxima, indices.
extern const Declaration<MaxPoolAttributes> max_pool2d, max_pool3d;
extern const Declaration<AvgPoolAttributes> avg_pool2d, avg_pool3d;
extern const Declaration<> adaptive_avg_pool2d, adaptive_avg_pool3d;
extern const Declaration<> adaptive_max_pool2d, adaptive_max_pool3d;
// Inputs x and indices.
extern const Declaration<> max_unpool2d;
// Inputs grad, x and, of maxima, indices.
extern const Declaration<MaxPoolAttributes> max_pool2d_backward, max_pool3d_backward;
extern const Declaration<AvgPoolAttributes> avg_pool2d_backward, avg_pool3d_backward;
extern const Declaration<> adaptive_avg_pool2d_backward, adaptive_avg_pool3d_backward;
extern const Declaration<> adaptive_max_pool2d_backward, adaptive_max_pool3d_backward;
}  // namespace calls

using MaxPool2dOp = DeclaredOp<calls::max_pool2d>;
using MaxPool2dBackwardOp = DeclaredOp<calls::max_pool2d_backward>;
using MaxPool3dOp = DeclaredOp<calls::max_pool3d>;
using MaxPool3dBackwardOp = DeclaredOp<calls::max_pool3d_backward>;
using AvgPool2dOp = DeclaredOp<calls::avg_pool2d>;
using AvgPool2dBackwardOp = DeclaredOp<calls::avg_pool2d_backward>;
using AvgPool3dOp = DeclaredOp<calls::avg_pool3d>;
using AvgPool3dBackwardOp = DeclaredOp<calls::avg_pool3d_backward>;
using AdaptiveAvgPool2dOp = DeclaredOp<calls::adaptive_avg_pool2d>;
using AdaptiveAvgPool2dBackwardOp = DeclaredOp<calls::adaptive_avg_pool2d_backward>;
using AdaptiveAvgPool3dOp = DeclaredOp<calls::adaptive_avg_pool3d>;
using AdaptiveAvgPool3dBackwardOp = DeclaredOp<calls::adaptive_avg_pool3d_backward>;
using AdaptiveMaxPool2dOp = DeclaredOp<calls::adaptive_max_pool2d>;
using AdaptiveMaxPool2dBackwardOp = DeclaredOp<calls::adaptive_max_pool2d_backward>;
using AdaptiveMaxPool3dOp = DeclaredOp<calls::adaptive_max_pool3d>;
using AdaptiveMaxPool3dBackwardOp = DeclaredOp<calls::adaptive_max_pool3d_backward>;
using MaxUnpool2dOp = DeclaredOp<calls::max_unpool2d>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_POOLING_H_
