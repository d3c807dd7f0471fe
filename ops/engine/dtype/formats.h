// SPDX-License-Identifier: Apache-2.0
// How tensor elements lie in memory, and their exact conversion to and from double; how numbers
// are rounded to 16 bits is in sixteen_bits.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "acl/acl_base.h"
#include "ops/engine/dtype/sixteen_bits.h"

namespace aclgrad::ops {

// Element types of which C++ has none.
struct Float16 {
  uint16_t bits;
};
struct Bfloat16 {
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

// An element in user memory, which may be unaligned.
template <class Element>
struct __attribute__((packed, may_alias)) Unaligned {
  Element value;
};

// ---- Integers -----------------------------------------------------------------------------------

// Towards zero, clamped to the type's range; NaN becomes 0.
template <class Integer>
ACLGRAD_INLINE Integer truncate_to(double value) {
  using Limits = std::numeric_limits<Integer>;
  if constexpr (sizeof(Integer) < 8) {
    // Both limits are exact in double, so a clamp does it.
    const double low = static_cast<double>(Limits::min());
    const double high = static_cast<double>(Limits::max());
    double clamped = value == value ? value : 0.0;
    clamped = clamped < low ? low : clamped;
    clamped = clamped > high ? high : clamped;
    return static_cast<Integer>(static_cast<int64_t>(clamped));
  } else {
    constexpr double kEnd = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
    if (value >= kEnd) return Limits::max();
    if (std::is_signed_v<Integer> ? value < -0x1p63 : value <= -1.0) return Limits::min();
    return value == value ? static_cast<Integer>(value) : Integer{0};
  }
}

// ---- One element --------------------------------------------------------------------------------

template <class Element>
inline constexpr bool kIsComplex = false;
template <class Part>
inline constexpr bool kIsComplex<ComplexOf<Part>> = true;

template <class Element>
ACLGRAD_INLINE double real_part(Element element) {
  if constexpr (std::is_same_v<Element, Float16>) {
    return float16_to_double(element.bits);
  } else if constexpr (std::is_same_v<Element, Bfloat16>) {
    return bfloat16_to_double(element.bits);
  } else if constexpr (std::is_same_v<Element, Bool8>) {
    return element.byte != 0 ? 1.0 : 0.0;
  } else if constexpr (kIsComplex<Element>) {
    return real_part(element.real);
  } else {
    return static_cast<double>(element);
  }
}

template <class Element>
ACLGRAD_INLINE double imaginary_part(Element element) {
  if constexpr (kIsComplex<Element>) {
    return real_part(element.imaginary);
  } else {
    return 0.0;
  }
}

template <class Element>
ACLGRAD_INLINE int64_t integer_part(Element element) {
  if constexpr (std::is_integral_v<Element>) {
    return static_cast<int64_t>(element);
  } else if constexpr (std::is_same_v<Element, Bool8>) {
    return element.byte != 0 ? 1 : 0;
  } else {
    return truncate_to<int64_t>(real_part(element));
  }
}

template <class Element>
ACLGRAD_INLINE Element from_parts(double real, double imaginary) {
  if constexpr (std::is_same_v<Element, Float16>) {
    return Float16{double_to_float16(real)};
  } else if constexpr (std::is_same_v<Element, Bfloat16>) {
    return Bfloat16{double_to_bfloat16(real)};
  } else if constexpr (std::is_same_v<Element, Bool8>) {
    return Bool8{static_cast<uint8_t>(real != 0.0 || imaginary != 0.0 ? 1 : 0)};
  } else if constexpr (std::is_integral_v<Element>) {
    return truncate_to<Element>(real);
  } else if constexpr (std::is_floating_point_v<Element>) {
    return static_cast<Element>(real);
  } else {
    using Part = decltype(Element::real);
    return Element{from_parts<Part>(real, 0.0), from_parts<Part>(imaginary, 0.0)};
  }
}

template <class Element>
ACLGRAD_INLINE Element from_integer(int64_t value) {
  if constexpr (std::is_integral_v<Element> || std::is_floating_point_v<Element>) {
    return static_cast<Element>(value);
  } else if constexpr (std::is_same_v<Element, Bool8>) {
    return Bool8{static_cast<uint8_t>(value != 0 ? 1 : 0)};
  } else if constexpr (kIsComplex<Element>) {
    return Element{from_integer<decltype(Element::real)>(value),
                   from_integer<decltype(Element::imaginary)>(0)};
  } else {
    return from_parts<Element>(integer_to_odd(value), 0.0);
  }
}

// ---- By data type -------------------------------------------------------------------------------

// Names a type without having a value of it.
template <class T>
struct TypeTag {
  using type = T;
};

// Calls visit(TypeTag<Element>{}) for the element type of `dtype`; false when tensors of that dtype
// have no values here.
template <class Visit>
ACLGRAD_INLINE bool visit_element_type(aclDataType dtype, const Visit& visit) {
  switch (dtype) {
    case ACL_FLOAT:
      visit(TypeTag<float>{});
      return true;
    case ACL_FLOAT16:
      visit(TypeTag<Float16>{});
      return true;
    case ACL_BF16:
      visit(TypeTag<Bfloat16>{});
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
      visit(TypeTag<ComplexOf<Float16>>{});
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

// FLOAT, FLOAT16 and BF16: every value is a float, and kernels may work on elements of the dtype
// itself.
inline bool has_native_kernel(aclDataType dtype) {
  return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16;
}

// Bytes per element; 0 for a dtype without an element type here.
inline size_t element_size(aclDataType dtype) {
  size_t size = 0;
  visit_element_type(dtype, [&](auto tag) { size = sizeof(typename decltype(tag)::type); });
  return size;
}

}  // namespace aclgrad::ops
