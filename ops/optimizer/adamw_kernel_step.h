// SPDX-License-Identifier: Apache-2.0
// The step of AdamW over elements, whose factors have been computed.
#pragma once

#include <cstddef>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// The factors of a step, which all elements share.
struct AdamWFactors {
  double beta1, one_less_beta1;  // the second with the sign that the gradient takes
  double beta2, one_less_beta2;
  double decay;
  double root_factor, eps, minus_step_size;  // of m / (root(v) root_factor + eps)
  bool fits_float;  // none so large or so small that float's exponent range could be too short,
                    // and the weights are floats
};

// Inputs: theta, m, v, gradient, with amsgrad the largest v so far. Outputs: theta, m, v, with
// amsgrad the largest v, if it is kept.
void adamw_exact(bool amsgrad, bool keeps_largest, const AdamWFactors& factors,
                 const double* const* in, double* const* out, size_t count);
void adamw_native(bool amsgrad, const AdamWFactors& factors, const NativeBlock& block);

}  // namespace aclgrad::ops
