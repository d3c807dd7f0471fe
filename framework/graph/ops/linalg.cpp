// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/linalg.h"

#include <algorithm>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_addr.h"
#include "aclnnop/aclnn_diag.h"
#include "aclnnop/aclnn_dot.h"
#include "aclnnop/aclnn_ger.h"
#include "aclnnop/aclnn_inverse.h"
#include "aclnnop/aclnn_linalg_cross.h"
#include "aclnnop/aclnn_linalg_qr.h"
#include "aclnnop/aclnn_mv.h"
#include "aclnnop/aclnn_slogdet.h"
#include "aclnnop/aclnn_trace.h"
#include "aclnnop/aclnn_triangular_solve.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

void require_numbers(const Recorder& record, DType dtype) {
  record.require_dtype(dtype != DType::boolean, "bool has no sums of products");
}

void require_vector(const Recorder& record, std::size_t input) {
  const Value& x = record.input(input);
  record.require_shape(x.shape().rank() == 1, "{} must have one dimension, got {}", x, x.shape());
}

// A matrix, input `at`, and the vector behind it, of one dtype. The extent of their product.
std::int64_t product_extent(const Recorder& record, std::size_t at) {
  const Value &matrix = record.input(at), &vector = record.input(at + 1);
  require_numbers(record, matrix.dtype());
  record.require_same_dtype(at, at + 1);
  const Shape &m = matrix.shape(), &v = vector.shape();
  record.require_shape(m.rank() == 2 && v.rank() == 1 && m[1] == v[0],
                       "expected a matrix and a vector as long as its rows, got {} and {}", m, v);
  return m[0];
}

// c, input 0, broadcasts to the product and has its dtype; beta and alpha are numbers of that.
TensorSpec sum_like(const Recorder& record, Shape product, double beta, double alpha) {
  const Value& c = record.input(0);
  record.require_same_dtype(0, 1);
  record.require_shape(expands_to(c.shape(), product), "{} with shape {} does not broadcast to {}",
                       c, c.shape(), product);
  record.require_holds(c.dtype(), beta, "beta");
  record.require_holds(c.dtype(), alpha, "alpha");
  return {std::move(product), c.dtype()};
}

Dims before_matrices(const Shape& shape) { return Dims(shape.begin(), shape.end() - 2); }

void require_square(const Recorder& record, std::size_t input) {
  const Shape& shape = record.input(input).shape();
  record.require_shape(shape.rank() >= 2 && shape[-1] == shape[-2],
                       "{} must have square matrices, got {}", record.input(input), shape);
}

// What is computed in float32 or float64 only.
void require_wide(const Recorder& record, std::size_t input) {
  const DType dtype = record.input(input).dtype();
  record.require_dtype(dtype == DType::float32 || dtype == DType::float64,
                       "{} must be float32 or float64, got {}", record.input(input), dtype);
}

// How long diagonal number `offset` of a matrix is.
std::int64_t diagonal_extent(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const std::int64_t below = offset < 0 ? std::max(rows + offset, std::int64_t{0}) : rows;
  const std::int64_t right = offset > 0 ? std::max(columns - offset, std::int64_t{0}) : columns;
  return std::min(below, right);
}

// Diagonals that no tensor has room for.
void require_diagonal(const Recorder& record, std::int64_t number) {
  record.require_value(std::abs(static_cast<double>(number)) <= detail::kMostSize,
                       "a diagonal number of {} is out of range", number);
}

}  // namespace

Value dot(Operand a, const Value& b) {
  Recorder record("dot", {a, b}, a.where);
  require_numbers(record, a.dtype());
  require_vector(record, 0);
  record.require_like(1, 0);
  return record.add<DotOp>({}, {Shape(), a.dtype()});
}

Value mv(Operand matrix, const Value& vector) {
  Recorder record("mv", {matrix, vector}, matrix.where);
  return record.add<MvOp>({}, {Shape{product_extent(record, 0)}, matrix.dtype()});
}

Value addmv(Operand c, const Value& matrix, const Value& vector, double beta, double alpha) {
  Recorder record("addmv", {c, matrix, vector}, c.where);
  Shape product{product_extent(record, 1)};
  return record.add<AddmvOp>({{beta, alpha}}, sum_like(record, std::move(product), beta, alpha));
}

Value outer(Operand a, const Value& b) {
  Recorder record("outer", {a, b}, a.where);
  for (const std::size_t input : {0, 1}) require_vector(record, input);
  return record.add<OuterOp>({},
                             {Shape{a.shape()[0], b.shape()[0]}, promote(a.dtype(), b.dtype())});
}

Value addr(Operand c, const Value& a, const Value& b, double beta, double alpha) {
  Recorder record("addr", {c, a, b}, c.where);
  for (const std::size_t input : {1, 2}) require_vector(record, input);
  record.require_same_dtype(2, 1);
  Shape product{a.shape()[0], b.shape()[0]};
  return record.add<AddrOp>({{beta, alpha}}, sum_like(record, std::move(product), beta, alpha));
}

Value addbmm(Operand c, const Value& a, const Value& b, double beta, double alpha) {
  const RecordScope scope(c);
  const Recorder record("addbmm", {c, a, b}, c.where);
  const Shape &x = a.shape(), &y = b.shape();
  record.require_shape(x.rank() == 3 && y.rank() == 3 && x[0] == y[0] && x[2] == y[1],
                       "expected as many products of matrices in both, got {} and {}", x, y);
  // The matrices side by side, and one below the other: one product.
  const Value row = reshape(permute(a, {1, 0, 2}), {x[1], x[0] * x[2]});
  return addmm(c, row, reshape(b, {y[0] * y[1], y[2]}), beta, alpha);
}

Value cross(Operand a, const Value& b, std::int64_t dim) {
  Recorder record("cross", {a, b}, a.where);
  const DType dtype = promote(a.dtype(), b.dtype());
  require_numbers(record, dtype);
  const Shape shape = record.broadcast(a.shape(), b.shape());
  record.require_shape(shape.rank() != 0, "a scalar is no vector");
  dim = record.axis(dim, shape.rank());
  const std::int64_t from_end = dim - static_cast<std::int64_t>(shape.rank());
  for (const Shape& each : {a.shape(), b.shape()}) {
    const bool is_there = static_cast<std::int64_t>(each.rank()) >= -from_end;
    record.require_shape(is_there && each[from_end] == 3,
                         "vectors have 3 elements along axis {}, got {}", dim, each);
  }
  return record.add<CrossOp>({dim}, {shape, dtype});
}

Value trace(Operand x) {
  Recorder record("trace", {x}, x.where);
  record.require_shape(x.shape().rank() == 2, "expected a matrix, got {}", x.shape());
  return record.add<TraceOp>({}, {Shape(), x.dtype()});
}

Value diag(Operand x, std::int64_t diagonal) {
  Recorder record("diag", {x}, x.where);
  const Shape& shape = x.shape();
  record.require_shape(shape.rank() == 1 || shape.rank() == 2,
                       "expected a vector or a matrix, got {}", shape);
  require_diagonal(record, diagonal);
  const std::int64_t extent = shape.rank() == 1 ? shape[0] + std::abs(diagonal)
                                                : diagonal_extent(shape[0], shape[1], diagonal);
  return record.add<DiagOp>({diagonal},
                            {shape.rank() == 1 ? Shape{extent, extent} : Shape{extent}, x.dtype()});
}

Value diagonal(Operand x, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  const RecordScope scope(x);
  const Recorder record("diagonal", {x}, x.where);
  const std::size_t rank = x.shape().rank();
  record.require_shape(rank >= 2, "expected matrices, got {}", x.shape());
  require_diagonal(record, offset);
  dim1 = record.axis(dim1, rank);
  dim2 = record.axis(dim2, rank);
  record.require_shape(dim1 != dim2, "a diagonal lies between two axes, both are {}", dim1);
  Dims order, dims;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis) {
    if (axis == dim1 || axis == dim2) continue;
    order.push_back(axis);
    dims.push_back(x.shape()[axis]);
  }
  order.insert(order.end(), {dim1, dim2});
  // In the order of rows its elements are as far from each other as a row is long, and one more.
  const std::int64_t rows = x.shape()[dim1], columns = x.shape()[dim2];
  const std::int64_t first = offset >= 0 ? offset : -offset * columns;
  const std::int64_t count = diagonal_extent(rows, columns, offset);
  dims.push_back(rows * columns);
  const Value lines = reshape(permute(x, std::move(order)), std::move(dims));
  if (count == 0) return slice(lines, -1, 0, 0);
  return slice(lines, -1, first, first + (count - 1) * (columns + 1) + 1, columns + 1);
}

Value diag_embed(Operand x, std::int64_t offset) {
  const RecordScope scope(x);
  const Recorder record("diag_embed", {x}, x.where);
  record.require_shape(x.shape().rank() >= 1, "a scalar is no diagonal");
  require_diagonal(record, offset);
  Dims dims = x.shape().dims();
  const std::int64_t extent = dims.back(), size = extent + std::abs(offset);
  Dims square = dims;
  square.back() = size;
  square.push_back(size);
  if (x.shape().numel() == 0) return zeros(x.graph(), Shape(std::move(square)), x.dtype(), x.where);
  // Behind each element come as many zeros as lead to the next one, in the row below.
  dims.push_back(1);
  Value lines = pad(reshape(x, dims), {0, extent});
  dims.pop_back();
  dims.back() = extent * (extent + 1);
  lines = slice(reshape(lines, dims), -1, 0, extent * extent);
  dims.back() = extent;
  dims.push_back(extent);
  const Value matrices = reshape(lines, std::move(dims));
  const std::int64_t above = std::max(offset, std::int64_t{0}), below = above - offset;
  return offset == 0 ? matrices : pad(matrices, {above, below, below, above});
}

Value inverse(Operand x) {
  Recorder record("inverse", {x}, x.where);
  record.require_floating(0);
  require_square(record, 0);
  return record.add<InverseOp>({}, record.like(0));
}

SignAndLogarithm slogdet(Operand x) {
  Recorder record("slogdet", {x}, x.where);
  require_wide(record, 0);
  require_square(record, 0);
  record.require_shape(x.shape()[-1] != 0, "matrices of {} have no elements", x.shape());
  const TensorSpec spec{Shape(before_matrices(x.shape())), x.dtype()};
  const auto results = record.add<SlogdetOp>({}, {spec, spec});
  return {results[0], results[1]};
}

Value det(Operand x) {
  const RecordScope scope(x);
  const auto [sign, logarithm] = slogdet(x);
  return mul(sign, exp(logarithm));
}

Value solve_triangular(Operand a, const Value& b, const TriangularOptions& options) {
  const RecordScope scope(a);
  const Recorder checks("solve_triangular", {b, a}, a.where);
  require_wide(checks, 1);
  checks.require_same_dtype(0, 1);
  require_square(checks, 1);
  checks.require_shape(b.shape().rank() >= 2 && b.shape()[-2] == a.shape()[-1],
                       "expected right-hand sides of {} rows, got {}", a.shape()[-1], b.shape());
  const Shape batch =
      checks.broadcast(Shape(before_matrices(a.shape())), Shape(before_matrices(b.shape())));
  const auto with_batch = [&](const Value& x) {
    Dims dims = batch.dims();
    dims.insert(dims.end(), {x.shape()[-2], x.shape()[-1]});
    return x.shape().dims() == dims ? x : expand(x, Shape(std::move(dims)));
  };
  const Value right = with_batch(b), left = with_batch(a);
  Recorder record("solve_triangular", {right, left}, a.where);
  return record.add<SolveTriangularOp>({options}, {record.like(0), record.like(1)})[0];
}

QAndR qr(Operand x) {
  Recorder record("qr", {x}, x.where);
  require_wide(record, 0);
  const Shape& shape = x.shape();
  record.require_shape(shape.rank() >= 2 && shape.numel() != 0,
                       "expected matrices with elements, got {}", shape);
  const std::int64_t least = std::min(shape[-2], shape[-1]);
  Dims q = shape.dims(), r = shape.dims();
  q.back() = least;
  r[r.size() - 2] = least;
  const auto results =
      record.add<QrOp>({}, {{Shape(std::move(q)), x.dtype()}, {Shape(std::move(r)), x.dtype()}});
  return {results[0], results[1]};
}

namespace calls {

const Declaration<> dot = {"dot", ACLGRAD_C(aclnnDot), separate};
const Declaration<MvAttributes> mv = {"mv", ACLGRAD_C(aclnnMv), separate};
const Declaration<AddmvAttributes> addmv = {"addmv", ACLGRAD_C(aclnnAddmv), separate};
const Declaration<> outer = {"outer", ACLGRAD_C(aclnnGer), separate};
const Declaration<AddrAttributes> addr = {"addr", ACLGRAD_C(aclnnAddr), separate};
const Declaration<DimAttributes> cross = {"cross", ACLGRAD_C(aclnnLinalgCross), separate};
const Declaration<> trace = {"trace", ACLGRAD_C(aclnnTrace), separate};
const Declaration<DiagonalAttributes> diag = {"diag", ACLGRAD_C(aclnnDiag), separate};
const Declaration<> inverse = {"inverse", ACLGRAD_C(aclnnInverse), separate};
const Declaration<> slogdet = {"slogdet", ACLGRAD_C(aclnnSlogdet), separate};
const Declaration<TriangularAttributes> solve_triangular = {
    "solve_triangular", ACLGRAD_C(aclnnTriangularSolve), separate};
const Declaration<QrAttributes> qr = {"qr", ACLGRAD_C(aclnnLinalgQr), separate};

}  // namespace calls
}  // namespace aclgrad
