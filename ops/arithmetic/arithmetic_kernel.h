// SPDX-License-Identifier: Apache-2.0
// Sums and products of two operands, in the compute type that belongs to a dtype: integers and BOOL
// in 64 bits (they wrap when stored), complex numbers in double pairs, real numbers in double so
// that storing rounds the exact result once.
#pragma once

#include <complex>

#include "ops/engine/elementwise.h"
#include "ops/meta/tensor.h"

namespace aclgrad::ops {

// INT64 is the compute type, as of BOOL too.
bool computes_in_integers(aclDataType dtype);

// What a number becomes in a floating dtype.
double round_to_dtype(double value, aclDataType dtype);

// A scalar argument in each compute type; the kernel takes the one it computes in.
struct KernelScalar {
  double real = 0;
  int64_t integer = 0;
  std::complex<double> complex;

  // The scalar converted to `dtype`, as a tensor element of it would hold it.
  static KernelScalar of(const aclScalar& scalar, aclDataType dtype);
  KernelScalar operator-() const;
};

// result[i] = formula(in[0][i], ...) of so many inputs.
template <class T, size_t kInputs, class Formula>
BlockKernel<T> map_blocks(Formula formula) {
  return BlockKernel<T>([formula](const T* const* in, T* const* out, size_t count) {
    T* result = out[0];
    for (size_t i = 0; i < count; ++i) {
      if constexpr (kInputs == 1) {
        result[i] = formula(in[0][i]);
      } else if constexpr (kInputs == 2) {
        result[i] = formula(in[0][i], in[1][i]);
      } else {
        result[i] = formula(in[0][i], in[1][i], in[2][i]);
      }
    }
  });
}

// in[0] + factor * in[1]
Kernel scaled_sum(aclDataType dtype, const KernelScalar& factor);
// in[0] + factor * constant
Kernel scaled_sum(aclDataType dtype, const KernelScalar& factor, const KernelScalar& constant);
// in[0] * in[1]
Kernel product(aclDataType dtype);
// in[0] * constant
Kernel product(aclDataType dtype, const KernelScalar& constant);
// constant, without inputs
Kernel constant(aclDataType dtype, const KernelScalar& value);

}  // namespace aclgrad::ops
