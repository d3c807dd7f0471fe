// SPDX-License-Identifier: Apache-2.0
// What was selected goes back to where it came from, and adds up there.
#include "aclgrad/ops/index.h"

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

std::optional<std::int64_t> row_or_none(std::int64_t row) {
  return row < 0 ? std::nullopt : std::optional(row);
}

// The elements that stand in front of an otherwise larger source, whose others had no part.
Value padded_to(const Value& taken, const Shape& source) {
  Value padded = taken;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(source.rank()); ++d) {
    const std::int64_t rest = source[d] - padded.shape()[d];
    if (rest > 0) padded = pad_along(padded, d, 0, rest);
  }
  return padded;
}

// The numbers 0, 1, ... of elements, in a shape.
Value numbers_of(const Graph& graph, const Shape& shape) {
  return reshape(arange(graph, 0, static_cast<double>(shape.numel()), 1, DType::int64),
                 shape.dims());
}

// g where its number is the one that was left of all that were put in a place, else 0.
Value of_the_last(const Value& g, const Value& left, const Value& numbers) {
  return masked_fill(g, ne(left, numbers), 0);
}

}  // namespace

Value gather_backward(const Value& g, const Value& x, std::int64_t dim, const Value& index) {
  return scatter_add(zeros_for(x), dim, index, g);
}

void add_index_rules(RuleTable& table) {
  table.add<IndexSelectOp>([](auto& op, Call call) {
    return index_add(zeros_for(call.input()), op.dim, call.input(1), call.gradient());
  });

  table.add<GatherOp>([](auto& op, Call call) {
    return gather_backward(call.gradient(), call.input(), op.dim, call.input(1));
  });

  table.add<IndexAddOp>([](auto& op, Call call) {
    InputGradients gradients(3);
    gradients[0] = call.gradient();
    if (call.needs(2)) {
      const Value taken = index_select(call.gradient(), op.dim, call.input(1));
      gradients[2] = op.alpha == 1 ? taken : mul(taken, op.alpha);
    }
    return gradients;
  });

  table.add<IndexCopyOp>([](auto& op, Call call) {
    const Value &g = call.gradient(), &index = call.input(1);
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = index_fill(g, op.dim, index, 0);
    if (!call.needs(2)) return gradients;
    const Value numbers = numbers_of(g.graph(), index.shape());
    const Value owners = index_copy(zeros_like(numbers, {g.shape()[op.dim]}), 0, index, numbers);
    Dims along(g.shape().rank(), 1);
    along[static_cast<std::size_t>(op.dim)] = index.shape().numel();
    gradients[2] =
        of_the_last(index_select(g, op.dim, index), reshape(index_select(owners, 0, index), along),
                    reshape(numbers, along));
    return gradients;
  });

  // What of source the index has no number for had no part.
  table.add<ScatterAddOp>([](auto& op, Call call) {
    InputGradients gradients(3);
    gradients[0] = call.gradient();
    if (call.needs(2)) {
      gradients[2] =
          padded_to(gather(call.gradient(), op.dim, call.input(1)), call.input(2).shape());
    }
    return gradients;
  });

  table.add<ScatterOp>([](auto& op, Call call) {
    const Value &g = call.gradient(), &index = call.input(1);
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = scatter(g, op.dim, index, 0.0);
    if (!call.needs(2)) return gradients;
    const Value numbers = numbers_of(g.graph(), index.shape());
    const Value owners = scatter(zeros_like(numbers, g.shape()), op.dim, index, numbers);
    const Value taken =
        of_the_last(gather(g, op.dim, index), gather(owners, op.dim, index), numbers);
    gradients[2] = padded_to(taken, call.input(2).shape());
    return gradients;
  });

  table.add<IndexOp>([](auto& op, Call call) {
    std::vector<Value> indices(static_cast<std::size_t>(op.dims.back()) + 1);
    for (std::size_t k = 0; k < op.dims.size(); ++k) {
      indices[static_cast<std::size_t>(op.dims[k])] = call.input(k + 1);
    }
    InputGradients gradients(op.dims.size() + 1);
    gradients[0] = index_put(zeros_for(call.input()), indices, call.gradient(), true);
    return gradients;
  });

  table.add<RepeatInterleaveIntOp>([](auto& op, Call call) {
    std::vector<std::int64_t> dims = call.input().shape().dims();
    dims.insert(dims.begin() + op.dim + 1, op.repeats);
    return reduce_sum(reshape(call.gradient(), dims), {op.dim + 1});
  });

  table.add<RepeatInterleaveOp>([](auto& op, Call call) {
    return repeat_interleave_grad(call.gradient(), call.input(1), call.input().shape()[op.dim],
                                  op.dim);
  });

  table.add<RepeatInterleaveGradOp>([](auto& op, Call call) {
    return repeat_interleave(call.gradient(), call.input(1), call.input().shape()[op.dim], op.dim);
  });

  // Every index has the gradient of its bag, or its share of that; one behind the last offset has
  // none, and finds the row of zeros behind all bags.
  table.add<EmbeddingBagOp>([](auto& op, Call call) {
    const Value& weight = call.input(0);
    const Value& indices = call.input(1);
    const auto column = [](const Value& x) { return reshape(x, {x.shape()[0], 1}); };
    InputGradients gradients(3 + std::size_t{op.has_weights});
    Value g = call.gradient();
    const Value sizes = column(call.output(2));
    if (op.mode == BagMode::max) {
      gradients[0] = zeros_for(weight);
      if (weight.shape()[0] == 0) return gradients;  // all bags are empty
      g = masked_fill(g, eq(sizes, 0.0), 0);
      gradients[0] = scatter_add(gradients[0], 0, call.output(3), g);
      return gradients;
    }
    if (op.mode == BagMode::mean) g = div(g, cast(clamp(sizes, {.min = 1}), g.dtype()));
    const Value rows = index_select(pad_along(g, 0, 0, 1), 0, call.output(1));
    // Padding, and what is in no bag, has no part, whatever its weights are.
    std::vector<Value> absent;
    if (op.has_weights) {
      absent.push_back(eq(call.output(1), static_cast<double>(g.shape()[0])));
    }
    if (op.padding_idx >= 0) {  // counted from either end
      for (const std::int64_t padding : {op.padding_idx, op.padding_idx - weight.shape()[0]}) {
        absent.push_back(eq(indices, static_cast<double>(padding)));
      }
    }
    const auto present = [&](Value x) {
      for (const Value& each : absent) x = masked_fill(x, column(each), 0);
      return x;
    };
    if (call.needs(0)) {
      const Value shares = op.has_weights ? mul(rows, column(call.input(3))) : rows;
      gradients[0] = index_add(zeros_for(weight), 0, indices, present(shares));
    }
    if (op.has_weights && call.needs(3)) {
      const Value products = mul(rows, index_select(weight, 0, indices));
      gradients[3] = reduce_sum(present(products), {1});
    }
    return gradients;
  });

  table.add<EmbeddingOp>([](auto& op, Call call) {
    return embedding_dense_backward(call.gradient(), call.input(1), call.input().shape()[0],
                                    row_or_none(op.padding_idx));
  });

  // Linear: every row of the gradient back to where it was added, but for the padding.
  table.add<EmbeddingDenseBackwardOp>([](auto& op, Call call) {
    Value sums = call.gradient();
    if (op.padding_idx >= 0) {
      Tensor padding = Tensor::zeros({op.rows, 1}, DType::boolean);
      padding.set(op.padding_idx, 1);
      sums = masked_fill(sums, sums.graph().constant(std::move(padding)), 0);
    }
    return embedding(sums, call.input(1));
  });
}

}  // namespace aclgrad::detail
