// SPDX-License-Identifier: Apache-2.0
// The two floating formats of 16 bits as patterns: the one conversion of scalars, on both sides of
// the C API boundary (ops/engine/dtype/sixteen_bits.h lists how kernels convert). Conversion from
// double rounds once, to nearest with ties to even. Overflow gives infinity, subnormals are kept, a
// NaN stays a NaN: it is made quiet, its sign and upper payload bits are kept. Integers alone are
// used: the compilers' _Float16 rounds as the program's rounding mode says.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace aclgrad::common {

// To a format given by its mantissa's width; sign and exponent take the rest.
template <int kMantissaBits>
constexpr std::uint16_t round_by_integers(double value) {
  constexpr int kBias = (1 << (14 - kMantissaBits)) - 1;
  constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << (15 - kMantissaBits)) - 1)
                                      << kMantissaBits;
  constexpr int kDropped = 52 - kMantissaBits;

  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 << 15;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;

  if (exponent == 1024 && fraction != 0) {
    const std::uint64_t quiet = std::uint64_t{1} << (kMantissaBits - 1);
    return static_cast<std::uint16_t>(sign | kInfinity | quiet | fraction >> kDropped);
  }
  if (exponent > kBias) return static_cast<std::uint16_t>(sign | kInfinity);

  // Below the normal range the last kept bit stays at the weight of the smallest subnormal.
  const int shift = kDropped + std::max(0, 1 - kBias - exponent);
  if (shift > 54) return static_cast<std::uint16_t>(sign);
  const std::uint64_t significand = std::uint64_t{1} << 52 | fraction;
  const std::uint64_t half_unit = std::uint64_t{1} << (shift - 1);
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & (2 * half_unit - 1);
  const bool up = rest > half_unit || (rest == half_unit && (kept & 1) != 0);
  // `kept` carries the implicit bit of normal numbers, hence the exponent field minus one. A carry
  // out of the mantissa walks into the exponent and, at the top, into infinity: both are right.
  const std::uint64_t field = static_cast<std::uint64_t>(std::max(0, exponent + kBias - 1));
  return static_cast<std::uint16_t>(sign | ((field << kMantissaBits) + kept + (up ? 1 : 0)));
}

// IEEE 754 binary16: 1 sign, 5 exponent, 10 mantissa bits.
constexpr std::uint16_t to_float16(double value) { return round_by_integers<10>(value); }

constexpr float float16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const std::uint32_t exponent = bits >> 10 & 0x1F;
  const std::uint32_t fraction = bits & 0x3FF;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide_exponent << 23 | fraction << 13);
}

// bfloat16, the upper half of a binary32.
constexpr std::uint16_t to_bfloat16(double value) { return round_by_integers<7>(value); }

constexpr float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// An integer as a double that rounds to a float or a shorter format as the integer itself would:
// beyond 2^53 it is rounded to odd at bit 11, as a double cannot hold what is below. Forced inline,
// as loops of kernels have it.
template <class Integer>
[[gnu::always_inline]] constexpr double integer_to_odd(Integer value) {
  if constexpr (sizeof(Integer) < 8) {
    return static_cast<double>(value);
  } else {
    constexpr Integer kExact = Integer{1} << 53;
    const bool large =
        value >= kExact || (std::is_signed_v<Integer> && value <= Integer{0} - kExact);
    const Integer sticky = (value & 0x7ff) != 0 ? 0x800 : 0;
    return static_cast<double>(large ? (value & ~Integer{0x7ff}) | sticky : value);
  }
}

}  // namespace aclgrad::common
