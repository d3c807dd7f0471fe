// SPDX-License-Identifier: Apache-2.0
// Run-time dtype to compile-time C++ type, and the one place that converts single elements.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "aclgrad/dtype.h"
#include "aclgrad/error.h"
#include "aclgrad_common/float16.h"

namespace aclgrad::detail {

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls f(TypeTag<T>{}) with the C++ type T of the dtype and returns its result.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32:
      return f(TypeTag<float>{});
    case DType::float16:
      return f(TypeTag<Half>{});
    case DType::int8:
      return f(TypeTag<std::int8_t>{});
    case DType::int32:
      return f(TypeTag<std::int32_t>{});
    case DType::uint8:
      return f(TypeTag<std::uint8_t>{});
    case DType::int16:
      return f(TypeTag<std::int16_t>{});
    case DType::int64:
      return f(TypeTag<std::int64_t>{});
    case DType::float64:
      return f(TypeTag<double>{});
    case DType::boolean:
      return f(TypeTag<bool>{});
    case DType::bfloat16:
      return f(TypeTag<BFloat16>{});
  }
  throw DTypeError("unknown dtype number " + std::to_string(static_cast<int>(dtype)));
}

template <class T>
inline constexpr bool kIsSixteenBitFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Floating to integer: truncated, clamped, NaN to 0 (a bare cast would be undefined there).
template <class To>
To truncate_clamped(double value) {
  if (std::isnan(value)) return 0;
  // The upper limit of int64 is not a double; comparing with its successor is exact.
  constexpr double kBelow = static_cast<double>(std::numeric_limits<To>::min());
  const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
  if (value <= kBelow) return std::numeric_limits<To>::min();
  if (value >= above) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

/// One element from one type to another by the rules stated at class Tensor.
template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsSixteenBitFloat<From>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (kIsSixteenBitFloat<To> && std::is_integral_v<From>) {
    return To(common::integer_to_odd(value));
  } else if constexpr (kIsSixteenBitFloat<To>) {
    return To(static_cast<double>(value));
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    return truncate_clamped<To>(static_cast<double>(value));
  } else if constexpr (std::is_same_v<From, bool>) {
    return static_cast<To>(value);
  } else {
    if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  }
}

}  // namespace aclgrad::detail
