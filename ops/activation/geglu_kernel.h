// SPDX-License-Identifier: Apache-2.0
// GEGLU and its derivative. Of the two halves of the input, x goes through gelu and v multiplies:
//
//   forward    out = v gelu(x),  outGelu = gelu(x)
//   backward   dx = g v gelu'(x),  dv = g y,  with y the forward's outGelu as given
#pragma once

#include "ops/activation/gelu_kernel.h"

namespace aclgrad::ops {

// in: x, v; out: out, outGelu.
FloatKernel geglu_kernel(GeluForm form);
// in: g, x, v, y; out: dx, dv.
FloatKernel geglu_backward_kernel(GeluForm form);

}  // namespace aclgrad::ops
