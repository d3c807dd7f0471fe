// SPDX-License-Identifier: Apache-2.0
// Products of whole numbers, which wrap: any order of addition gives the same.
#pragma once

#include "ops/matmul/matmul_kernel.h"

namespace aclgrad::ops {

struct WholeFactors {
  int64_t alpha = 1;
  int64_t beta = 0;  // of the problem's addend, where it has one
};

// As plan_matmul, with the factors of its own in the place of the problem's.
Plan plan_integer_product(const MatmulProblem& problem, const WholeFactors& factors = {});

// One of the two, by the dtype of a.
Plan plan_any_product(const MatmulProblem& problem, const WholeFactors& factors = {});

// The sum of the products of the elements of two vectors, into the only element of out: of real
// numbers in double, of integers in 64 bits.
Plan plan_dot(const Arguments& arguments, size_t self, size_t other, size_t out);

}  // namespace aclgrad::ops
