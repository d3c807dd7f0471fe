// SPDX-License-Identifier: Apache-2.0
// SELU and its derivative.
//
//   forward    lambda x                      x > 0
//              lambda alpha (e^x - 1)        x <= 0
//   backward   g (y + lambda alpha)          y < 0, y the forward's output
//              g lambda                      y >= 0
//
// The constants come from G. Klambauer et al., Self-Normalizing Neural Networks, 2017.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// in: x; out: SELU of x.
FloatKernel selu_kernel();
// in: g, y; out: the gradient.
FloatKernel selu_backward_kernel();

// SELU and its gradient for integers: the exact real value, truncated towards zero and clamped to
// the range of `dtype`, which is ACL_INT8 or ACL_INT32. Inputs are of one of the two types.
IntegerKernel selu_integer_kernel(aclDataType dtype);
IntegerKernel selu_backward_integer_kernel(aclDataType dtype);

}  // namespace aclgrad::ops
