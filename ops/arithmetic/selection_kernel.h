// SPDX-License-Identifier: Apache-2.0
// Comparisons, choices by a condition, and powers and bounds of integers: for operands of mixed
// dtypes, in the compute type that belongs to a dtype (arithmetic_kernel.h).
#pragma once

#include <optional>

#include "ops/arithmetic/arithmetic_kernel.h"

namespace aclgrad::ops {

enum class Comparison { kGreater, kGreaterEqual, kLess, kLessEqual, kEqual, kNotEqual };

// 1 where in[0] compares so with in[1], or with the constant; otherwise 0. Complex numbers are
// equal or not.
Kernel comparison(Comparison comparison, aclDataType dtype);
Kernel comparison(Comparison comparison, aclDataType dtype, const KernelScalar& constant);

// in[1] where in[0] is not 0, otherwise in[2].
Kernel choice(aclDataType dtype);

// The constant where in[1] is not 0, otherwise in[0].
Kernel masked_constant(aclDataType dtype, const KernelScalar& constant);

// in[0] clamped to the bounds, of which the upper one counts where they cross.
Kernel clamp(aclDataType dtype, const std::optional<KernelScalar>& low,
             const std::optional<KernelScalar>& high);

// The larger or the smaller of in[0] and in[1], or NaN; of BOOL or and and.
Kernel extremum(aclDataType dtype, bool largest);

// in[0]^in[1], or ^exponent.
Kernel power(aclDataType dtype);
Kernel power(aclDataType dtype, const KernelScalar& exponent);

// in[0] + value in[1] in[2], of integers and real numbers.
Kernel add_product(aclDataType dtype, const KernelScalar& value);

// 1, 0 or -1; complex numbers by their magnitude.
Kernel sign(aclDataType dtype);
Kernel magnitude(aclDataType dtype);

// in[0] without an imaginary part.
Kernel real_part(aclDataType dtype);

// 0 where in[0] < 0, 1 where it is > 0, in[1] where it is 0, NaN where it is NaN; not of complex
// numbers.
Kernel step(aclDataType dtype);

// base^in[0]
Kernel power_of(aclDataType dtype, const KernelScalar& base);

// constant + factor in[0], rounded once; not of complex numbers.
Kernel linear(aclDataType dtype, const KernelScalar& constant, const KernelScalar& factor);

// in[0] + factor in[1] where that is above 0, otherwise 0; not of complex numbers.
Kernel sum_above_zero(aclDataType dtype, const KernelScalar& factor);

}  // namespace aclgrad::ops
