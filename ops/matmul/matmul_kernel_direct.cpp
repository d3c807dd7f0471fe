// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul_kernel_direct.h"

#include <algorithm>
#include <utility>

#include "ops/engine/dtype/cast.h"
#include "ops/engine/iterate.h"
#include "ops/engine/sums.h"

namespace aclgrad::ops {
namespace {

// Most multiplications of a product that is small.
constexpr int64_t kSmallWork = 4096;

constexpr int64_t kInnerPiece = kBlock;  // terms of a dot product that are read at a time

aclDataType through(const MatmulProblem& problem, const MatrixView& view) {
  return problem.round_to_float16 ? ACL_FLOAT16 : view.dtype;
}

// `count` elements from (row, column) on, along a row or a column of a matrix.
enum class Along { kRow, kColumn };
void load_line(const MatmulProblem& problem, const Run& run, const MatrixView& view, int64_t batch,
               int64_t row, int64_t column, Along direction, int64_t count, double* values) {
  const int64_t offset =
      batch_offset(problem, view, batch) + row * view.row_stride + column * view.column_stride;
  const int64_t stride = direction == Along::kRow ? view.column_stride : view.row_stride;
  for (int64_t i = 0; i < count; i += kInnerPiece) {
    load_through(element(run.data(view.parameter), view.dtype, offset + i * stride), view.dtype,
                 through(problem, view), stride, values + i,
                 static_cast<size_t>(std::min(kInnerPiece, count - i)));
  }
}

// The sums over terms [first, first + terms) of a vector times columns [column, column + count) of
// a matrix, in the order of tree_sum.h whichever way the matrix lies in memory.
void sum_products(const MatmulProblem& problem, const Run& run, int64_t batch, int64_t column,
                  int64_t count, int64_t first, const double* factors, int64_t terms,
                  double* sums) {
  const MatrixView& b = problem.b;
  const int64_t offset = batch_offset(problem, b, batch);
  const auto at = [&](int64_t j) {
    return element(run.data(b.parameter), b.dtype,
                   offset + first * b.row_stride + j * b.column_stride);
  };
  const bool as_native = through(problem, b) == b.dtype;
  const auto rows = static_cast<size_t>(terms);
  if (as_native && b.column_stride == 1) {
    sum_columns(at(column), b.dtype, b.row_stride, rows, static_cast<size_t>(count), sums, factors);
  } else if (as_native && b.row_stride == 1) {
    sum_lines(at(column), b.dtype, b.column_stride, static_cast<size_t>(count), rows, sums,
              factors);
  } else {
    alignas(64) double line[kSumChunk];
    for (int64_t j = 0; j < count; ++j) {
      load_line(problem, run, b, batch, first, column + j, Along::kColumn, terms, line);
      sum_lines(line, ACL_DOUBLE, 0, 1, rows, sums + j, factors);
    }
  }
}

void run_vector(const MatmulProblem& problem, const Run& run, int64_t batch, int64_t column,
                int64_t count) {
  alignas(64) double sums[kRowPiece];
  alignas(64) double factors[kSumChunk];
  for (int64_t first = 0; first < problem.k; first += kSumChunk) {
    const int64_t terms = std::min(kSumChunk, problem.k - first);
    load_line(problem, run, problem.a, batch, 0, first, Along::kRow, terms, factors);
    if (first == 0) {
      sum_products(problem, run, batch, column, count, first, factors, terms, sums);
      continue;
    }
    double more[kRowPiece];
    sum_products(problem, run, batch, column, count, first, factors, terms, more);
    for (int64_t j = 0; j < count; ++j) sums[j] += more[j];
  }
  finish_row(problem, run, batch, 0, column, sums, count);
}

void transpose(MatrixView& view) { std::swap(view.row_stride, view.column_stride); }

// A row of the output without any product in it.
void run_addend_only(const MatmulProblem& problem, const Run& run, int64_t row) {
  for (int64_t j = 0; j < problem.n; j += kRowPiece) {
    alignas(64) double sums[kRowPiece] = {};
    finish_row(problem, run, row / problem.m, row % problem.m, j, sums,
               std::min(kRowPiece, problem.n - j));
  }
}

}  // namespace

int64_t batch_offset(const MatmulProblem& problem, const MatrixView& view, int64_t index) {
  int64_t offset = 0;
  for (size_t d = problem.batch.size(); d-- > 0; index /= problem.batch[d]) {
    offset += index % problem.batch[d] * view.batch_strides[d];
  }
  return offset;
}

void finish_row(const MatmulProblem& problem, const Run& run, int64_t batch, int64_t row,
                int64_t column, double* sums, int64_t count) {
  const auto at = [&](const MatrixView& view) {
    const int64_t offset =
        batch_offset(problem, view, batch) + row * view.row_stride + column * view.column_stride;
    return element(run.data(view.parameter), view.dtype, offset);
  };
  const auto size = static_cast<size_t>(count);
  if (problem.alpha != 1) {
    for (size_t j = 0; j < size; ++j) sums[j] *= problem.alpha;
  }
  if (problem.addend) {
    alignas(64) double added[kRowPiece];
    load(at(*problem.addend), problem.addend->dtype, problem.addend->column_stride, added, size);
    for (size_t j = 0; j < size; ++j) sums[j] += problem.beta * added[j];
  }
  store(sums, at(problem.out), problem.out.dtype, problem.out.column_stride, size);
}

MatmulProblem transposed(MatmulProblem problem) {
  std::swap(problem.a, problem.b);
  std::swap(problem.m, problem.n);
  transpose(problem.a);
  transpose(problem.b);
  transpose(problem.out);
  if (problem.addend) transpose(*problem.addend);
  return problem;
}

bool is_small(const MatmulProblem& problem) {
  return saturating_product({problem.m, problem.n, problem.k}) <= kSmallWork;
}

bool has_vector(const MatmulProblem& problem) { return problem.m == 1 || problem.n == 1; }

Plan plan_vector(const MatmulProblem& original) {
  const MatmulProblem problem = original.m == 1 ? original : transposed(original);
  return {[problem](const Run& run) -> aclError {
    const int64_t pieces = (problem.n + kRowPiece - 1) / kRowPiece;
    parallel_pieces(count_elements(problem.batch) * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t column = i % pieces * kRowPiece;
        run_vector(problem, run, i / pieces, column, std::min(kRowPiece, problem.n - column));
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_addend_only(const MatmulProblem& original) {
  MatmulProblem problem = original;
  problem.alpha = 1;
  return {[problem](const Run& run) -> aclError {
    parallel_pieces(count_elements(problem.batch) * problem.m, 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_addend_only(problem, run, i);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
