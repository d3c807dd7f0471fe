// SPDX-License-Identifier: Apache-2.0
// What the matrix products share: dtypes, the attribute cubeMathType, and tensors as matrices.
#pragma once

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/matmul/matmul_kernel.h"
#include "ops/meta/operator.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {

// cubeMathType is one of the documented values.
Rule cube_math_type_known(size_t attribute);
// The product's generation can multiply matrices a and b in that way: before A2, FLOAT is
// multiplied in less precision only.
Rule cube_math_type_fits(size_t attribute, size_t a, size_t b);

Rule rank_is(size_t tensor, size_t rank);
// The columns of matrix a are as many as the rows of matrix b.
Rule inner_sizes_match(size_t a, size_t b);

// The tensor has the shape of the product that is added to it, or broadcasts to it.
using ProductShape = Dims (*)(const Arguments& arguments);
Rule has_product_shape(size_t tensor, ProductShape product);
Rule broadcasts_to_product(size_t tensor, ProductShape product);

// A tensor of rank 2, seen as one matrix.
MatrixView matrix_view(const Arguments& arguments, size_t parameter);

// a @ b of two matrices; the dtype follows from theirs, rounding of the operands from cubeMathType.
MatmulProblem matrix_product(const Arguments& arguments, size_t a, size_t b, size_t out,
                             size_t cube_math_type);

// beta or alpha in the type of the computation.
double factor_of(const Arguments& arguments, size_t scalar, aclDataType dtype);
// Below the precision of FLOAT.
bool is_zero(double factor);

// Fills in what depends on the dtypes of a and b and on cubeMathType.
void set_product_dtype(const Arguments& arguments, size_t cube_math_type, MatmulProblem& problem);

}  // namespace aclgrad::ops
