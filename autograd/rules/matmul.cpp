// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/matmul.h"

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "rules/table.h"

namespace aclgrad::detail {

Value transposed(const Value& matrices) { return transpose(matrices, -2, -1); }

namespace {

// All axes but the last as rows.
Value flattened(const Value& x) {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < x.shape().rank(); ++i) rows *= x.shape().dims()[i];
  return reshape(x, {rows, x.shape()[-1]});
}

// Inserts an axis of extent 1 so that it becomes the `from_end`th from the end (1: the last).
Value with_axis(const Value& x, std::ptrdiff_t from_end) {
  Dims dims = x.shape().dims();
  dims.insert(dims.end() - (from_end - 1), 1);
  return reshape(x, std::move(dims));
}

// Drops that axis.
Value without_axis(const Value& x, std::ptrdiff_t from_end) {
  Dims dims = x.shape().dims();
  dims.erase(dims.end() - from_end);
  return reshape(x, std::move(dims));
}

// A vector stood in for a row (left) or a column (right); the product lost that axis. The gradient
// gets it back, and so do the factors.
InputGradients matmul_gradients(const RuleCall& call) {
  const bool row = call.input(0).shape().rank() == 1;
  const bool column = call.input(1).shape().rank() == 1;
  const Value a = row ? reshape(call.input(0), {1, call.input(0).shape()[0]}) : call.input(0);
  const Value b = column ? reshape(call.input(1), {call.input(1).shape()[0], 1}) : call.input(1);
  Value g = call.gradient();
  if (column) g = with_axis(g, 1);
  if (row) g = with_axis(g, 2);

  Value da;
  if (call.needs(0)) {
    da = matmul(g, transposed(b));
    if (row) da = without_axis(da, 2);
  }
  Value db;
  if (call.needs(1)) {
    // Many matrices times one: one product over all rows, instead of many and a sum.
    const bool shared = a.shape().rank() > 2 && b.shape().rank() == 2;
    if (shared) {
      // A statement each: compilers choose in which order arguments, and their nodes, are made.
      const Value rows = transposed(flattened(a));
      db = matmul(rows, flattened(g));
    } else {
      db = matmul(transposed(a), g);
    }
    if (column) db = without_axis(db, 1);
  }
  return {da, db};
}

using X = const Value&;

// Of beta c + alpha a b.
template <class Product>
InputGradients addend_and_factors(const AddmmAttributes& op, const RuleCall& call,
                                  const Product& product) {
  const Value& g = call.gradient();
  return {call.needs(0) ? scaled(g, op.beta) : Value(),
          call.needs(1) ? scaled(product(g, transposed(call.input(2))), op.alpha) : Value(),
          call.needs(2) ? scaled(product(transposed(call.input(1)), g), op.alpha) : Value()};
}

}  // namespace

void add_matmul_rules(RuleTable& table) {
  table.add<MatmulOp>([](auto&, Call call) { return matmul_gradients(call); });

  table.add<BmmOp>([](auto&, Call call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? bmm(g, transposed(call.input(1))) : Value(),
                          call.needs(1) ? bmm(transposed(call.input(0)), g) : Value()};
  });

  table.add<AddmmOp>([](auto& op, Call call) {
    return addend_and_factors(op, call, [](X a, X b) { return matmul(a, b); });
  });
  table.add<BaddbmmOp>([](auto& op, Call call) {
    return addend_and_factors(op, call, [](X a, X b) { return bmm(a, b); });
  });
}

}  // namespace aclgrad::detail
