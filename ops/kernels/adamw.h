// SPDX-License-Identifier: Apache-2.0
// One step of AdamW for a block of parameters.
#ifndef ACLGRAD_OPS_KERNELS_ADAMW_H_
#define ACLGRAD_OPS_KERNELS_ADAMW_H_

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

struct AdamWSettings {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize;
};

// Inputs: theta, m, v, gradient, steps done (one number for the whole block), with amsgrad the
// largest v so far. Outputs: theta, m, v, with amsgrad the largest v.
Kernel adamw_step(const AdamWSettings& settings);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_ADAMW_H_
