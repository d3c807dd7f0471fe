// SPDX-License-Identifier: Apache-2.0
// One step of AdamW. The factors that all elements share are computed in double, once per run.
//
// Parameters of one dtype, FLOAT, FLOAT16 or BF16, are worked on in float:
//   m is within one unit in the last place (and 2^-46 of beta1 m, where its terms cancel),
//   v within one, theta the nearest float to the exact result but for 2^-21 of its change.
// Results of 16 bits are those floats, rounded. Near the ends of float's exponent range, with mixed
// dtypes, in DOUBLE, and with weights that float cannot take from 1 (it can from 1/2 on) all is
// double and rounded once. An element's bits depend on its own numbers alone, not on layouts,
// threads or the instruction set.
#pragma once

#include "ops/engine/elementwise.h"

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

// The numbers in tensors of one element, read when the step runs; beta1_power and beta2_power are
// those of the step before.
struct AdamWNumbers {
  size_t lr, beta1, beta2, weight_decay, eps, beta1_power, beta2_power;
};

// The AdamW step of aclnnApplyAdamW: largest_v is read and not written, `step` is not used. All in
// double, each result rounded once.
Plan plan_adamw(const Arguments& arguments, const AdamWParameters& parameters,
                const AdamWNumbers& numbers, bool amsgrad, bool maximize);

}  // namespace aclgrad::ops
