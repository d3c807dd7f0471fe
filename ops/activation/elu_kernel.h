// SPDX-License-Identifier: Apache-2.0
// ELU and its derivative.
//
//   forward              scale x                                     x > 0
//                        alpha scale (e^(x inputScale) - 1)          x <= 0
//   backward, input x    g inputScale alpha scale e^(x inputScale)   x <= 0
//   backward, output y   g inputScale (y + alpha scale)              y <= 0
//   backward, both       g scale                                     otherwise
#pragma once

#include <cmath>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// ELU, and SELU, in the numbers that their kernels need.
struct EluFunction {
  double limit;  // alpha scale
  double scale;
  double input_scale;
  bool is_step = false;   // the lower branch is -alpha scale, as alpha or inputScale is not finite
  double limit_rest = 0;  // what the double leaves out of the limit
  double linear_above = 0;  // outputs above have the slope of the linear branch

  static EluFunction of(float alpha, float scale, float input_scale) {
    return {.limit = double{alpha} * double{scale},
            .scale = scale,
            .input_scale = input_scale,
            .is_step = !std::isfinite(alpha) || !std::isfinite(input_scale)};
  }
  friend bool operator==(const EluFunction&, const EluFunction&) = default;
};

// in: x; out: ELU of x.
FloatKernel elu_kernel(const EluFunction& function);
// in: g, then the forward's input or its output; out: the gradient.
FloatKernel elu_backward_kernel(const EluFunction& function, bool is_result);

}  // namespace aclgrad::ops
