// SPDX-License-Identifier: Apache-2.0
// Products have the other factor, diagonals go back to theirs, and what solves equations solves
// those of the transposed matrix.
#include "aclgrad/ops/linalg.h"

#include <cmath>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

void add_products_of_vectors(RuleTable& table) {
  table.add<DotOp>([](auto&, Call call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? mul(g, call.input(1)) : Value(),
                          call.needs(1) ? mul(g, call.input(0)) : Value()};
  });

  table.add<MvOp>([](auto&, Call call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? outer(g, call.input(1)) : Value(),
                          call.needs(1) ? mv(transposed(call.input(0)), g) : Value()};
  });

  // By products that take factors of two dtypes.
  table.add<OuterOp>([](auto&, Call call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? matmul(g, call.input(1)) : Value(),
                          call.needs(1) ? matmul(transposed(g), call.input(0)) : Value()};
  });

  table.add_composed<AddmvOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = scaled(g, op.beta);
    if (call.needs(1)) gradients[1] = scaled(outer(g, call.input(2)), op.alpha);
    if (call.needs(2)) gradients[2] = scaled(mv(transposed(call.input(1)), g), op.alpha);
    return gradients;
  });

  table.add_composed<AddrOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = scaled(g, op.beta);
    if (call.needs(1)) gradients[1] = scaled(mv(g, call.input(2)), op.alpha);
    if (call.needs(2)) gradients[2] = scaled(mv(transposed(g), call.input(1)), op.alpha);
    return gradients;
  });

  table.add<CrossOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? cross(call.input(1), g, op.dim) : Value(),
                          call.needs(1) ? cross(g, call.input(0), op.dim) : Value()};
  });
}

void add_diagonals(RuleTable& table) {
  table.add<TraceOp>([](auto&, Call call) {
    const Value &g = call.gradient(), &x = call.input();
    const Value is_on = eye(x.graph(), x.shape()[0], x.shape()[1], DType::boolean);
    return where(is_on, g, zeros_for(g));
  });

  // A matrix may have more rows or columns than its diagonal is long.
  table.add<DiagOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    const Shape& shape = call.input().shape();
    if (shape.rank() == 1) return diag(g, op.diagonal);
    if (g.shape().numel() == 0) return zeros_for(call.input());
    const Value square = diag(g, op.diagonal);
    const std::int64_t rows = shape[0] - square.shape()[0], columns = shape[1] - square.shape()[1];
    return rows == 0 && columns == 0 ? square : pad(square, {0, columns, 0, rows});
  });
}

void add_equations(RuleTable& table) {
  // -y^T g y^T
  table.add<InverseOp>([](auto&, Call given) {
    const RuleCall call = given.in_float();
    const Value y = is_rounded(given) ? inverse(call.input()) : call.output();
    const Value turned = transposed(y);
    return mul(matmul(turned, matmul(call.gradient(), turned)), -1);
  });

  // Of the logarithm the transpose of the inverse. The sign is constant almost everywhere.
  table.add<SlogdetOp>([](auto&, Call call) {
    const Value& x = call.input();
    if (!call.has_gradient(1)) return zeros_for(x);
    Dims dims = call.gradient(1).shape().dims();
    dims.insert(dims.end(), {1, 1});
    return mul(reshape(call.gradient(1), std::move(dims)), transposed(inverse(x)));
  });

  // b has the solution h for the transposed matrix, and the matrix -h x^T, where it was read.
  table.add<SolveTriangularOp>([](auto& op, Call call) {
    const Value &a = call.input(1), &x = call.output(0);
    TriangularOptions other = op;
    other.transpose = !op.transpose;
    const Value h = solve_triangular(a, call.gradient(), other);
    if (!call.needs(1)) return InputGradients{h, Value()};
    const Value product = op.transpose ? matmul(x, transposed(h)) : matmul(h, transposed(x));
    const std::int64_t beside = op.unitriangular ? 1 : 0;
    const Value read = op.upper ? triu(product, beside) : tril(product, -beside);
    return InputGradients{h, mul(read, -1)};
  });

  // (dq + q s) r^-T, where s is symmetric and has the upper triangle of dr r^T - q^T dq.
  table.add<QrOp>([](auto&, Call call) {
    const Value &q = call.output(0), &r = call.output(1);
    if (r.shape()[-2] != r.shape()[-1]) call.no_gradient_for("a matrix of more columns than rows");
    Value inner;
    if (call.has_gradient(1)) inner = matmul(call.gradient(1), transposed(r));
    if (call.has_gradient(0)) {
      const Value of_q = matmul(transposed(q), call.gradient(0));
      inner = inner ? sub(inner, of_q) : mul(of_q, -1);
    }
    const Value above = triu(inner, 1);
    Value sum = matmul(q, add(triu(inner), transposed(above)));
    if (call.has_gradient(0)) sum = add(sum, call.gradient(0));
    return transposed(solve_triangular(r, transposed(sum), {.upper = true}));
  });
}

}  // namespace

void add_linalg_rules(RuleTable& table) {
  add_products_of_vectors(table);
  add_diagonals(table);
  add_equations(table);
}

}  // namespace aclgrad::detail
