// SPDX-License-Identifier: Apache-2.0
// What the operators over matrices share: tensors whose last two dimensions are one, and those
// matrices in dense copies of doubles.
#pragma once

#include <vector>

#include "ops/engine/iterate.h"
#include "ops/linalg/dense_kernel.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {

inline constexpr DtypeSet kFloatAndDouble{ACL_FLOAT, ACL_DOUBLE};

// At least two dimensions, and at most 8.
Rules has_matrices(size_t tensor);
// Matrices of as many rows as columns.
Rule is_square(size_t tensor);

// The dimensions before the matrices.
Dims batch_of(const Dims& shape);
// With more behind them.
Dims with_sizes(Dims batch, std::initializer_list<int64_t> sizes);

// The matrices of a tensor that has some, or its single elements where it has numbers for them.
struct Matrices : Slices {
  int64_t rows = 1, columns = 1;

  Matrices() = default;
  Matrices(const Arguments& arguments, size_t tensor);

  DenseMatrix in(double* data) const { return {data, rows, columns}; }
  void read_matrix(const Run& run, int64_t number, double* data) const {
    read(run, 0, index.count(), data, starts.offset(number));
  }
  void write_matrix(const Run& run, int64_t number, const double* data) const {
    write(run, data, 0, index.count(), starts.offset(number));
  }
};

// Calls body(number, doubles) for `count` matrices, on threads, with room for so many doubles.
using MatrixBody = FunctionRef<void(int64_t number, double* doubles)>;
void for_each_matrix(int64_t count, int64_t doubles, MatrixBody body);

}  // namespace aclgrad::ops
