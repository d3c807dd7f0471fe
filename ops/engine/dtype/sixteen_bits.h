// SPDX-License-Identifier: Apache-2.0
// FLOAT16 and BF16: how numbers are rounded to them, all ways of operators, and one element at a
// time.
//
// Every way rounds to nearest, ties to even, and gives the same bits. A NaN stays a NaN: it is made
// quiet, and its sign kept; its upper payload bits, too, but for LoadStore, which is given none
// that matter.
//
// A double:
// * to_float16() and to_bfloat16() of aclgrad_common/float16.h, in integers alone, whatever the
//   rounding mode: scalars, on both sides of the C API boundary.
// * double_to_float16() and double_to_bfloat16(), here, without branches, so that loops become
//   vectors: from_parts() of formats.h, and with it conversions between any two dtypes, and the
//   reductions of ops/hccl.
// * nearest_float16() and nearest_bfloat16() of a vector, sixteen_bits-inl.h: exact kernels,
//   reductions, products, by store_doubles().
//
// Floats:
// * nearest_float16() and nearest_bfloat16() of a vector, sixteen_bits-inl.h: formulas in float and
//   rows, by elements_of() of doubles-inl.h; casts and products, by store_both().
// * LoadStore of load_store-inl.h, two vectors in the order of elements that is cheapest: proven
//   kernels. round() where rounding twice is innocuous, round_if_certain() (Ziv's test) where the
//   floats have errors.
// * finish_pair() of matmul/product_output-inl.h: a sum of two, in float unless it may be a tie.
//
// Elsewhere: contract::rounded() and store() are a reference of their own, by nearbyint, which all
// are tested with; the Python package rounds arrays by NumPy, every NaN to one pattern
// (_arrays.py). A 64-bit integer has more bits than a double: integer_to_odd() makes the second
// rounding innocuous.
#pragma once

#include <cstdint>

#include "aclgrad_common/float16.h"

// Branch-free and forced inline, so that conversion loops vectorise and no copy compiled for one
// instruction set is ever called from code meant for another.
#define ACLGRAD_INLINE inline __attribute__((always_inline))

namespace aclgrad::ops {

using common::integer_to_odd;

// The value of a binary16 pattern. Numbers below the normal range come out by subtracting the
// implied bit that the shifted pattern does not have.
ACLGRAD_INLINE double float16_to_double(uint16_t bits) {
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fff) << 13;
  const uint32_t exponent = magnitude & 0x0f800000u;
  const uint32_t normal = magnitude + 0x38000000u;
  const float subnormal = __builtin_bit_cast(float, magnitude + 0x38800000u) - 0x1p-14f;
  uint32_t value = exponent == 0 ? __builtin_bit_cast(uint32_t, subnormal) : normal;
  value = exponent == 0x0f800000u ? magnitude | 0x7f800000u : value;
  value |= static_cast<uint32_t>(bits & 0x8000) << 16;
  return static_cast<double>(__builtin_bit_cast(float, value));
}

ACLGRAD_INLINE double bfloat16_to_double(uint16_t bits) {
  return static_cast<double>(__builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16));
}

// Rounds once from double to a format of 16 bits with kMantissa stored mantissa bits: overflow goes
// to infinity, results below the normal range are rounded at their own last place. That needs the
// default rounding mode, which kernels have. (In integers alone, as in aclgrad_common/float16.h,
// the compiler finds no vectors: three times as long with AVX-512.)
template <int kMantissa>
ACLGRAD_INLINE uint16_t round_branch_free(double value) {
  constexpr int kDropped = 52 - kMantissa;
  constexpr int kBias = (1 << (14 - kMantissa)) - 1;
  constexpr uint64_t kInfinity = ((uint64_t{1} << (15 - kMantissa)) - 1) << kMantissa;
  constexpr uint64_t kHalfLess = (uint64_t{1} << (kDropped - 1)) - 1;
  // Powers of two as bit patterns: the smallest normal number; the number whose last place is the
  // smallest subnormal; half an ulp above the largest finite number.
  constexpr double kSmallest =
      __builtin_bit_cast(double, static_cast<uint64_t>(1024 - kBias) << 52);
  constexpr double kAligner =
      __builtin_bit_cast(double, static_cast<uint64_t>(1023 + 53 - kBias - kMantissa) << 52);
  constexpr double kOverflow = __builtin_bit_cast(
      double, (static_cast<uint64_t>(1024 + kBias) << 52) - (uint64_t{1} << (kDropped - 1)));

  const uint64_t bits = __builtin_bit_cast(uint64_t, value);
  const uint64_t magnitude_bits = bits & 0x7fffffffffffffffull;
  const double magnitude = __builtin_bit_cast(double, magnitude_bits);
  const uint64_t normal =
      ((magnitude_bits + kHalfLess + ((magnitude_bits >> kDropped) & 1)) >> kDropped) -
      (static_cast<uint64_t>(1023 - kBias) << kMantissa);
  const uint64_t subnormal = __builtin_bit_cast(uint64_t, magnitude + kAligner) & 0xffff;
  uint64_t result = magnitude < kSmallest ? subnormal : normal;
  result = magnitude >= kOverflow ? kInfinity : result;
  const uint64_t quiet = kInfinity | (uint64_t{1} << (kMantissa - 1)) |
                         ((magnitude_bits >> kDropped) & (kInfinity - 1) & ~kInfinity);
  result = magnitude != magnitude ? quiet : result;
  return static_cast<uint16_t>(((bits >> 48) & 0x8000) | result);
}

ACLGRAD_INLINE uint16_t double_to_float16(double value) { return round_branch_free<10>(value); }
ACLGRAD_INLINE uint16_t double_to_bfloat16(double value) { return round_branch_free<7>(value); }

}  // namespace aclgrad::ops
