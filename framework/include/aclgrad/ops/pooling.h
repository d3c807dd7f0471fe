// SPDX-License-Identifier: Apache-2.0
// Averages and maxima of windows of images [C, H, W] or [N, C, H, W].
#ifndef ACLGRAD_OPS_POOLING_H_
#define ACLGRAD_OPS_POOLING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/declaration.h"
#include "aclgrad/graph.h"
#include "aclgrad/per_axis.h"

namespace aclgrad {

struct MaxPoolOptions {
  PerAxis stride = std::vector<std::int64_t>{};  ///< The kernel, where none is given.
  PerAxis padding = 0;                           ///< At both ends, at most half of the kernel.
  bool ceil_mode = false;
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

/// The average of the elements under each such window.
Value avg_pool2d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options = {});

/// Averages to a height and width of `size`: element i of an axis is that of the elements
/// floor(i in / out) to ceil((i + 1) in / out) - 1.
Value adaptive_avg_pool2d(Operand x, const PerAxis& size);

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
Value avg_pool2d_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes);
Value adaptive_avg_pool2d_backward(Operand grad, const Value& x);

/// avg_pool2d with the attributes as the operator takes them.
Value avg_pool2d(Operand x, const AvgPoolAttributes& attributes);

namespace calls {
// Input x; outputs the result and indices.
extern const Declaration<MaxPoolAttributes> max_pool2d;
extern const Declaration<AvgPoolAttributes> avg_pool2d;
extern const Declaration<> adaptive_avg_pool2d;
// Inputs grad, x and, of the maximum, indices.
extern const Declaration<MaxPoolAttributes> max_pool2d_backward;
extern const Declaration<AvgPoolAttributes> avg_pool2d_backward;
extern const Declaration<> adaptive_avg_pool2d_backward;
}  // namespace calls

using MaxPool2dOp = DeclaredOp<calls::max_pool2d>;
using MaxPool2dBackwardOp = DeclaredOp<calls::max_pool2d_backward>;
using AvgPool2dOp = DeclaredOp<calls::avg_pool2d>;
using AvgPool2dBackwardOp = DeclaredOp<calls::avg_pool2d_backward>;
using AdaptiveAvgPool2dOp = DeclaredOp<calls::adaptive_avg_pool2d>;
using AdaptiveAvgPool2dBackwardOp = DeclaredOp<calls::adaptive_avg_pool2d_backward>;

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_POOLING_H_
