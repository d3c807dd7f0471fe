// SPDX-License-Identifier: Apache-2.0
// Element values for tests, written independently of the library's own conversions: reading and
// writing elements of any dtype, rounding by the definition, distances in units in the last place.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "acl/acl_base.h"

namespace aclgrad::testing {

inline constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
inline constexpr long double kNaN = std::numeric_limits<long double>::quiet_NaN();

inline bool same(long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// A binary floating format by its numbers: precision counts the implied bit.
struct FloatFormat {
  int precision;
  int lowest_exponent;   // of the smallest normal number, as in 2^e
  int highest_exponent;  // of the largest finite number
};

inline FloatFormat float_format(aclDataType dtype) {
  switch (dtype) {
    case ACL_FLOAT16:
      return {11, -14, 15};
    case ACL_BF16:
      return {8, -126, 127};
    case ACL_FLOAT:
      return {24, -126, 127};
    case ACL_DOUBLE:
      return {53, -1022, 1023};
    default:
      throw std::invalid_argument("not a floating dtype");
  }
}

// 2^e.
inline long double power_of_two(int e) {
  if (e < -1022 || e > 1023) return std::ldexp(1.0L, e);
  return static_cast<long double>(std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52));
}

// e with 2^e <= |x| < 2^(e + 1), of x rounded to a double. Where that rounding reaches 2^(e + 1),
// so does the one to any format here. Much faster than std::ilogb, and tests round many numbers.
inline int exponent_of(long double x) {
  const auto bits = std::bit_cast<uint64_t>(static_cast<double>(x));
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  return biased == 0 || biased == 0x7ff ? std::ilogb(x) : biased - 1023;
}

// Distance between the floating numbers of `dtype` around x, which is finite.
inline long double ulp_at(long double x, aclDataType dtype) {
  const FloatFormat format = float_format(dtype);
  const int exponent =
      x == 0 ? format.lowest_exponent
             : std::clamp(std::ilogb(x), format.lowest_exponent, format.highest_exponent);
  return power_of_two(exponent - format.precision + 1);
}

// x rounded to nearest even in the given floating dtype; overflow gives infinity.
inline long double round_to(long double x, aclDataType dtype) {
  if (std::isnan(x) || std::isinf(x) || x == 0) return x;
  const FloatFormat format = float_format(dtype);
  const int exponent = std::clamp(exponent_of(x), format.lowest_exponent, format.highest_exponent);
  // Numbers of this size are multiples of the ulp, so that adding one rounds.
  const long double large =
      1.5L * power_of_two(exponent - format.precision + std::numeric_limits<long double>::digits);
  const long double rounded = (x + large) - large;
  const long double limit = power_of_two(format.highest_exponent + 1);
  return std::abs(rounded) >= limit ? std::copysign(std::numeric_limits<long double>::infinity(), x)
                                    : rounded;
}

inline long double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const long double mantissa = bits & 0x3ff;
  const long double sign = (bits & 0x8000) != 0 ? -1.0L : 1.0L;
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<long double>::infinity()
                         : std::numeric_limits<long double>::quiet_NaN();
  }
  return exponent == 0 ? sign * mantissa * power_of_two(-24)
                       : sign * (mantissa + 1024) * power_of_two(exponent - 25);
}

inline long double bfloat_value(uint16_t bits) {
  return static_cast<long double>(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
}

// The pattern of x rounded to nearest even; NaN gives the quiet NaN.
inline uint16_t half_bits(long double x) {
  if (std::isnan(x)) return 0x7e00;
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const long double magnitude = std::abs(round_to(x, ACL_FLOAT16));
  if (std::isinf(magnitude)) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < power_of_two(-14)) {
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(magnitude * power_of_two(24)));
  }
  const int exponent = exponent_of(magnitude);
  const auto mantissa = static_cast<uint16_t>(magnitude * power_of_two(10 - exponent));
  return static_cast<uint16_t>(sign | ((exponent + 14) * 1024 + mantissa));
}

inline uint16_t bfloat_bits(long double x) {
  if (std::isnan(x)) return 0x7fc0;
  const auto rounded = static_cast<float>(round_to(x, ACL_BF16));  // exact
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(rounded) >> 16);
}

template <class T>
T load_as(const void* data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const unsigned char*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store_as(void* data, size_t index, T value) {
  std::memcpy(static_cast<unsigned char*>(data) + index * sizeof(T), &value, sizeof(T));
}

// Element `index` (counted in elements from `data`) of a real dtype.
inline long double get_element(const void* data, aclDataType dtype, size_t index) {
  switch (dtype) {
    case ACL_FLOAT:
      return static_cast<long double>(load_as<float>(data, index));
    case ACL_DOUBLE:
      return static_cast<long double>(load_as<double>(data, index));
    case ACL_FLOAT16:
      return half_value(load_as<uint16_t>(data, index));
    case ACL_BF16:
      return bfloat_value(load_as<uint16_t>(data, index));
    case ACL_INT8:
      return load_as<int8_t>(data, index);
    case ACL_INT16:
      return load_as<int16_t>(data, index);
    case ACL_INT32:
      return load_as<int32_t>(data, index);
    case ACL_INT64:
      return static_cast<long double>(load_as<int64_t>(data, index));
    case ACL_UINT8:
      return load_as<uint8_t>(data, index);
    case ACL_UINT16:
      return load_as<uint16_t>(data, index);
    case ACL_UINT32:
      return load_as<uint32_t>(data, index);
    case ACL_UINT64:
      return static_cast<long double>(load_as<uint64_t>(data, index));
    case ACL_BOOL:
      return load_as<uint8_t>(data, index) != 0 ? 1 : 0;
    default:
      throw std::invalid_argument("dtype not readable by tests");
  }
}

// Writes a value, rounded to the dtype; integers must be in range.
inline void set_element(void* data, aclDataType dtype, size_t index, long double value) {
  switch (dtype) {
    case ACL_FLOAT:
      return store_as(data, index, static_cast<float>(value));
    case ACL_DOUBLE:
      return store_as(data, index, static_cast<double>(value));
    case ACL_FLOAT16:
      return store_as(data, index, half_bits(value));
    case ACL_BF16:
      return store_as(data, index, bfloat_bits(value));
    case ACL_INT8:
      return store_as(data, index, static_cast<int8_t>(value));
    case ACL_INT16:
      return store_as(data, index, static_cast<int16_t>(value));
    case ACL_INT32:
      return store_as(data, index, static_cast<int32_t>(value));
    case ACL_INT64:
      return store_as(data, index, static_cast<int64_t>(value));
    case ACL_UINT8:
      return store_as(data, index, static_cast<uint8_t>(value));
    case ACL_UINT16:
      return store_as(data, index, static_cast<uint16_t>(value));
    case ACL_UINT32:
      return store_as(data, index, static_cast<uint32_t>(value));
    case ACL_UINT64:
      return store_as(data, index, static_cast<uint64_t>(value));
    case ACL_BOOL:
      return store_as(data, index, static_cast<uint8_t>(value != 0 ? 1 : 0));
    default:
      throw std::invalid_argument("dtype not writable by tests");
  }
}

// How far `actual`, a value of `dtype`, lies from the real number `expected`, in units of the last
// place there. 0 for equal infinities and for NaN against NaN; infinite where only one of the two
// is NaN or where infinity stands for a number that does not round to it. The long double limits
// what can be measured of DOUBLE results to about 1/2000 ulp.
inline double ulp_error(long double actual, long double expected, aclDataType dtype) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (std::isnan(actual) || std::isnan(expected)) {
    return std::isnan(actual) && std::isnan(expected) ? 0.0 : kFar;
  }
  if (actual == expected) return 0.0;
  if (std::isinf(actual)) return round_to(expected, dtype) == actual ? 0.0 : kFar;
  if (std::isinf(expected)) return kFar;
  return static_cast<double>(std::abs(actual - expected) / ulp_at(expected, dtype));
}

}  // namespace aclgrad::testing
