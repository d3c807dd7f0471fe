// SPDX-License-Identifier: Apache-2.0
// ELU and its derivative.
//
//   forward              scale x                                     x > 0
//                        alpha scale (e^(x inputScale) - 1)          x <= 0
//   backward, input x    g inputScale alpha scale e^(x inputScale)   x <= 0
//   backward, output y   g inputScale (y + alpha scale)              y <= 0
//   backward, both       g scale                                     otherwise
#ifndef ACLGRAD_OPS_ACTIVATION_ELU_KERNEL_H_
#define ACLGRAD_OPS_ACTIVATION_ELU_KERNEL_H_

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

struct EluParameters {
  float alpha;
  float scale;
  float input_scale;
};

// in: x; out: ELU of x. Where alpha or inputScale is not finite the lower branch is -alpha scale.
Kernel elu_kernel(const EluParameters& parameters);
// in: g, then the forward's input or its output; out: the gradient.
Kernel elu_backward_kernel(const EluParameters& parameters, bool is_result);

// ELU and SELU in the numbers that their kernels need, which are positive.
struct EluFunction {
  double limit;  // alpha scale
  double scale;
  double input_scale;
  double limit_rest = 0;        // what the double leaves out of the limit
  bool zero_is_linear = false;  // an output of 0 has the slope of the linear branch

  friend bool operator==(const EluFunction&, const EluFunction&) = default;
};

FloatKernel elu_function_kernel(const EluFunction& function);
FloatKernel elu_function_backward_kernel(const EluFunction& function, bool is_result);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ACTIVATION_ELU_KERNEL_H_
