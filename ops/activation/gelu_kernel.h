// SPDX-License-Identifier: Apache-2.0
// GELU and its derivative; the formulas stand in gelu-inl.h.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

enum class GeluForm { kErf, kTanh };

// in: x; out: gelu(x).
FloatKernel gelu_kernel(GeluForm form);
// in: g, x; out: g gelu'(x).
FloatKernel gelu_backward_kernel(GeluForm form);

}  // namespace aclgrad::ops
