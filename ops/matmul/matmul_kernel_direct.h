// SPDX-License-Identifier: Apache-2.0
// Products with a vector in them, in double with one order of addition. Also what every way to a
// product ends with.
#pragma once

#include "ops/matmul/matmul_kernel.h"

namespace aclgrad::ops {

// Sums are finished at most so many at a time.
inline constexpr int64_t kRowPiece = 256;

// Offset of the matrix that belongs to an index of the batch.
int64_t batch_offset(const MatmulProblem& problem, const MatrixView& view, int64_t index);

// Turns `count` sums of a row, from `column` on, into results and writes them: scales, adds the
// addend, rounds once. At most kRowPiece.
void finish_row(const MatmulProblem& problem, const Run& run, int64_t batch, int64_t row,
                int64_t column, double* sums, int64_t count);

// (a b)^T = b^T a^T: a vector on the right becomes one on the left.
MatmulProblem transposed(MatmulProblem problem);

bool is_small(const MatmulProblem& problem);
bool has_vector(const MatmulProblem& problem);

Plan plan_vector(const MatmulProblem& problem);
// Without a product to compute: zeros or the scaled addend.
Plan plan_addend_only(const MatmulProblem& problem);

}  // namespace aclgrad::ops
