// SPDX-License-Identifier: Apache-2.0
// The windows of convolutions and pools: where ONNX says them.
#pragma once

#include "onnx/import/operators.h"

namespace aclgrad::onnx {

/// A number for each spatial axis, in order.
struct Windows {
  Dims kernel, stride, dilation;
  Dims begin, end;  ///< what stands around the axis
  bool ceil_mode = false;

  std::size_t axes() const { return kernel.size(); }
  /// How many elements a window reaches over.
  std::int64_t reach(std::size_t axis) const { return dilation[axis] * (kernel[axis] - 1) + 1; }
  /// How many windows there are along an axis of so many elements.
  std::int64_t count(std::size_t axis, std::int64_t in) const;
  /// Whether both ends of every axis have the same around them.
  bool is_symmetric() const { return begin == end; }
};

/// Those of the attributes, auto_pad included, for an x [N, C, ...] and kernels of this size.
/// Throws ShapeError for another rank and for numbers out of their ranges.
Windows windows_of(const NodeCall& node, const Shape& x, Dims kernel);

/// The pairs that pad() takes, the last axis first.
Dims pad_pairs(const Dims& begin, const Dims& end);

/// The extents behind the first two. Throws ShapeError where there are no two.
Dims spatial(const Shape& shape);

/// x [N, C, ...] with its spatial axes in front of or behind which an axis of extent 1 is put, so
/// that there are two.
Value with_two_axes(Operand x);
Value without_first_axis(Operand x);

}  // namespace aclgrad::onnx
