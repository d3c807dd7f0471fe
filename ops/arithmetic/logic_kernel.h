// SPDX-License-Identifier: Apache-2.0
// Truth values, bits of integers, and tests of numbers, in the compute type that belongs to a dtype
// (arithmetic_kernel.h).
#pragma once

#include "ops/arithmetic/arithmetic_kernel.h"

namespace aclgrad::ops {

enum class Logic { kAnd, kOr, kXor, kNot };

// 1 or 0 of what is true, which is all but 0, in one or both of the inputs; `dtype` is one in whose
// compute type no input is 0 that was not. The dtype of the result may be another.
Kernel logic(Logic operation, aclDataType dtype);

// Of the bits of integers, and of BOOL.
Kernel bitwise(Logic operation, aclDataType dtype);
// That of in[0] and a number.
Kernel bitwise(Logic operation, int64_t number);

// in[0] moved by in[1] bits, or by a number of them; beyond the bits of the dtype there is nothing.
Kernel left_shift(aclDataType dtype);
Kernel left_shift(aclDataType dtype, int64_t number);
Kernel right_shift(aclDataType dtype);

enum class Test { kFinite, kInfinite, kPositiveInfinity, kNegativeInfinity, kSignBit };

// 1 where in[0] is so, otherwise 0.
Kernel test(Test kind, aclDataType dtype);

struct Tolerance {
  double relative;
  double absolute;
  bool equal_nan;
};

// 1 where in[0] is as near to in[1] as the tolerance of the latter allows; real dtypes.
Kernel closeness(const Tolerance& tolerance, aclDataType dtype);

}  // namespace aclgrad::ops
