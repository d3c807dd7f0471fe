// SPDX-License-Identifier: Apache-2.0
// Elements of one dimension by their numbers. All numbers are looked at first: one outside its
// range ends the task with an exception that names it, before anything is written.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// How out is selected from self: over out's shape, strides of 0 where an operand does not move.
struct Selection {
  Operand out;
  Operand self;   // without the dimension that is selected from
  Operand index;  // of INT32 or INT64
  int64_t step;   // of that dimension of self
  int64_t size;
  bool counts_from_end;  // negative numbers do
};

// out = self[.., index, ..], of self's dtype. `index` is also the parameter whose numbers are
// looked at.
Plan plan_selection(const Arguments& arguments, size_t out, const Selection& selection);

}  // namespace aclgrad::ops
