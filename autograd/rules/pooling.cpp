// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/pooling.h"

#include <algorithm>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/shape.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// Elements of planes, or of volumes, by their places, as indices of a pool give them.
Value elements_at(const Value& planes, const Value& indices, std::size_t axes) {
  const auto flat = [axes](const Value& value) {
    std::vector<std::int64_t> dims = value.shape().dims();
    for (std::size_t axis = 1; axis < axes; ++axis) {
      const std::int64_t size = dims.back();
      dims.pop_back();
      dims.back() *= size;
    }
    return reshape(value, Shape(dims));
  };
  return reshape(gather(flat(planes), -1, flat(indices)), indices.shape());
}

std::size_t axes_of(const auto& op) { return 2 + op.which(); }

// The gradient of maxima is linear in what arrives: its adjoint takes the elements at their places.
// Of x it takes the shape. Windows that step over all elements have no place, -1.
InputGradients taken_at_maxima(const RuleCall& call, std::size_t axes, bool dilates = false) {
  if (!call.needs(0)) return InputGradients(3);
  const Value& places = call.input(2);
  const Value taken = elements_at(call.gradient(), places, axes);
  return {dilates ? masked_fill(taken, lt(places, 0), 0) : taken, Value(), Value()};
}

}  // namespace

void add_pooling_rules(RuleTable& table) {
  table.add<MaxPoolOp>([](auto& op, Call call) {
    return max_pool_backward(call.gradient(), call.input(), call.output(1), op);
  });
  table.add<MaxPoolBackwardOp>([](auto& op, Call call) {
    const bool dilates = std::ranges::any_of(op.dilation, [](auto by) { return by > 1; });
    return taken_at_maxima(call, axes_of(op), dilates);
  });
  table.add<AdaptiveMaxPoolOp>([](auto& op, Call call) {
    return adaptive_max_pool_backward(call.gradient(), call.input(), call.output(1), op);
  });
  table.add<AdaptiveMaxPoolBackwardOp>(
      [](auto& op, Call call) { return taken_at_maxima(call, axes_of(op)); });
  table.add<MaxUnpool2dOp>(
      [](auto&, Call call) { return elements_at(call.gradient(), call.input(1), 2); });

  // The gradient of an average is linear, and its adjoint the average; of x it takes the shape.
  table.add<AvgPoolOp>(
      [](auto& op, Call call) { return avg_pool_backward(call.gradient(), call.input(), op); });
  table.add<AvgPoolBackwardOp>(
      [](auto& op, Call call) { return call.needs(0) ? avg_pool(call.gradient(), op) : Value(); });
  table.add<AdaptiveAvgPoolOp>([](auto& op, Call call) {
    return adaptive_avg_pool_backward(call.gradient(), call.input(), op);
  });
  table.add<AdaptiveAvgPoolBackwardOp>([](auto& op, Call call) {
    const auto adapted = op.which() == 1 ? adaptive_avg_pool3d : adaptive_avg_pool2d;
    return call.needs(0) ? adapted(call.gradient(), op.sizes) : Value();
  });
}

}  // namespace aclgrad::detail
