// SPDX-License-Identifier: Apache-2.0
// The gradient of a value from those of the slices that were cut from it.
#pragma once

#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/ops/shape.h"

namespace aclgrad::detail {

struct SliceGradient {
  const SliceOp* op;
  Value gradient;    // of the slice's shape and the value's dtype
  const Node* node;  // that cut it
};

/// Their sum, of the shape of `whole` and 0 where nothing was cut. Slices of one dimension that do
/// not overlap are joined by one cat(): a sequence cut into its steps costs one pass over it.
/// `slices` has one at least.
Value joined_slices(const Value& whole, std::vector<SliceGradient> slices);

}  // namespace aclgrad::detail
