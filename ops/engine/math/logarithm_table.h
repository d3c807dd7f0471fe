// SPDX-License-Identifier: Apache-2.0
// Made by ops/engine/tools/fit_logarithm.py; that file says what it is. Do not edit.
#pragma once

namespace aclgrad::ops {

// Coefficients of 1, f, f^2, ...
// clang-format off
// Relative error of ln(1 + f) below 5.9e-09.
inline constexpr float kLogarithm[] = {
    0x1.5555540000000p-2f,
    -0x1.00022a0000000p-2f,
    0x1.99a02a0000000p-3f,
    -0x1.54716e0000000p-3f,
    0x1.22d6f80000000p-3f,
    -0x1.0d8b600000000p-3f,
    0x1.05737c0000000p-3f,
    -0x1.38cc160000000p-4f,
};
// clang-format on

}  // namespace aclgrad::ops
