// SPDX-License-Identifier: Apache-2.0
// What was selected goes back to where it came from, and adds up there: all by
// embedding_dense_backward, of rows or of single elements.
#include "aclgrad/ops/index.h"

#include <algorithm>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/shape.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

std::optional<std::int64_t> row_or_none(std::int64_t row) {
  return row < 0 ? std::nullopt : std::optional(row);
}

// Numbers that count from the end as those from the front.
Value from_front(const Value& index, std::int64_t extent) {
  const Value whole = cast(index, DType::int64);
  return add(whole, cast(lt(whole, 0.0), DType::int64), static_cast<double>(extent));
}

// Where in x, counted over all its elements, each element of gather's result comes from.
Value flat_indices(const Value& x, std::int64_t dim, const Value& index) {
  const Dims& shape = index.shape().dims();
  const Dims strides = x.shape().strides();
  Tensor base = Tensor::zeros(index.shape(), DType::int64);
  Dims position(shape.size(), 0);
  for (std::int64_t i = 0; i < base.numel(); ++i) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (static_cast<std::int64_t>(d) != dim) place += position[d] * strides[d];
    }
    base.set(i, static_cast<double>(place));
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d]) break;
      position[d] = 0;
    }
  }
  const auto step = static_cast<double>(strides[static_cast<std::size_t>(dim)]);
  return add(mul(index, step), index.graph().constant(std::move(base)));
}

}  // namespace

Value gather_backward(const Value& g, const Value& x, std::int64_t dim, const Value& index) {
  const Value places = flat_indices(x, dim, index);
  const std::int64_t count = places.shape().numel();
  const Value sums =
      embedding_dense_backward(reshape(g, {count, 1}), reshape(places, {count}), x.shape().numel());
  return reshape(sums, x.shape().dims());
}

void add_index_rules(RuleTable& table) {
  table.add<IndexSelectOp>([](const IndexSelectOp& op, const RuleCall& call) {
    // With dim in front, every index has a row.
    const Value rows = transpose(call.gradient(), 0, op.dim);
    Dims dims = rows.shape().dims();
    const Shape& shape = call.input().shape();
    const std::int64_t count = shape[op.dim];
    const Value flat = reshape(rows, {dims[0], shape.numel() / std::max<std::int64_t>(count, 1)});
    dims[0] = count;
    const Value sums = embedding_dense_backward(flat, from_front(call.input(1), count), count);
    return InputGradients{transpose(reshape(sums, std::move(dims)), 0, op.dim), Value()};
  });

  table.add<GatherOp>([](const GatherOp& op, const RuleCall& call) {
    const Value& x = call.input();
    const Value index = from_front(call.input(1), x.shape()[op.dim]);
    return InputGradients{gather_backward(call.gradient(), x, op.dim, index), Value()};
  });

  table.add<EmbeddingOp>([](const EmbeddingOp& op, const RuleCall& call) {
    return InputGradients{
        embedding_dense_backward(call.gradient(), call.input(1), call.input().shape()[0],
                                 row_or_none(op.padding_idx)),
        Value()};
  });

  // Linear: every row of the gradient back to where it was added, but for the padding.
  table.add<EmbeddingDenseBackwardOp>([](const EmbeddingDenseBackwardOp& op, const RuleCall& call) {
    Value sums = call.gradient();
    if (op.padding_idx >= 0) {
      Tensor kept = Tensor::full({op.rows, 1}, 1, sums.dtype());
      kept.set(op.padding_idx, 0);
      sums = mul(sums, sums.graph().constant(std::move(kept)));
    }
    return InputGradients{embedding(sums, call.input(1)), Value()};
  });
}

}  // namespace aclgrad::detail
