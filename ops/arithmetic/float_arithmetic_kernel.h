// SPDX-License-Identifier: Apache-2.0
// Sums and products of native elements in float, for arithmetic_kernel.cpp. Results are correctly
// rounded: those that float cannot guarantee come from `exact`, the operation on blocks of double.
#pragma once

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// in[0] + factor in[1]
NativeKernel native_sum(float factor, RealKernel exact);
// in[0] + factor constant
NativeKernel native_sum_with(float factor, float constant, RealKernel exact);
// in[0] in[1]
NativeKernel native_product(RealKernel exact);
// in[0] constant, which is an element of the dtype
NativeKernel native_product_with(float constant, RealKernel exact);
// in[1] where the byte of in[0] is not 0, otherwise in[2]; their bits, whatever numbers they are.
NativeKernel native_choice();
// value, converted to the dtype, without inputs.
NativeKernel native_constant(double value);

}  // namespace aclgrad::ops
