// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating point storage types. They hold bits and convert; arithmetic is done in
// float or double. Conversion from wider types rounds once, to nearest with ties to even, also from
// double, so there is no double rounding. Overflow gives infinity, subnormals are kept, a NaN stays
// a NaN (made quiet, upper payload bits and sign kept).
#pragma once

#include <cstdint>

namespace aclgrad {

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 mantissa bits; largest finite value 65504.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : Half(static_cast<double>(value)) {}
  explicit Half(double value);
  static Half from_bits(std::uint16_t bits) {
    Half half;
    half.bits = bits;
    return half;
  }
  explicit operator float() const;
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
};

/// bfloat16, the upper half of a binary32: 1 sign, 8 exponent, 7 mantissa bits.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) : BFloat16(static_cast<double>(value)) {}
  explicit BFloat16(double value);
  static BFloat16 from_bits(std::uint16_t bits) {
    BFloat16 result;
    result.bits = bits;
    return result;
  }
  explicit operator float() const;
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
};

static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2);

}  // namespace aclgrad
