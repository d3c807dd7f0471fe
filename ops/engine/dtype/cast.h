// SPDX-License-Identifier: Apache-2.0
// Conversion between data types, each value rounded once, and plain copies, which keep every bit.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// Where in a piece of work a conversion starts and ends, in elements of the common shape.
struct CastSource {
  const void* data;
  aclDataType dtype;
  const StridedIndex& index;
};
struct CastTarget {
  void* data;
  aclDataType dtype;
  const StridedIndex& index;
};

// Converts elements [begin, end) of source into the same elements of target.
void cast_elements(const CastSource& source, const CastTarget& target, int64_t begin, int64_t end);

// A part of a tensor into a part of another, both of one shape; converted where their dtypes
// differ, by way of to.intermediate_dtype.
struct ViewCopy {
  Dims shape;
  Operand to;
  Operand from;
};

// One after the other.
Plan plan_copies(const std::vector<ViewCopy>& copies);

// target = source, broadcast to target's shape and converted to its dtype.
Plan plan_cast(const Arguments& arguments, size_t source, size_t target);

// Every value of `dtype` is one of `wider`.
bool converts_exactly(aclDataType dtype, aclDataType wider);

}  // namespace aclgrad::ops
