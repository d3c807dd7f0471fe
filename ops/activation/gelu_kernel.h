// SPDX-License-Identifier: Apache-2.0
// GELU and its derivative; the formulas stand in gelu-inl.h.
#ifndef ACLGRAD_OPS_ACTIVATION_GELU_KERNEL_H_
#define ACLGRAD_OPS_ACTIVATION_GELU_KERNEL_H_

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

enum class GeluForm { kErf, kTanh };

// in: x; out: gelu(x).
FloatKernel gelu_kernel(GeluForm form);
// in: g, x; out: g gelu'(x).
FloatKernel gelu_backward_kernel(GeluForm form);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ACTIVATION_GELU_KERNEL_H_
