// SPDX-License-Identifier: Apache-2.0
// Products of vectors, sums of products after Einstein, diagonals, and what solves equations. Of
// tensors of more dimensions the last two are the matrices. Negative axes count from the end. All
// of them have gradients.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/ops/matmul.h"

namespace aclgrad {

// ---- Products -----------------------------------------------------------------------------------

/// The sum of a[i] b[i], of vectors of one length and dtype.
Value dot(Operand a, const Value& b);

/// The product of a matrix [n, m] and a vector [m], of one dtype.
Value mv(Operand matrix, const Value& vector);

/// beta c + alpha mv(matrix, vector), of one dtype; c broadcasts to [n]. With a beta of 0 c does
/// not count, whatever it holds.
Value addmv(Operand c, const Value& matrix, const Value& vector, double beta = 1, double alpha = 1);

/// a[i] b[j] of two vectors, [n, m].
Value outer(Operand a, const Value& b);

/// beta c + alpha outer(a, b), of one dtype; c broadcasts to [n, m]. Of a beta of 0 as addmv.
Value addr(Operand c, const Value& a, const Value& b, double beta = 1, double alpha = 1);

/// beta c + alpha times the sum of a[i] @ b[i] for every i: a [n, p, k], b [n, k, q], floating; c
/// of rank 1 or 2 broadcasts to [p, q].
Value addbmm(Operand c, const Value& a, const Value& b, double beta = 1, double alpha = 1);

/// The product of all elements of a with those of b, in blocks of b's shape; the one of fewer
/// dimensions gets some of extent 1 in front.
Value kron(Operand a, const Value& b);

/// Sums of products of tensors whose dimensions the equation names by letters: "ij,jk->ik" is a
/// product of matrices. What stands behind the arrow are the result's dimensions; all others are
/// summed over. Without an arrow these are the letters that stand once, in the order of the
/// alphabet, capitals first. A letter that stands twice in one operand means its diagonal; "..."
/// are all dimensions that have no letter, which broadcast, as does an extent of 1. Operands are
/// multiplied from the left to the right, two at a time, sums by bmm() where the dtype is
/// floating. As torch.einsum.
Value einsum(std::string_view equation, Operands operands);

/// The sum of products over the last `dims` dimensions of a and the first of b.
Value tensordot(Operand a, const Value& b, std::int64_t dims = 2);
/// Over these of a and of b, which have the same extents, in this order.
Value tensordot(Operand a, const Value& b, std::vector<std::int64_t> dims_of_a,
                std::vector<std::int64_t> dims_of_b);

/// The cross products of vectors of three elements along dim, of the shape to which a and b
/// broadcast; as torch.linalg.cross.
Value cross(Operand a, const Value& b, std::int64_t dim = -1);

// ---- Diagonals ----------------------------------------------------------------------------------
// Diagonal 0 is the main one, positive ones lie above it, negative ones below.

/// The sum of a matrix's main diagonal, in its dtype.
Value trace(Operand x);

/// Of a vector the square matrix with it on a diagonal, and 0 elsewhere; of a matrix that diagonal.
Value diag(Operand x, std::int64_t diagonal = 0);

/// That diagonal of the dimensions dim1 and dim2, which go, as the last dimension. A view, as
/// slice().
Value diagonal(Operand x, std::int64_t offset = 0, std::int64_t dim1 = 0, std::int64_t dim2 = 1);

/// Square matrices in the last two dimensions with the last one of x on that diagonal, and 0
/// elsewhere.
Value diag_embed(Operand x, std::int64_t offset = 0);

// ---- Equations ----------------------------------------------------------------------------------

/// The inverse of each matrix [n, n]. x is floating; those of 16 bits are computed wide and rounded
/// once. A singular matrix fails the run.
Value inverse(Operand x);

/// What slogdet() computes.
struct SignAndLogarithm {
  Value sign;
  Value logabsdet;
};
/// The sign of each matrix's determinant, and the logarithm of its magnitude: 0 and -infinity of a
/// singular one, whose gradient fails the run. x is float32 or float64, of matrices [n, n] with n
/// above 0. The sign has a gradient of 0.
SignAndLogarithm slogdet(Operand x);

/// The determinant, made of slogdet(): sign e^logabsdet.
Value det(Operand x);

/// Which equations solve_triangular() solves.
struct TriangularOptions {
  bool upper = false;          ///< Which triangle of A is read.
  bool transpose = false;      ///< The equations have A's transpose.
  bool unitriangular = false;  ///< A's diagonal counts as 1 and is not read.
};
/// The X of A X = B, with A [.., n, n] and B [.., n, k] of one dtype, float32 or float64; the
/// dimensions before broadcast. A 0 on the diagonal gives infinities and NaN. As
/// torch.linalg.solve_triangular, with B's transpose for its left=False.
Value solve_triangular(Operand a, const Value& b, const TriangularOptions& options = {});

/// The factors of qr().
struct QAndR {
  Value q;
  Value r;
};
/// x = q r of each matrix [m, n], not empty: q [m, k] with orthonormal columns and r [k, n], an
/// upper triangle, where k = min(m, n); signs are LAPACK's. x is float32 or float64. There is a
/// gradient where m >= n.
QAndR qr(Operand x);

struct AddrAttributes : AddmmAttributes {
  auto arguments() const { return named({"beta", "alpha"}, beta, alpha); }
};
struct AddmvAttributes : AddmmAttributes {
  auto arguments() const { return named({"alpha", "beta", ""}, alpha, beta, std::int64_t{0}); }
};
struct MvAttributes {
  auto arguments() const { return named({""}, std::int64_t{0}); }  // cubeMathType: as it is
};
struct DiagonalAttributes {
  std::int64_t diagonal;
  auto arguments() const { return named({"diagonal"}, diagonal); }
};
struct TriangularAttributes : TriangularOptions {
  auto arguments() const {
    return named({"upper", "transpose", "unitriangular"}, upper, transpose, unitriangular);
  }
};
struct QrAttributes {
  auto arguments() const { return named({""}, std::int64_t{0}); }  // the reduced form
};

namespace calls {
extern const Declaration<> dot, outer, trace, inverse;
extern const Declaration<MvAttributes> mv;
extern const Declaration<AddmvAttributes> addmv;  // inputs c, matrix, vector
extern const Declaration<AddrAttributes> addr;    // inputs c, a, b
extern const Declaration<DimAttributes> cross;
extern const Declaration<DiagonalAttributes> diag;
extern const Declaration<> slogdet;  // outputs sign, logarithm
// Inputs B, A; outputs X, and a copy of A.
extern const Declaration<TriangularAttributes> solve_triangular;
extern const Declaration<QrAttributes> qr;  // outputs Q, R
}  // namespace calls

using DotOp = DeclaredOp<calls::dot>;
using MvOp = DeclaredOp<calls::mv>;
using AddmvOp = DeclaredOp<calls::addmv>;
using OuterOp = DeclaredOp<calls::outer>;
using AddrOp = DeclaredOp<calls::addr>;
using CrossOp = DeclaredOp<calls::cross>;
using TraceOp = DeclaredOp<calls::trace>;
using DiagOp = DeclaredOp<calls::diag>;
using InverseOp = DeclaredOp<calls::inverse>;
using SlogdetOp = DeclaredOp<calls::slogdet>;
using SolveTriangularOp = DeclaredOp<calls::solve_triangular>;
using QrOp = DeclaredOp<calls::qr>;

}  // namespace aclgrad
