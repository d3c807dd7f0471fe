// SPDX-License-Identifier: Apache-2.0
// Made by ops/kernels/tools/fit_exponential.py; that file says what it is. Do not edit.
// Relative error of e^r below 3.2e-09.
#ifndef ACLGRAD_OPS_KERNELS_EXPONENTIAL_TABLE_H_
#define ACLGRAD_OPS_KERNELS_EXPONENTIAL_TABLE_H_

namespace aclgrad::ops {

// Coefficients of 1, r, r^2, ...
// clang-format off
inline constexpr float kGrowth[] = {
    0x1.fffffc0000000p-2f,
    0x1.5554900000000p-3f,
    0x1.55589e0000000p-5f,
    0x1.123ac60000000p-7f,
    0x1.6a626a0000000p-10f,
};
// clang-format on

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_EXPONENTIAL_TABLE_H_
