// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/arithmetic_kernel.h"

#include <cmath>

#include "ops/arithmetic/float_arithmetic_kernel.h"
#include "ops/engine/dtype/sixteen_bits.h"
#include "ops/engine/math/round_to_odd.h"
#include "ops/engine/tree_sum.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

using Complex = std::complex<double>;

// As wrapping_sum: unsigned arithmetic wraps where signed arithmetic would be undefined.
int64_t wrapping_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// A factor on the real axis must not mix the parts: infinity times 1 has no NaN in it.
Complex multiply(const Complex& a, const Complex& b) {
  return b.imag() == 0 ? a * b.real() : a * b;
}

template <class T>
BlockKernel<T> filled(T value) {
  return BlockKernel<T>(
      [value](const T* const*, T* const* out, size_t count) { std::fill_n(out[0], count, value); });
}

}  // namespace

bool computes_in_integers(aclDataType dtype) { return is_integer(dtype) || dtype == ACL_BOOL; }

double round_to_dtype(double value, aclDataType dtype) {
  alignas(8) unsigned char slot[8];
  store(&value, slot, dtype, 1, 1);
  load(slot, dtype, 1, &value, 1);
  return value;
}

KernelScalar KernelScalar::of(const aclScalar& scalar, aclDataType dtype) {
  KernelScalar number;
  number.complex = scalar.to_complex();
  if (dtype == ACL_BOOL) {
    number.integer = scalar.to_bool() ? 1 : 0;
  } else {
    // Through an element of the dtype, so that 300 becomes 44 in INT8 and 0.1 the nearest FLOAT.
    alignas(16) unsigned char slot[16];
    const int64_t integer = scalar.to_int64();
    const double real = scalar.to_double();
    if (computes_in_integers(dtype)) {
      is_floating(scalar.dtype) ? store(&real, slot, dtype, 1, 1)
                                : store(&integer, slot, dtype, 1, 1);
      load(slot, dtype, 1, &number.integer, 1);
    } else if (is_complex(dtype)) {
      store(&number.complex, slot, dtype, 1, 1);
      load(slot, dtype, 1, &number.complex, 1);
    } else {
      double value = real;
      if (scalar.dtype == ACL_INT64 && dtype != ACL_DOUBLE) value = integer_to_odd(integer);
      if (scalar.dtype == ACL_UINT64 && dtype != ACL_DOUBLE) {
        value = integer_to_odd(static_cast<uint64_t>(integer));
      }
      store(&value, slot, dtype, 1, 1);
      load(slot, dtype, 1, &number.real, 1);
    }
  }
  return number;
}

KernelScalar KernelScalar::operator-() const {
  return {-real, wrapping_multiply(integer, -1), -complex};
}

Kernel scaled_sum(aclDataType dtype, const KernelScalar& factor) {
  if (computes_in_integers(dtype)) {
    return map_blocks<int64_t, 2>([f = factor.integer](int64_t a, int64_t b) {
      return wrapping_sum<int64_t>(a, wrapping_multiply(f, b));
    });
  }
  if (is_complex(dtype)) {
    return map_blocks<Complex, 2>(
        [f = factor.complex](const Complex& a, const Complex& b) { return a + multiply(b, f); });
  }
  const double f = factor.real;
  if (dtype == ACL_DOUBLE) {
    return map_blocks<double, 2>([f](double a, double b) { return std::fma(f, b, a); });
  }
  RealKernel exact =
      map_blocks<double, 2>([f](double a, double b) { return add_to_odd(a, f * b); });
  NativeKernel native = native_sum(static_cast<float>(f), exact);
  return FloatKernel{std::move(exact), std::move(native)};
}

Kernel scaled_sum(aclDataType dtype, const KernelScalar& factor, const KernelScalar& constant) {
  if (computes_in_integers(dtype)) {
    const int64_t term = wrapping_multiply(factor.integer, constant.integer);
    return map_blocks<int64_t, 1>([term](int64_t a) { return wrapping_sum<int64_t>(a, term); });
  }
  if (is_complex(dtype)) {
    const Complex term = multiply(constant.complex, factor.complex);
    return map_blocks<Complex, 1>([term](const Complex& a) { return a + term; });
  }
  if (dtype == ACL_DOUBLE) {
    return map_blocks<double, 1>(
        [f = factor.real, c = constant.real](double a) { return std::fma(f, c, a); });
  }
  const double term = factor.real * constant.real;
  RealKernel exact = map_blocks<double, 1>([term](double a) { return add_to_odd(a, term); });
  NativeKernel native =
      native_sum_with(static_cast<float>(factor.real), static_cast<float>(constant.real), exact);
  return FloatKernel{std::move(exact), std::move(native)};
}

Kernel product(aclDataType dtype) {
  if (computes_in_integers(dtype)) return map_blocks<int64_t, 2>(wrapping_multiply);
  if (is_complex(dtype)) {
    return map_blocks<Complex, 2>([](const Complex& a, const Complex& b) { return a * b; });
  }
  RealKernel exact = map_blocks<double, 2>([](double a, double b) { return a * b; });
  NativeKernel native = native_product(exact);
  return FloatKernel{std::move(exact), std::move(native)};
}

Kernel product(aclDataType dtype, const KernelScalar& constant) {
  if (computes_in_integers(dtype)) {
    return map_blocks<int64_t, 1>(
        [c = constant.integer](int64_t a) { return wrapping_multiply(a, c); });
  }
  if (is_complex(dtype)) {
    return map_blocks<Complex, 1>(
        [c = constant.complex](const Complex& a) { return multiply(a, c); });
  }
  RealKernel exact = map_blocks<double, 1>([c = constant.real](double a) { return a * c; });
  NativeKernel native = native_product_with(static_cast<float>(constant.real), exact);
  return FloatKernel{std::move(exact), std::move(native)};
}

Kernel constant(aclDataType dtype, const KernelScalar& value) {
  if (computes_in_integers(dtype)) return filled<int64_t>(value.integer);
  if (is_complex(dtype)) return filled<Complex>(value.complex);
  return FloatKernel{filled<double>(value.real), native_constant(value.real)};
}

}  // namespace aclgrad::ops
