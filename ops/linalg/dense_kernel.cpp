// SPDX-License-Identifier: Apache-2.0
#include "ops/linalg/dense_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace aclgrad::ops {
namespace {

// to -= factor * from
void subtract(double* to, const double* from, double factor, int64_t count) {
  for (int64_t j = 0; j < count; ++j) to[j] -= factor * from[j];
}
void divide(double* row, double by, int64_t count) {
  for (int64_t j = 0; j < count; ++j) row[j] /= by;
}

int64_t pivot_of(const DenseMatrix& a, int64_t column) {
  int64_t pivot = column;
  double largest = -1;
  for (int64_t i = column; i < a.rows; ++i) {
    const double size = std::abs(a.at(i, column));
    if (std::isnan(size)) return i;
    if (size > largest) {
      largest = size;
      pivot = i;
    }
  }
  return pivot;
}

// The length of a vector, scaled where squares leave the range of DOUBLE.
double length_of(const double* x, int64_t count) {
  constexpr double kLow = 0x1p-500, kHigh = 0x1p500;
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double size = std::abs(x[i]);
    if (std::isnan(size)) return size;
    largest = std::max(largest, size);
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  const double scale = largest < kLow || largest > kHigh ? largest : 1;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double part = x[i] / scale;
    sum += part * part;
  }
  return scale * std::sqrt(sum);
}

// Rows from `first` of m, columns from `column`, become (I - scale v v^T) times them; v has an
// element for each of the rows, `sums` room for the columns.
void reflect(const DenseMatrix& m, int64_t first, int64_t column, const double* v, double scale,
             double* sums) {
  const int64_t count = m.columns - column;
  if (scale == 0 || count <= 0) return;
  std::fill_n(sums, count, 0.0);
  for (int64_t i = first; i < m.rows; ++i) {
    subtract(sums, m.row(i) + column, -v[i - first], count);
  }
  for (int64_t i = first; i < m.rows; ++i) {
    subtract(m.row(i) + column, sums, scale * v[i - first], count);
  }
}

}  // namespace

int factor_lu(const DenseMatrix& a, int64_t* order) {
  const int64_t n = a.rows;
  std::iota(order, order + n, int64_t{0});
  int sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t pivot = pivot_of(a, k);
    if (a.at(pivot, k) == 0) return 0;
    if (pivot != k) {
      std::swap_ranges(a.row(k), a.row(k) + n, a.row(pivot));
      std::swap(order[k], order[pivot]);
      sign = -sign;
    }
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = a.at(i, k) / a.at(k, k);
      a.at(i, k) = factor;
      subtract(a.row(i) + k + 1, a.row(k) + k + 1, factor, n - k - 1);
    }
  }
  return sign;
}

void invert_lu(const DenseMatrix& lu, const int64_t* order, const DenseMatrix& inverse) {
  const int64_t n = lu.rows;
  std::fill_n(inverse.data, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) inverse.at(i, order[i]) = 1;
  solve_triangular(lu, {.upper = false, .transposed = false, .has_unit_diagonal = true}, inverse);
  solve_triangular(lu, {.upper = true, .transposed = false, .has_unit_diagonal = false}, inverse);
}

void solve_triangular(const DenseMatrix& a, const Triangle& triangle, const DenseMatrix& x) {
  const int64_t n = a.rows;
  const auto coefficient = [&](int64_t i, int64_t j) {
    return triangle.transposed ? a.at(j, i) : a.at(i, j);
  };
  // A transposed upper triangle is a lower one.
  const bool from_above = triangle.upper == triangle.transposed;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = from_above ? step : n - 1 - step;
    for (int64_t k = from_above ? 0 : i + 1; k < (from_above ? i : n); ++k) {
      subtract(x.row(i), x.row(k), coefficient(i, k), x.columns);
    }
    if (!triangle.has_unit_diagonal) divide(x.row(i), a.at(i, i), x.columns);
  }
}

void factor_qr(const DenseMatrix& a, double* scales, double* work) {
  double* const v = work;
  double* const sums = work + a.rows;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    const int64_t count = a.rows - k;
    for (int64_t i = 0; i < count; ++i) v[i] = a.at(k + i, k);
    scales[k] = 0;
    // As LAPACK: what has nothing below it is not reflected, whatever its sign is.
    if (length_of(v + 1, count - 1) == 0) continue;
    const double first = v[0];
    const double diagonal = -std::copysign(length_of(v, count), first);
    scales[k] = (diagonal - first) / diagonal;
    v[0] = 1;
    divide(v + 1, first - diagonal, count - 1);
    reflect(a, k, k + 1, v, scales[k], sums);
    a.at(k, k) = diagonal;
    for (int64_t i = 1; i < count; ++i) a.at(k + i, k) = v[i];
  }
}

void form_q(const DenseMatrix& a, const double* scales, const DenseMatrix& q, double* work) {
  double* const v = work;
  double* const sums = work + a.rows;
  std::fill_n(q.data, q.rows * q.columns, 0.0);
  for (int64_t i = 0; i < q.columns; ++i) q.at(i, i) = 1;
  for (int64_t k = std::min(a.rows, a.columns); k-- > 0;) {
    v[0] = 1;
    for (int64_t i = 1; i < a.rows - k; ++i) v[i] = a.at(k + i, k);
    reflect(q, k, k, v, scales[k], sums);
  }
}

}  // namespace aclgrad::ops
