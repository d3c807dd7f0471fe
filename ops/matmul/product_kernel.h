// SPDX-License-Identifier: Apache-2.0
// A matrix product, or a part of its output, on the calling thread.
//
// Terms are added in pieces of kKc: within a piece they are one chain of fused
// multiply-adds (see product_tile-inl.h), and the pieces' sums are added in their order. That is
// all that an element's bits depend on: how the output is cut, how operands lie in memory and
// whether they are packed changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ops/matmul/matmul_kernel.h"

namespace aclgrad::ops {

inline constexpr int64_t kKc = 256;

// Columns of b that are packed side by side, two vectors of 64 bytes.
template <class T>
inline constexpr int64_t kPanel = 128 / sizeof(T);

// A matrix with its address; strides in elements. Elements are rounded to `through` first.
struct ProductOperand {
  const void* data;
  aclDataType dtype;
  aclDataType through;
  int64_t row_stride;
  int64_t column_stride;

  ProductOperand transposed() const {
    ProductOperand other = *this;
    std::swap(other.row_stride, other.column_stride);
    return other;
  }
};

// Rows [row, row + rows) and columns [column, column + columns) of one product of a batch.
struct ProductPart {
  const MatmulProblem& problem;
  const Run& run;
  int64_t batch;
  ProductOperand a, b;  // the whole matrices
  int64_t row, rows;
  int64_t column, columns;
};

// Whether so many rows of a read b where it lies, rather than a packed copy of so many columns.
bool reads_b_in_place(const ProductOperand& b, int64_t rows, int64_t columns);

// In double if the problem's dtype is DOUBLE, otherwise in float. No operand may overlap the
// output.
void multiply(const ProductPart& part);

// Turns sums into results: scales, adds the addend, rounds once. Rows of sums are `sums_row` apart.
void finish_sums(const ProductPart& part, int64_t row, int64_t rows, int64_t column,
                 int64_t columns, const float* sums, int64_t sums_row);

}  // namespace aclgrad::ops
