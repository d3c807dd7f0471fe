// SPDX-License-Identifier: Apache-2.0
// Rows that the tests of additions, subtractions and multiplications run through.
#pragma once

#include <complex>
#include <cstring>

#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {

// Values of `reduction`.
inline constexpr int64_t kNone = 0, kMean = 1, kSum = 2;

// Inputs may be expanded, outputs not.
inline LayoutKind output_layout(LayoutKind input) {
  return repeats_elements(input) ? LayoutKind::kGaps : input;
}

struct IntegerType {
  aclDataType dtype;
  long double low, high;
  uint64_t (*wrap)(uint64_t value);  // what is left of a value in this type, sign-extended

  uint64_t exact(const Array& array, int64_t i) const {
    uint64_t bits = 0;
    const size_t size = aclDataTypeSize(dtype);
    std::memcpy(&bits, static_cast<const char*>(array.data()) + array.place(i) * size, size);
    return wrap(bits);
  }
};

template <class T>
IntegerType integer_type(aclDataType dtype) {
  using Limits = std::numeric_limits<T>;
  return {dtype, static_cast<long double>(Limits::min()), static_cast<long double>(Limits::max()),
          [](uint64_t value) {
            return static_cast<uint64_t>(static_cast<int64_t>(static_cast<T>(value)));
          }};
}

inline const std::vector<IntegerType> kIntegerTypes = {
    integer_type<int8_t>(ACL_INT8), integer_type<int16_t>(ACL_INT16),
    integer_type<int32_t>(ACL_INT32), integer_type<int64_t>(ACL_INT64),
    integer_type<uint8_t>(ACL_UINT8)};

// A contiguous array of COMPLEX64 or COMPLEX128.
struct ComplexArray {
  Array array;

  ComplexArray(aclDataType dtype, const Shape& shape) : array(dtype, shape) {}

  void set(const std::vector<std::complex<double>>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (array.dtype() == ACL_COMPLEX128) {
        store_as(array.data(), 2 * i, values[i].real());
        store_as(array.data(), 2 * i + 1, values[i].imag());
      } else {
        store_as(array.data(), 2 * i, static_cast<float>(values[i].real()));
        store_as(array.data(), 2 * i + 1, static_cast<float>(values[i].imag()));
      }
    }
  }
  std::complex<double> get(size_t i) const {
    if (array.dtype() == ACL_COMPLEX128) {
      return {load_as<double>(array.data(), 2 * i), load_as<double>(array.data(), 2 * i + 1)};
    }
    return {static_cast<double>(load_as<float>(array.data(), 2 * i)),
            static_cast<double>(load_as<float>(array.data(), 2 * i + 1))};
  }
};

}  // namespace aclgrad::testing
