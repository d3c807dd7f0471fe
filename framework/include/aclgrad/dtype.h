// SPDX-License-Identifier: Apache-2.0
// Element types. The numeric values are those of aclDataType, so a DType crosses the C interface by
// a cast; the library checks that at compile time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "aclgrad/tensor/float16.h"

namespace aclgrad {

enum class DType : std::int32_t {
  float32 = 0,
  float16 = 1,
  int8 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 6,
  int64 = 9,
  float64 = 11,
  boolean = 12,
  bfloat16 = 27,
};

/// Bytes of one element. Throws DTypeError for a value outside the enumeration, as do the others.
std::size_t size_of(DType dtype);

/// True for float64, float32, float16 and bfloat16.
bool is_floating(DType dtype);

/// "float32", "float16", "int8", "int32", "uint8", "int16", "int64", "float64", "bool", "bfloat16".
std::string to_string(DType dtype);

/// The inverse of to_string. Throws DTypeError that lists the known names.
DType dtype_from_string(std::string_view name);

std::ostream& operator<<(std::ostream& stream, DType dtype);

namespace detail {
template <class T>
struct DTypeOf;  // undefined for types that no tensor holds
template <DType kValue>
using DTypeConstant = std::integral_constant<DType, kValue>;
template <>
struct DTypeOf<float> : DTypeConstant<DType::float32> {};
template <>
struct DTypeOf<Half> : DTypeConstant<DType::float16> {};
template <>
struct DTypeOf<std::int8_t> : DTypeConstant<DType::int8> {};
template <>
struct DTypeOf<std::int32_t> : DTypeConstant<DType::int32> {};
template <>
struct DTypeOf<std::uint8_t> : DTypeConstant<DType::uint8> {};
template <>
struct DTypeOf<std::int16_t> : DTypeConstant<DType::int16> {};
template <>
struct DTypeOf<std::int64_t> : DTypeConstant<DType::int64> {};
template <>
struct DTypeOf<double> : DTypeConstant<DType::float64> {};
template <>
struct DTypeOf<bool> : DTypeConstant<DType::boolean> {};
template <>
struct DTypeOf<BFloat16> : DTypeConstant<DType::bfloat16> {};
}  // namespace detail

/// The element type that a C++ type stands for: kDTypeOf<float> is DType::float32.
template <class T>
inline constexpr DType kDTypeOf = detail::DTypeOf<std::remove_cv_t<T>>::value;

/// The common type of two types, by the operators' promotion rules.
DType promote(DType a, DType b);

}  // namespace aclgrad
