// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: rows of x turned by rows of cosines and sines, in double, each element
// rounded once. The same bits for every layout, instruction set and number of threads.
#pragma once

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

// Which columns are the coordinates of a point: i and i + size / 2, or 2 i and 2 i + 1.
struct RotaryPairs {
  RotaryPairs(int64_t mode, int64_t size)
      : are_neighbours(mode != 0), stride(mode == 0 ? 1 : 2), second(mode == 0 ? size / 2 : 1) {}

  bool are_neighbours;
  int64_t stride;  // from pair to pair
  int64_t second;  // from the first to the second column of one
};

// The parameters of an operator; cos and sin broadcast to x but for the last dimension.
struct RotaryTensors {
  size_t x, cos, sin, out;
};

// out = x cos + rot(x) sin, or, back, its adjoint x cos + rot^T(x sin). out may be x.
Plan plan_rotary(const Arguments& arguments, const RotaryTensors& tensors, int64_t mode, bool back);

}  // namespace aclgrad::ops
