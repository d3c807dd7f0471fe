// SPDX-License-Identifier: Apache-2.0
// How tensor elements lie in memory, and their exact conversion to and from double.
//
// Everything here is branch-free and forced inline, so that the conversion loops vectorise and no
// copy compiled for one instruction set is ever called from code meant for another.
#ifndef ACLGRAD_OPS_ENGINE_DTYPE_FORMATS_H_
#define ACLGRAD_OPS_ENGINE_DTYPE_FORMATS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "acl/acl_base.h"

#define ACLGRAD_INLINE inline __attribute__((always_inline))

namespace aclgrad::ops {

// Element types of which C++ has none.
struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};
struct Bool8 {
  uint8_t byte;
};
template <class Part>
struct ComplexOf {
  Part real;
  Part imaginary;
};

// Users may hand in memory that is aligned to nothing.
template <class Stored>
struct __attribute__((packed, may_alias)) Cell {
  Stored value;
};

// ---- 16-bit floating formats --------------------------------------------------------------------

// The value of a binary16 pattern. Numbers below the normal range come out by subtracting the
// implied bit that the shifted pattern does not have.
ACLGRAD_INLINE double half_to_double(uint16_t bits) {
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7fff) << 13;
  const uint32_t exponent = magnitude & 0x0f800000u;
  const uint32_t normal = magnitude + 0x38000000u;
  const float subnormal = __builtin_bit_cast(float, magnitude + 0x38800000u) - 0x1p-14f;
  uint32_t value = exponent == 0 ? __builtin_bit_cast(uint32_t, subnormal) : normal;
  value = exponent == 0x0f800000u ? magnitude | 0x7f800000u : value;
  value |= static_cast<uint32_t>(bits & 0x8000) << 16;
  return static_cast<double>(__builtin_bit_cast(float, value));
}

ACLGRAD_INLINE double bfloat_to_double(uint16_t bits) {
  return static_cast<double>(__builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16));
}

// Rounds to nearest even, in one step from double, to a format of 16 bits with kMantissa stored
// mantissa bits: overflow goes to infinity, results below the normal range are rounded at their own
// last place, NaN stays NaN.
template <int kMantissa>
ACLGRAD_INLINE uint16_t round_to_16_bits(double value) {
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

ACLGRAD_INLINE uint16_t double_to_half(double value) { return round_to_16_bits<10>(value); }
ACLGRAD_INLINE uint16_t double_to_bfloat(double value) { return round_to_16_bits<7>(value); }

// ---- Integers -----------------------------------------------------------------------------------

// Towards zero, held to the type's range; NaN becomes 0.
template <class Integer>
ACLGRAD_INLINE Integer truncate_to(double value) {
  using Limits = std::numeric_limits<Integer>;
  if constexpr (sizeof(Integer) < 8) {
    // Both limits are exact in double, so a clamp does it.
    const double low = static_cast<double>(Limits::min());
    const double high = static_cast<double>(Limits::max());
    double held = value == value ? value : 0.0;
    held = held < low ? low : held;
    held = held > high ? high : held;
    return static_cast<Integer>(static_cast<int64_t>(held));
  } else {
    constexpr double kEnd = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
    if (value >= kEnd) return Limits::max();
    if (std::is_signed_v<Integer> ? value < -0x1p63 : value <= -1.0) return Limits::min();
    return value == value ? static_cast<Integer>(value) : Integer{0};
  }
}

// An integer as a double that rounds to a shorter format as the integer itself would: beyond 2^53
// the bits that a double cannot hold are gathered into its last one.
ACLGRAD_INLINE double integer_for_rounding(int64_t value) {
  const bool large = value >= (int64_t{1} << 53) || value <= -(int64_t{1} << 53);
  const int64_t sticky = (value & 0x7ff) != 0 ? 0x800 : 0;
  return static_cast<double>(large ? (value & ~int64_t{0x7ff}) | sticky : value);
}

// ---- One element --------------------------------------------------------------------------------

template <class Stored>
inline constexpr bool kIsComplex = false;
template <class Part>
inline constexpr bool kIsComplex<ComplexOf<Part>> = true;

template <class Stored>
ACLGRAD_INLINE double real_part(Stored stored) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return half_to_double(stored.bits);
  } else if constexpr (std::is_same_v<Stored, Bfloat>) {
    return bfloat_to_double(stored.bits);
  } else if constexpr (std::is_same_v<Stored, Bool8>) {
    return stored.byte != 0 ? 1.0 : 0.0;
  } else if constexpr (kIsComplex<Stored>) {
    return real_part(stored.real);
  } else {
    return static_cast<double>(stored);
  }
}

template <class Stored>
ACLGRAD_INLINE double imaginary_part(Stored stored) {
  if constexpr (kIsComplex<Stored>) {
    return real_part(stored.imaginary);
  } else {
    return 0.0;
  }
}

template <class Stored>
ACLGRAD_INLINE int64_t integer_part(Stored stored) {
  if constexpr (std::is_integral_v<Stored>) {
    return static_cast<int64_t>(stored);
  } else if constexpr (std::is_same_v<Stored, Bool8>) {
    return stored.byte != 0 ? 1 : 0;
  } else {
    return truncate_to<int64_t>(real_part(stored));
  }
}

template <class Stored>
ACLGRAD_INLINE Stored from_parts(double real, double imaginary) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return Half{double_to_half(real)};
  } else if constexpr (std::is_same_v<Stored, Bfloat>) {
    return Bfloat{double_to_bfloat(real)};
  } else if constexpr (std::is_same_v<Stored, Bool8>) {
    return Bool8{static_cast<uint8_t>(real != 0.0 || imaginary != 0.0 ? 1 : 0)};
  } else if constexpr (std::is_integral_v<Stored>) {
    return truncate_to<Stored>(real);
  } else if constexpr (std::is_floating_point_v<Stored>) {
    return static_cast<Stored>(real);
  } else {
    using Part = decltype(Stored::real);
    return Stored{from_parts<Part>(real, 0.0), from_parts<Part>(imaginary, 0.0)};
  }
}

template <class Stored>
ACLGRAD_INLINE Stored from_integer(int64_t value) {
  if constexpr (std::is_integral_v<Stored> || std::is_floating_point_v<Stored>) {
    return static_cast<Stored>(value);
  } else if constexpr (std::is_same_v<Stored, Bool8>) {
    return Bool8{static_cast<uint8_t>(value != 0 ? 1 : 0)};
  } else if constexpr (kIsComplex<Stored>) {
    return Stored{from_integer<decltype(Stored::real)>(value),
                  from_integer<decltype(Stored::imaginary)>(0)};
  } else {
    return from_parts<Stored>(integer_for_rounding(value), 0.0);
  }
}

// ---- By data type -------------------------------------------------------------------------------

// Names a type without having a value of it.
template <class T>
struct TypeTag {
  using type = T;
};

// Calls visit(TypeTag<Stored>{}) for the element type of `dtype`; false when tensors of that dtype
// have no values here.
template <class Visit>
ACLGRAD_INLINE bool visit_stored(aclDataType dtype, const Visit& visit) {
  switch (dtype) {
    case ACL_FLOAT:
      visit(TypeTag<float>{});
      return true;
    case ACL_FLOAT16:
      visit(TypeTag<Half>{});
      return true;
    case ACL_BF16:
      visit(TypeTag<Bfloat>{});
      return true;
    case ACL_DOUBLE:
      visit(TypeTag<double>{});
      return true;
    case ACL_INT8:
      visit(TypeTag<int8_t>{});
      return true;
    case ACL_INT16:
      visit(TypeTag<int16_t>{});
      return true;
    case ACL_INT32:
      visit(TypeTag<int32_t>{});
      return true;
    case ACL_INT64:
      visit(TypeTag<int64_t>{});
      return true;
    case ACL_UINT8:
      visit(TypeTag<uint8_t>{});
      return true;
    case ACL_UINT16:
      visit(TypeTag<uint16_t>{});
      return true;
    case ACL_UINT32:
      visit(TypeTag<uint32_t>{});
      return true;
    case ACL_UINT64:
      visit(TypeTag<uint64_t>{});
      return true;
    case ACL_BOOL:
      visit(TypeTag<Bool8>{});
      return true;
    case ACL_COMPLEX32:
      visit(TypeTag<ComplexOf<Half>>{});
      return true;
    case ACL_COMPLEX64:
      visit(TypeTag<ComplexOf<float>>{});
      return true;
    case ACL_COMPLEX128:
      visit(TypeTag<ComplexOf<double>>{});
      return true;
    default:
      return false;
  }
}

// The dtypes of stored kernels: every value is a float.
inline bool is_16bit_float(aclDataType dtype) {
  return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16;
}

// Bytes per element; 0 for a dtype that visit_stored does not know.
inline size_t element_size(aclDataType dtype) {
  size_t size = 0;
  visit_stored(dtype, [&](auto tag) { size = sizeof(typename decltype(tag)::type); });
  return size;
}

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_ENGINE_DTYPE_FORMATS_H_
