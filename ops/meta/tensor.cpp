// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/tensor.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "aclgrad_common/float16.h"

namespace aclgrad::ops {
namespace {

template <class T>
T read(const aclScalar& scalar, size_t position = 0) {
  T value;
  std::memcpy(&value, scalar.value + position * sizeof(T), sizeof(T));
  return value;
}

// Real types and how each reads itself; `integer` keeps 64-bit integers exact.
struct RealType {
  aclDataType dtype;
  double (*real)(const aclScalar&);
  int64_t (*integer)(const aclScalar&);
};

template <class T>
double real_of(const aclScalar& scalar) {
  return static_cast<double>(read<T>(scalar));
}
template <class T>
int64_t integer_of(const aclScalar& scalar) {
  return static_cast<int64_t>(read<T>(scalar));
}
double real_of_half(const aclScalar& scalar) {
  return common::float16_to_float(read<uint16_t>(scalar));
}
double real_of_bfloat16(const aclScalar& scalar) {
  return common::bfloat16_to_float(read<uint16_t>(scalar));
}
double real_of_bool(const aclScalar& scalar) { return read<uint8_t>(scalar) != 0 ? 1.0 : 0.0; }
int64_t integer_of_bool(const aclScalar& scalar) { return read<uint8_t>(scalar) != 0 ? 1 : 0; }

constexpr std::array kRealTypes = {
    RealType{ACL_FLOAT, real_of<float>, nullptr},
    RealType{ACL_DOUBLE, real_of<double>, nullptr},
    RealType{ACL_FLOAT16, real_of_half, nullptr},
    RealType{ACL_BF16, real_of_bfloat16, nullptr},
    RealType{ACL_INT8, real_of<int8_t>, integer_of<int8_t>},
    RealType{ACL_INT16, real_of<int16_t>, integer_of<int16_t>},
    RealType{ACL_INT32, real_of<int32_t>, integer_of<int32_t>},
    RealType{ACL_INT64, real_of<int64_t>, integer_of<int64_t>},
    RealType{ACL_UINT8, real_of<uint8_t>, integer_of<uint8_t>},
    RealType{ACL_UINT16, real_of<uint16_t>, integer_of<uint16_t>},
    RealType{ACL_UINT32, real_of<uint32_t>, integer_of<uint32_t>},
    RealType{ACL_UINT64, real_of<uint64_t>, integer_of<uint64_t>},
    RealType{ACL_BOOL, real_of_bool, integer_of_bool},
};

const RealType* find_real(aclDataType dtype) {
  for (const RealType& type : kRealTypes) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

int64_t truncate_to_int64(double value) {
  constexpr double kLimit = 0x1p63;
  if (std::isnan(value)) return 0;
  if (value >= kLimit) return std::numeric_limits<int64_t>::max();
  if (value < -kLimit) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

// Row-major without gaps; sizes of 1 are ignored.
bool is_dense(const Dims& shape, const Dims& strides) {
  if (count_elements(shape) <= 1) return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    // Sizes come from programs unchecked: a product that does not fit wraps, as the strides do.
    (void)__builtin_mul_overflow(expected, shape[i], &expected);
  }
  return true;
}

}  // namespace

bool is_private_format(aclFormat format) {
  constexpr std::array kPrivate = {
      ACL_FORMAT_NC1HWC0,          ACL_FORMAT_FRACTAL_Z,        ACL_FORMAT_NC1HWC0_C04,
      ACL_FORMAT_FRACTAL_NZ,       ACL_FORMAT_NDC1HWC0,         ACL_FRACTAL_Z_3D,
      ACL_FORMAT_FRACTAL_NZ_C0_16, ACL_FORMAT_FRACTAL_NZ_C0_32, ACL_FORMAT_FRACTAL_NZ_C0_2,
      ACL_FORMAT_FRACTAL_NZ_C0_4,  ACL_FORMAT_FRACTAL_NZ_C0_8,
  };
  return std::find(kPrivate.begin(), kPrivate.end(), format) != kPrivate.end();
}

bool is_contiguous(const aclTensor& tensor) {
  return is_private_format(tensor.format) || is_dense(tensor.view_shape, tensor.view_strides);
}

bool is_transposed(const aclTensor& tensor) {
  const size_t rank = tensor.view_shape.size();
  if (rank < 2) return false;
  Dims shape = tensor.view_shape, strides = tensor.view_strides;
  std::swap(shape[rank - 2], shape[rank - 1]);
  std::swap(strides[rank - 2], strides[rank - 1]);
  return is_dense(shape, strides);
}

bool is_empty(const aclTensor& tensor) {
  return std::find(tensor.view_shape.begin(), tensor.view_shape.end(), 0) !=
         tensor.view_shape.end();
}

}  // namespace aclgrad::ops

double aclScalar::to_double() const {
  const auto* type = aclgrad::ops::find_real(dtype);
  return type != nullptr ? type->real(*this) : 0.0;
}

int64_t aclScalar::to_int64() const {
  const auto* type = aclgrad::ops::find_real(dtype);
  if (type == nullptr) return 0;
  return type->integer != nullptr ? type->integer(*this)
                                  : aclgrad::ops::truncate_to_int64(type->real(*this));
}

std::complex<double> aclScalar::to_complex() const {
  if (dtype == ACL_COMPLEX64) {
    return {static_cast<double>(aclgrad::ops::read<float>(*this, 0)),
            static_cast<double>(aclgrad::ops::read<float>(*this, 1))};
  }
  if (dtype == ACL_COMPLEX128) {
    return {aclgrad::ops::read<double>(*this, 0), aclgrad::ops::read<double>(*this, 1)};
  }
  return {to_double(), 0.0};
}

bool aclScalar::to_bool() const {
  const auto* type = aclgrad::ops::find_real(dtype);
  if (type == nullptr) return false;
  if (type->integer != nullptr) return type->integer(*this) != 0;
  return std::fabs(type->real(*this)) >= static_cast<double>(std::numeric_limits<float>::epsilon());
}
