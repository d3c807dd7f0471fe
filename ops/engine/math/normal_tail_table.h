// SPDX-License-Identifier: Apache-2.0
// Made by ops/engine/tools/fit_erfcx.py; that file says what it is. Do not edit.
// Largest relative error of the tail that the kernels compute from it: 5.0e-16.
#pragma once

namespace aclgrad::ops {

inline constexpr double kTailPole = 5.0;
inline constexpr double kTailLift = 1.25;
// Coefficients of 1, t, t^2, ...
// clang-format off
inline constexpr double kTailCoefficients[] = {
    0x1.1d864303d4c84p-1,
    -0x1.41d8de9621f7fp-4,
    0x1.402b0e17396f2p-7,
    0x1.0c13034c16a44p-5,
    -0x1.705abcacd073dp-5,
    0x1.2b35cdd1f5f49p-5,
    -0x1.5b84cd891511ep-6,
    0x1.1ea0ee9099a4fp-7,
    -0x1.19cd4b5d13469p-9,
    -0x1.8fcbbea5438efp-16,
    0x1.fda8ce50e56b5p-13,
    -0x1.1a1106d1d6214p-14,
    -0x1.d6ceea5d96702p-17,
    0x1.86a8bcac53e21p-17,
    0x1.5ab25b6642390p-24,
    -0x1.c728013db743dp-20,
    0x1.2e434f0bbcf8ep-23,
    0x1.1283738c650ecp-22,
    -0x1.0430ef35f9e41p-25,
    -0x1.5bfad38bc9e13p-25,
    0x1.1f6c2b4db034fp-28,
    0x1.9042ee2cca091p-28,
    -0x1.618aa6e8e2816p-32,
    -0x1.1aece4c9ea80bp-31,
};
// clang-format on

}  // namespace aclgrad::ops
