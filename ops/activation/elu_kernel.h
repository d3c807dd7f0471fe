// SPDX-License-Identifier: Apache-2.0
// ELU and its derivative.
//
//   forward              scale x                                     x > 0
//                        alpha scale (e^(x inputScale) - 1)          x <= 0
//   backward, input x    g inputScale alpha scale e^(x inputScale)   x <= 0
//   backward, output y   g inputScale (y + alpha scale)              y <= 0
//   backward, both       g scale                                     otherwise
#pragma once

#include <array>
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
  // Floats whose product is the limit but for rest_of_factors(): a fused multiply-add makes the sum
  // of the limit and a number in one rounding.
  std::array<float, 2> limit_factors;

  constexpr double rest_of_factors() const {
    return limit - double{limit_factors[0]} * double{limit_factors[1]} + limit_rest;
  }

  static EluFunction of(float alpha, float scale, float input_scale) {
    return {.limit = double{alpha} * double{scale},
            .scale = scale,
            .input_scale = input_scale,
            .is_step = !std::isfinite(alpha) || !std::isfinite(input_scale),
            .limit_factors = {alpha, scale}};
  }
  friend bool operator==(const EluFunction&, const EluFunction&) = default;
};

// in: x; out: ELU of x.
FloatKernel elu_kernel(const EluFunction& function);
// in: g, then the forward's input or its output; out: the gradient.
FloatKernel elu_backward_kernel(const EluFunction& function, bool is_result);

}  // namespace aclgrad::ops
