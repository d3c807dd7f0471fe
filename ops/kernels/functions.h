// SPDX-License-Identifier: Apache-2.0
// Elementwise functions at the level "bounded", and their gradients: FLOAT within 2 units in the
// last place, 3 for the product of a gradient and a function; 16-bit results are those rounded.
#ifndef ACLGRAD_OPS_KERNELS_FUNCTIONS_H_
#define ACLGRAD_OPS_KERNELS_FUNCTIONS_H_

#include <cstdint>

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

// One of the functions that functions.cpp lists, by its name there: "exp", "silu_backward". Names
// are hashed by the compiler; the first call throws std::logic_error for one that is not listed.
class Function {
 public:
  consteval Function(const char* name) {
    for (; *name != '\0'; ++name) id_ = (id_ ^ static_cast<uint64_t>(*name)) * 0x100000001b3;
  }
  constexpr operator uint64_t() const { return id_; }

 private:
  uint64_t id_ = 0xcbf29ce484222325;  // FNV-1a
};

// With parameters a and b. Where DOUBLE is computed, they count as they are, otherwise as FLOAT.
FloatKernel function_kernel(Function function, double a = 0, double b = 0);

// The same of complex numbers; those from exp to cos, sigmoid with its backward, and quotients.
ComplexKernel complex_function_kernel(Function function);
ComplexKernel complex_quotient_kernel(std::complex<double> divisor);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_FUNCTIONS_H_
