// SPDX-License-Identifier: Apache-2.0
// Made by ops/engine/tools/fit_tail.py; that file says what it is. Do not edit.
// Relative error of 1 + r below 2.5e-09.
#pragma once

namespace aclgrad::ops {

// Coefficients of v, v^2, v^3, ...
// clang-format off
inline constexpr float kTailRest[] = {
    -0x1.ffff9a0000000p-1f,
    0x1.7fdc380000000p+1f,
    -0x1.dba1f40000000p+3f,
    0x1.821f8e0000000p+6f,
    -0x1.3f678c0000000p+9f,
    0x1.8c40260000000p+11f,
    -0x1.e70ca00000000p+12f,
};
// clang-format on

}  // namespace aclgrad::ops
