// SPDX-License-Identifier: Apache-2.0
// Tensors as lines along one dimension, for operators that go along each line: running sums, the
// first few in order.
#ifndef ACLGRAD_OPS_REDUCTION_AXIS_SLICES_H_
#define ACLGRAD_OPS_REDUCTION_AXIS_SLICES_H_

#include "ops/engine/dtype/cast.h"
#include "ops/engine/strided.h"

namespace aclgrad::ops {

// The 1-d slices of a tensor parameter along an axis, in the row-major order of the other
// dimensions. A 0-d tensor is one slice of one element.
struct AxisSlices {
  size_t parameter;
  aclDataType dtype;
  StridedIndex starts;
  int64_t length = 1;  // elements of a slice
  int64_t stride = 0;  // from one to the next
  int64_t first = 0;   // offset of the first one from the start of the slice

  AxisSlices(const Arguments& arguments, size_t tensor, size_t axis)
      : parameter(tensor), dtype(arguments.dtype(tensor)) {
    Dims shape, strides;
    for (size_t d = 0; d < arguments.shape(tensor).size(); ++d) {
      const int64_t size = arguments.shape(tensor)[d];
      const int64_t step = arguments.strides(tensor)[d];
      if (d == axis) {
        length = size;
        stride = step;
      } else {
        shape.push_back(size);
        strides.push_back(step);
      }
    }
    starts = StridedIndex(shape, strides);
  }

  int64_t count() const { return starts.count(); }

  void reverse() {
    first += (length - 1) * stride;
    stride = -stride;
  }

  // The element number `i` of the slice that starts at offset `start`.
  void* at(const Run& run, int64_t start, int64_t i) const {
    return element(run.data(parameter), dtype, start + first + i * stride);
  }
};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_REDUCTION_AXIS_SLICES_H_
