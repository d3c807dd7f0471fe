// SPDX-License-Identifier: Apache-2.0
// Made by ops/engine/tools/fit_exponential.py; that file says what it is. Do not edit.
#pragma once

namespace aclgrad::ops {

// Coefficients of 1, r, r^2, ...
// clang-format off
// Relative error of e^r below 1.0e-10.
inline constexpr float kGrowth[] = {
    0x1.0000000000000p-1f,
    0x1.5555540000000p-3f,
    0x1.5554e40000000p-5f,
    0x1.1112f80000000p-7f,
    0x1.6d515e0000000p-10f,
    0x1.9e2e0c0000000p-13f,
};
// Relative error of e^r below 3.2e-09.
inline constexpr float kShortGrowth[] = {
    0x1.fffffc0000000p-2f,
    0x1.5554900000000p-3f,
    0x1.55589e0000000p-5f,
    0x1.123ac60000000p-7f,
    0x1.6a626a0000000p-10f,
};
// clang-format on

}  // namespace aclgrad::ops
