// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck_numbers.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {
namespace {

struct Name {
  DType dtype;
  std::string_view name;
  std::vector<std::string_view> others;
};

const std::vector<Name>& names() {
  static const std::vector<Name> all = {
      {DType::float32, "float32", {"float", "f32", "fp32"}},
      {DType::float16, "float16", {"half", "f16", "fp16"}},
      {DType::bfloat16, "bfloat16", {"bf16"}},
      {DType::float64, "float64", {"double", "f64", "fp64"}},
      {DType::int8, "int8", {}},
      {DType::int16, "int16", {}},
      {DType::int32, "int32", {}},
      {DType::int64, "int64", {}},
      {DType::uint8, "uint8", {}},
      {DType::boolean, "bool", {}},
      {kUint16, "uint16", {}},
      {kUint32, "uint32", {}},
      {kUint64, "uint64", {}},
      {kComplex64, "complex64", {"c64"}},
      {kComplex128, "complex128", {"c128"}},
  };
  return all;
}

template <class T>
Number load_as(const std::byte* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return static_cast<Number>(value);
}

template <class T>
void store_as(std::byte* data, std::int64_t index, T value) {
  std::memcpy(data + static_cast<std::size_t>(index) * sizeof(T), &value, sizeof(T));
}

// A 16-bit pattern: sign, exponent, mantissa; the exponent's range decides between the formats.
Number from_bits(std::uint16_t bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const Number sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa == 0 ? sign * std::numeric_limits<Number>::infinity()
                         : std::numeric_limits<Number>::quiet_NaN();
  }
  const int implied = exponent == 0 ? 0 : 1 << mantissa_bits;
  return sign * std::ldexp(static_cast<Number>(mantissa + implied),
                           std::max(exponent, 1) - bias - mantissa_bits);
}

// Of a value that the format holds.
std::uint16_t to_bits(Number value, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned top = ((1u << exponent_bits) - 1) << mantissa_bits;
  if (std::isnan(value)) return static_cast<std::uint16_t>(top | (1u << (mantissa_bits - 1)));
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | top);
  const Number size = std::abs(value);
  if (size == 0) return static_cast<std::uint16_t>(sign);
  const int exponent = std::max(std::ilogb(size), 1 - bias);
  const auto mantissa = static_cast<unsigned>(std::ldexp(size, mantissa_bits - exponent));
  const unsigned normal = mantissa >> mantissa_bits;  // 0 for a subnormal number
  const unsigned field = normal == 0 ? 0 : static_cast<unsigned>(exponent + bias);
  return static_cast<std::uint16_t>(sign | field << mantissa_bits |
                                    (mantissa & ((1u << mantissa_bits) - 1)));
}

// Of the framework's types.
std::size_t size_of_real(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::int64:
      return 8;
    case DType::float32:
    case DType::int32:
      return 4;
    case DType::float16:
    case DType::bfloat16:
    case DType::int16:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

std::int64_t count_of(const Dims& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::string dims_text(const Dims& shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (const std::int64_t extent : shape) {
    if (!text.empty()) text += "x";
    text += std::to_string(extent);
  }
  return text;
}

bool is_float(DType dtype) {
  return dtype == DType::float64 || dtype == DType::float32 || dtype == DType::float16 ||
         dtype == DType::bfloat16;
}

bool is_complex(DType dtype) { return dtype == kComplex64 || dtype == kComplex128; }

DType part_of(DType dtype) {
  if (!is_complex(dtype)) return dtype;
  return dtype == kComplex64 ? DType::float32 : DType::float64;
}

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {11, -14, 15};
    case DType::bfloat16:
      return {8, -126, 127};
    case DType::float32:
      return {24, -126, 127};
    case DType::float64:
      return {53, -1022, 1023};
    default:
      throw DTypeError("not a floating type: " + std::string(short_name(dtype)));
  }
}

namespace {

struct Range {
  Number low;
  Number high;
};

Range range_of(DType dtype) {
  const bool is_unsigned =
      dtype == DType::uint8 || dtype == kUint16 || dtype == kUint32 || dtype == kUint64;
  const auto bits = static_cast<int>(8 * bytes_of(dtype));
  const Number high = std::ldexp(1.0L, is_unsigned ? bits : bits - 1) - 1;
  return {is_unsigned ? 0 : -high - 1, high};
}

}  // namespace

Number wrapped(Number x, DType dtype) {
  if (is_float(dtype) || is_complex(dtype) || dtype == DType::boolean) return x;
  const Range range = range_of(dtype);
  const Number span = range.high - range.low + 1;
  const Number turns = std::floor((x - range.low) / span);
  return x - turns * span;
}

Number ulp(Number x, DType dtype) {
  if (!std::isfinite(x)) return std::numeric_limits<Number>::infinity();
  const Format format = format_of(dtype);
  const int exponent =
      x == 0 ? format.lowest_exponent
             : std::clamp(std::ilogb(x), format.lowest_exponent, format.highest_exponent);
  return std::ldexp(1.0L, exponent - format.precision + 1);
}

Number round_to(Number x, DType dtype) {
  if (is_complex(dtype)) return round_to(x, part_of(dtype));
  if (!is_float(dtype)) {
    if (dtype == DType::boolean) return x != 0 ? 1 : 0;
    if (std::isnan(x)) return 0;
    const Range range = range_of(dtype);
    return std::clamp(std::trunc(x), range.low, range.high);
  }
  if (!std::isfinite(x) || x == 0) return x;
  const Number unit = ulp(x, dtype);
  const Number rounded = std::nearbyint(x / unit) * unit;
  const Number limit = std::ldexp(1.0L, format_of(dtype).highest_exponent + 1);
  return std::abs(rounded) >= limit ? std::copysign(std::numeric_limits<Number>::infinity(), x)
                                    : rounded;
}

Number next_above(Number x, DType dtype) {
  // Just below a power of two the numbers lie half as far apart.
  const Number below = x < 0 ? ulp(x / 2, dtype) : ulp(x, dtype);
  const Number near = x + below;
  return round_to(near, dtype) == near ? near : x + ulp(x, dtype);
}

Number load(const std::byte* data, DType dtype, std::int64_t index) {
  if (is_complex(dtype)) return load(data, part_of(dtype), 2 * index);
  if (dtype == kUint16) return load_as<std::uint16_t>(data, index);
  if (dtype == kUint32) return load_as<std::uint32_t>(data, index);
  if (dtype == kUint64) return load_as<std::uint64_t>(data, index);
  switch (dtype) {
    case DType::float32:
      return load_as<float>(data, index);
    case DType::float64:
      return load_as<double>(data, index);
    case DType::float16:
    case DType::bfloat16: {
      std::uint16_t bits;
      std::memcpy(&bits, data + 2 * index, sizeof(bits));
      return from_bits(bits, dtype == DType::float16 ? 10 : 7);
    }
    case DType::int8:
      return load_as<std::int8_t>(data, index);
    case DType::int16:
      return load_as<std::int16_t>(data, index);
    case DType::int32:
      return load_as<std::int32_t>(data, index);
    case DType::int64:
      return load_as<std::int64_t>(data, index);
    default:
      return load_as<std::uint8_t>(data, index);
  }
}

void store(std::byte* data, DType dtype, std::int64_t index, Number value) {
  if (is_complex(dtype)) {
    store(data, part_of(dtype), 2 * index, value);
    store(data, part_of(dtype), 2 * index + 1, 0);
    return;
  }
  const Number rounded = round_to(value, dtype);
  if (dtype == kUint16) return store_as(data, index, static_cast<std::uint16_t>(rounded));
  if (dtype == kUint32) return store_as(data, index, static_cast<std::uint32_t>(rounded));
  if (dtype == kUint64) return store_as(data, index, static_cast<std::uint64_t>(rounded));
  switch (dtype) {
    case DType::float32:
      return store_as(data, index, static_cast<float>(rounded));
    case DType::float64:
      return store_as(data, index, static_cast<double>(rounded));
    case DType::float16:
      return store_as(data, index, to_bits(rounded, 10));
    case DType::bfloat16:
      return store_as(data, index, to_bits(rounded, 7));
    case DType::int8:
      return store_as(data, index, static_cast<std::int8_t>(rounded));
    case DType::int16:
      return store_as(data, index, static_cast<std::int16_t>(rounded));
    case DType::int32:
      return store_as(data, index, static_cast<std::int32_t>(rounded));
    case DType::int64:
      return store_as(data, index, static_cast<std::int64_t>(rounded));
    default:
      return store_as(data, index, static_cast<std::uint8_t>(rounded));
  }
}

std::size_t bytes_of(DType dtype) {
  if (dtype == kComplex128) return 16;
  if (dtype == kComplex64 || dtype == kUint64) return 8;
  if (dtype == kUint32) return 4;
  if (dtype == kUint16) return 2;
  return size_of_real(dtype);
}

std::string_view short_name(DType dtype) {
  for (const Name& entry : names()) {
    if (entry.dtype == dtype) return entry.name;
  }
  return "another dtype";
}

DType dtype_from_text(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {  // by ASCII: a locale may have another small I
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  std::string known;
  for (const Name& entry : names()) {
    if (lower == entry.name) return entry.dtype;
    if (std::find(entry.others.begin(), entry.others.end(), lower) != entry.others.end()) {
      return entry.dtype;
    }
    if (!known.empty()) known += ", ";
    known += entry.name;
  }
  throw DTypeError("no dtype is called '" + std::string(text) + "'; known are " + known);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  // Splitmix64 (Steele, Lea, Flood 2014), keyed by the seed.
  std::uint64_t z = (seed * 0xD1342543DE82EF95u + index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double random_unit(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(random_bits(seed, index) >> 11) * 0x1p-53;
}

}  // namespace aclgrad::gradcheck
