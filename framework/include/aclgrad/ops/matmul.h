// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#pragma once

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// a @ b for ranks 1 to 6, floating: the last two axes multiply, the axes before them broadcast. A
/// vector on the left counts as one row, on the right as one column, and that axis is dropped.
Value matmul(Operand a, const Value& b);

/// beta c + alpha (a @ b) with a [m, k], b [k, n], and c of rank 1 or 2 that broadcasts to [m, n].
Value addmm(Operand c, const Value& a, const Value& b, double beta = 1, double alpha = 1);

/// a[i] @ b[i] for every i: a [n, p, k], b [n, k, q], floating; a batch of 1 serves every i.
Value bmm(Operand a, const Value& b);

/// beta c + alpha bmm(a, b), with c of rank 3 or less that broadcasts to the product; the batch of
/// b may be 1.
Value baddbmm(Operand c, const Value& a, const Value& b, double beta = 1, double alpha = 1);

/// x @ weight + bias. weight is [in, out], so that no transposed view is needed and the product
/// reads as it is written; bias is [out]. x of any rank from 1 with last extent `in` (ranks other
/// than 2 are reshaped around aclnnAddmm).
Value linear(Operand x, const Value& weight, const Value& bias);

// Computed in the inputs' dtype (cubeMathType 0).
struct MatmulAttributes {
  auto arguments() const { return named({""}, std::int64_t{0}); }
};
struct AddmmAttributes {
  double beta;
  double alpha;
  auto arguments() const { return named({"beta", "alpha", ""}, beta, alpha, std::int64_t{0}); }
  std::string text() const;
};

namespace calls {
extern const Declaration<MatmulAttributes> matmul, bmm;
extern const Declaration<AddmmAttributes> addmm, baddbmm;  // inputs c, a, b
}  // namespace calls

using MatmulOp = DeclaredOp<calls::matmul>;
using AddmmOp = DeclaredOp<calls::addmm>;
using BmmOp = DeclaredOp<calls::bmm>;
using BaddbmmOp = DeclaredOp<calls::baddbmm>;

}  // namespace aclgrad
