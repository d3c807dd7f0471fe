// SPDX-License-Identifier: Apache-2.0
// What was joined is cut, what was repeated is summed. What was cut the engine puts in its place.
// Through conversions, copies and views the gradient goes back the way that the values came.
#include "aclgrad/ops/shape.h"

#include "aclgrad/ops/random.h"
#include "aclgrad/ops/reduction.h"
#include "rules/table.h"

namespace aclgrad::detail {

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
  table.add<CatOp>([](auto& op, Call call) {
    InputGradients gradients(call.node().inputs.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const std::int64_t end = start + call.input(i).shape()[op.dim];
      if (call.needs(i)) gradients[i] = slice(call.gradient(), op.dim, start, end);
      start = end;
    }
    return gradients;
  });

  table.add<StackOp>([](auto& op, Call call) {
    InputGradients gradients(call.node().inputs.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (!call.needs(i)) continue;
      const auto place = static_cast<std::int64_t>(i);
      gradients[i] =
          reshape(slice(call.gradient(), op.dim, place, place + 1), call.input(i).shape().dims());
    }
    return gradients;
  });

  table.add<SliceOp>([](auto&, Call call) { return call.gradient(); });

  table.add<PadOp>([](auto& op, Call call) {
    Dims pads = op.pads;
    for (std::int64_t& each : pads) each = -each;
    return pad(call.gradient(), std::move(pads));
  });

  // Dimension by dimension: which copy, and where in it, as two.
  table.add<RepeatOp>([](auto& op, Call call) {
    Value gradient = call.gradient();
    const Dims dims = call.input().shape().dims();
    const std::size_t added = op.repeats.size() - dims.size();
    if (gradient.shape().numel() == 0) return zeros_for(call.input());
    std::int64_t before = 1;
    for (std::size_t i = 0; i < op.repeats.size(); ++i) {
      if (op.repeats[i] != 1) {
        gradient = reduce_sum(reshape(gradient, {before, op.repeats[i], -1}), {1});
      }
      if (i >= added) before *= dims[i - added];
    }
    return reshape(gradient, dims);
  });

  table.add<TrilOp>([](auto& op, Call call) { return tril(call.gradient(), op.diagonal); });
  table.add<TriuOp>([](auto& op, Call call) { return triu(call.gradient(), op.diagonal); });

  table.add<FlipOp>([](auto& op, Call call) { return flip(call.gradient(), op.dims); });
  table.add<RollOp>([](auto& op, Call call) {
    Dims back = op.shifts;
    for (std::int64_t& each : back) each = -each;
    return roll(call.gradient(), std::move(back), op.dims);
  });

  // The engine casts a gradient to its value's dtype and sums what was expanded: nothing to do.
  table.add<CastOp>([](auto&, Call call) { return call.gradient(); });
  table.add<ExpandOp>([](auto&, Call call) { return call.gradient(); });
  table.add<CopyOp>([](auto&, Call call) { return call.gradient(); });

  table.add<ReshapeOp>(
      [](auto&, Call call) { return reshape(call.gradient(), call.input().shape().dims()); });

  table.add<PermuteOp>([](auto& op, Call call) {
    std::vector<std::int64_t> inverse(op.order.size());
    for (std::size_t i = 0; i < inverse.size(); ++i) {
      inverse[static_cast<std::size_t>(op.order[i])] = static_cast<std::int64_t>(i);
    }
    return permute(call.gradient(), std::move(inverse));
  });
}

}  // namespace aclgrad::detail
