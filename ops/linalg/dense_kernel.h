// SPDX-License-Identifier: Apache-2.0
// Algorithms over single dense matrices of doubles, row-major, on the calling thread. Their inner
// loops go along rows. They are additions, multiplications, divisions and square roots alone, in
// one order: the same bits on every processor.
#pragma once

#include <cstdint>
#include <utility>

namespace aclgrad::ops {

struct DenseMatrix {
  double* data;
  int64_t rows, columns;

  double* row(int64_t i) const { return data + i * columns; }
  double& at(int64_t i, int64_t j) const { return data[i * columns + j]; }
};

// a becomes L and U of the LU decomposition with row exchanges (L has ones on its diagonal, which
// are not kept): row i of L U is row order[i] of a as it was. A NaN counts as the largest element
// of its column. The sign of the exchanges, or 0 where a column has zeros only, and a is singular:
// then elimination ends there.
int factor_lu(const DenseMatrix& a, int64_t* order);

// inverse = the inverse of what factor_lu() has made lu of.
void invert_lu(const DenseMatrix& lu, const int64_t* order, const DenseMatrix& inverse);

struct Triangle {
  bool upper;
  bool transposed;
  bool has_unit_diagonal;
};
// x, which is the right-hand side, becomes the solution of op(a) x = right-hand side.
void solve_triangular(const DenseMatrix& a, const Triangle& triangle, const DenseMatrix& x);

// a becomes R, and below its diagonal the reflections, of which `scales` has a factor each, for
// min(rows, columns) columns. `work` has room for rows + columns.
void factor_qr(const DenseMatrix& a, double* scales, double* work);

// q, of as many rows as a and at least min(rows, columns) columns, becomes the product of the
// reflections of factor_qr(): its first columns. `work` has room for rows + q's columns.
void form_q(const DenseMatrix& a, const double* scales, const DenseMatrix& q, double* work);

}  // namespace aclgrad::ops
