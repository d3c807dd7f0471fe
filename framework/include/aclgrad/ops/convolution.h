// SPDX-License-Identifier: Apache-2.0
// Convolution over one, two or three spatial axes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/graph/per_axis.h"

namespace aclgrad {

struct ConvOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;  ///< At both ends of an axis.
  PerAxis dilation = 1;
  std::int64_t groups = 1;
  PerAxis output_padding = 0;  ///< Of transposed convolutions.
};

/// Cross-correlation of x [N, C, ...] with weight [O, C / groups, kernel...]: y[n, o, p] = bias[o]
/// + the sum over c and k of x[n, c, p stride - padding + k dilation] weight[o, c, k], with
/// floor((in + 2 padding - dilation (kernel - 1) - 1) / stride) + 1 elements along an axis. bias is
/// [O], or an empty Value. Throws ShapeError and DTypeError.
Value conv1d(Operand x, const Value& weight, const Value& bias = {},
             const ConvOptions& options = {});
Value conv2d(Operand x, const Value& weight, const Value& bias = {},
             const ConvOptions& options = {});
Value conv3d(Operand x, const Value& weight, const Value& bias = {},
             const ConvOptions& options = {});

/// The adjoint of such a convolution, of x [N, C, ...] with weight [C, O / groups, kernel...]:
/// (in - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1 elements along an axis.
Value conv_transpose1d(Operand x, const Value& weight, const Value& bias = {},
                       const ConvOptions& options = {});
Value conv_transpose2d(Operand x, const Value& weight, const Value& bias = {},
                       const ConvOptions& options = {});
Value conv_transpose3d(Operand x, const Value& weight, const Value& bias = {},
                       const ConvOptions& options = {});

struct ConvolutionAttributes {
  std::vector<std::int64_t> stride, padding, dilation, output_padding;  // a value for each axis
  std::int64_t groups;
  bool transposed;
  std::string text() const;
};
struct ConvolutionBackwardAttributes : ConvolutionAttributes {
  std::array<bool, 3> wanted;  // of x, weight, bias
  std::string text() const;
};

/// Any of them, with the attributes as the operator takes them.
Value convolution(Operand x, const Value& weight, const Value& bias,
                  const ConvolutionAttributes& attributes);

/// The gradients with respect to x, weight and bias; an empty Value for those that are not wanted
/// (at least one must be).
std::array<Value, 3> convolution_backward(Operand grad, const Value& x, const Value& weight,
                                          const ConvolutionAttributes& attributes,
                                          std::array<bool, 3> wanted);

namespace calls {
// Inputs x, weight and, if there is one, bias.
extern const Declaration<ConvolutionAttributes> convolution;
// Inputs grad, x, weight; outputs the gradients that are wanted.
extern const Declaration<ConvolutionBackwardAttributes> convolution_backward;
}  // namespace calls

using ConvolutionOp = DeclaredOp<calls::convolution>;
using ConvolutionBackwardOp = DeclaredOp<calls::convolution_backward>;

}  // namespace aclgrad
