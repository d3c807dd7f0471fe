// SPDX-License-Identifier: Apache-2.0
// Activations at the level "bounded", and their gradients: FLOAT within 2 units in the last place,
// 3 for the product of a gradient and a function; 16-bit results are those rounded. Those at the
// level "proven" have files of their own: elu, selu, hardswish, gelu, geglu.
#ifndef ACLGRAD_OPS_ACTIVATION_ACTIVATION_KERNEL_H_
#define ACLGRAD_OPS_ACTIVATION_ACTIVATION_KERNEL_H_

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// Backwards take the gradient g first, then the forward's input x or its output y.
enum class Activation {
  kTanh,
  kSigmoid,
  kSilu,
  kSiluBackward,
  kTanhBackward,
  kSigmoidBackward,
  kRelu,
  kThresholdBackward,
  kLeakyRelu,
  kLeakyReluBackward,
  kSoftplus,
  kSoftplusBackward,
};

// With parameters a and b, which activation_kernel.cpp says beside each formula. Where DOUBLE is
// computed, they count as they are, otherwise as FLOAT.
FloatKernel activation_kernel(Activation activation, double a = 0, double b = 0);

ComplexKernel complex_sigmoid_kernel();
ComplexKernel complex_sigmoid_backward_kernel();

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ACTIVATION_ACTIVATION_KERNEL_H_
