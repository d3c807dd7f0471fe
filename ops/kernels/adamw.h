// SPDX-License-Identifier: Apache-2.0
// One step of AdamW. Dense parameters of one dtype are worked through in one pass over their own
// memory; everything else goes through the elementwise engine, to the same bits. Arithmetic is
// double but for the root and the division: those start in float and are corrected once, which
// leaves an error of 2^-44 of the step.
#ifndef ACLGRAD_OPS_KERNELS_ADAMW_H_
#define ACLGRAD_OPS_KERNELS_ADAMW_H_

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

struct AdamWSettings {
  double lr, beta1, beta2, weight_decay, eps;
  bool amsgrad, maximize;
};

struct AdamWParameters {
  size_t var, m, v, largest_v, gradient, step;  // largest_v counts with amsgrad only
};

// At least one element.
Plan plan_adamw(const Arguments& arguments, const AdamWParameters& parameters,
                const AdamWSettings& settings);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_ADAMW_H_
