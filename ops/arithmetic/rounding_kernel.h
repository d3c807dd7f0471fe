// SPDX-License-Identifier: Apache-2.0
// Rounding to integers, quotients that are rounded so and what they leave, bounds, and other
// numbers in the place of NaN and infinities. Integers are computed in INT64.
#pragma once

#include <array>
#include <optional>

#include "ops/arithmetic/arithmetic_kernel.h"

namespace aclgrad::ops {

enum class Rounding { kFloor, kCeil, kTrunc, kNearest, kFraction };

// in[0] rounded, or what rounding to 0 leaves; integers are themselves, or 0.
Kernel rounding(Rounding kind, aclDataType dtype);

// in[0] rounded to so many decimals, each step in FLOAT unless the dtype is DOUBLE.
Kernel rounding_to_decimals(int64_t decimals, aclDataType dtype);

enum class Division {
  kTruncated,        // the quotient, rounded once, without its fraction
  kFloored,          // the one rounded down
  kFlooredRest,      // of the one rounded down, with the divisor's sign
  kTruncatedRest,    // of the one without its fraction, with the dividend's sign
  kGreatestDivisor,  // of integers
};

// Of in[0] and in[1], or of the number in the place of one of them and in[0].
struct Operands {
  std::optional<KernelScalar> dividend = std::nullopt;
  std::optional<KernelScalar> divisor = std::nullopt;
};
Kernel division(Division kind, aclDataType dtype, const Operands& operands = {});

// in[0] held between in[1] and in[2], of which the latter counts where they cross.
Kernel holding_between(aclDataType dtype);

// a in the place of NaN, b of infinity, c of minus infinity.
FloatKernel replacing(float a, float b, float c);

}  // namespace aclgrad::ops
