// SPDX-License-Identifier: Apache-2.0
// What was joined is cut, what was cut is joined or padded with zeros, what was repeated is summed.
// Through conversions, copies and views the gradient goes back the way that the values came.
#include "aclgrad/ops/shape.h"

#include "aclgrad/ops/random.h"
#include "aclgrad/ops/reduction.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// Zeros behind each element of a dimension, so that the elements are `step` apart.
Value spread_along(const Value& x, std::int64_t dim, std::int64_t step) {
  if (step == 1) return x;
  Dims dims = x.shape().dims();
  Dims spread = dims;
  spread[static_cast<std::size_t>(dim)] *= step;
  dims.insert(dims.begin() + dim + 1, 1);
  return reshape(pad_along(reshape(x, std::move(dims)), dim + 1, 0, step - 1), std::move(spread));
}

// Outputs that nothing came back to have zeros.
std::vector<Value> gradients_of(const RuleCall& call) {
  std::vector<Value> gradients;
  for (std::size_t k = 0; k < call.node().outputs.size(); ++k) {
    const Value& output = call.output(k);
    Graph graph = output.graph();
    gradients.push_back(call.has_gradient(k) ? call.gradient(k)
                                             : zeros(graph, output.shape(), output.dtype()));
  }
  return gradients;
}

template <class SplitOpType>
void add_split(RuleTable& table) {
  table.add<SplitOpType>([](const SplitOpType& op, const RuleCall& call) {
    return InputGradients{cat(gradients_of(call), op.dim)};
  });
}

}  // namespace

Value pad_along(const Value& x, std::int64_t dim, std::int64_t begin, std::int64_t end) {
  if (x.shape().numel() == 0) {  // aclnnConstantPadNd takes no empty tensor
    Dims dims = x.shape().dims();
    dims[static_cast<std::size_t>(x.shape().normalize_axis(dim))] += begin + end;
    return zeros_like(x, Shape(std::move(dims)));
  }
  Dims pads(2 * (x.shape().rank() - x.shape().normalize_axis(dim)), 0);
  pads[pads.size() - 2] = begin;
  pads[pads.size() - 1] = end;
  return pad(x, std::move(pads));
}

void add_shape_rules(RuleTable& table) {
  table.add<CatOp>([](const CatOp& op, const RuleCall& call) {
    InputGradients gradients(call.node().inputs.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const std::int64_t end = start + call.input(i).shape()[op.dim];
      if (call.needs(i)) gradients[i] = slice(call.gradient(), op.dim, start, end);
      start = end;
    }
    return gradients;
  });

  table.add<StackOp>([](const StackOp& op, const RuleCall& call) {
    InputGradients gradients(call.node().inputs.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!call.needs(i)) continue;
      const auto place = static_cast<std::int64_t>(i);
      gradients[i] =
          reshape(slice(call.gradient(), op.dim, place, place + 1), call.input(i).shape().dims());
    }
    return gradients;
  });

  table.add<SliceOp>([](const SliceOp& op, const RuleCall& call) {
    const Value spread = spread_along(call.gradient(), op.dim, op.step);
    const std::int64_t behind = call.input().shape()[op.dim] - op.start - spread.shape()[op.dim];
    return InputGradients{pad_along(spread, op.dim, op.start, behind)};
  });

  add_split<SplitOp>(table);
  add_split<SplitSizesOp>(table);

  table.add<PadOp>([](const PadOp& op, const RuleCall& call) {
    Dims pads = op.pads;
    for (std::int64_t& each : pads) each = -each;
    return InputGradients{pad(call.gradient(), std::move(pads))};
  });

  // Dimension by dimension: which copy, and where in it, as two.
  table.add<RepeatOp>([](const RepeatOp& op, const RuleCall& call) {
    Value gradient = call.gradient();
    const Dims dims = call.input().shape().dims();
    const std::size_t added = op.repeats.size() - dims.size();
    if (gradient.shape().numel() == 0) return InputGradients{zeros_for(call.input())};
    std::int64_t before = 1;
    for (std::size_t i = 0; i < op.repeats.size(); ++i) {
      if (op.repeats[i] != 1) {
        gradient = reduce_sum(reshape(gradient, {before, op.repeats[i], -1}), {1});
      }
      if (i >= added) before *= dims[i - added];
    }
    return InputGradients{reshape(gradient, dims)};
  });

  table.add<TrilOp>([](const TrilOp& op, const RuleCall& call) {
    return InputGradients{tril(call.gradient(), op.diagonal)};
  });
  table.add<TriuOp>([](const TriuOp& op, const RuleCall& call) {
    return InputGradients{triu(call.gradient(), op.diagonal)};
  });

  table.add<FlipOp>([](const FlipOp& op, const RuleCall& call) {
    return InputGradients{flip(call.gradient(), op.dims)};
  });
  table.add<RollOp>([](const RollOp& op, const RuleCall& call) {
    Dims back = op.shifts;
    for (std::int64_t& each : back) each = -each;
    return InputGradients{roll(call.gradient(), std::move(back), op.dims)};
  });

  // The engine casts a gradient to its value's dtype and sums what was expanded: nothing to do.
  table.add<CastOp>(
      [](const CastOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });
  table.add<ExpandOp>(
      [](const ExpandOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });
  table.add<CopyOp>(
      [](const CopyOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });

  table.add<ReshapeOp>([](const ReshapeOp&, const RuleCall& call) {
    return InputGradients{reshape(call.gradient(), call.input().shape().dims())};
  });

  table.add<PermuteOp>([](const PermuteOp& op, const RuleCall& call) {
    std::vector<std::int64_t> inverse(op.order.size());
    for (std::size_t i = 0; i < inverse.size(); ++i) {
      inverse[static_cast<std::size_t>(op.order[i])] = static_cast<std::int64_t>(i);
    }
    return InputGradients{permute(call.gradient(), std::move(inverse))};
  });
}

}  // namespace aclgrad::detail
