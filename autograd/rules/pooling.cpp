// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/pooling.h"

#include <algorithm>
#include <type_traits>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/shape.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

PerAxis last_sizes(const Value& x, std::ptrdiff_t axes) {
  const auto& dims = x.shape().dims();
  return std::vector<std::int64_t>(dims.end() - axes, dims.end());
}

// The gradient of an average is linear, and its adjoint the average; of x it takes the shape.
template <class OpType, class Average>
void add_adjoint(RuleTable& table, Average average) {
  table.add<OpType>([average](const OpType& op, const RuleCall& call) {
    return InputGradients{call.needs(0) ? average(op, call) : Value(), Value()};
  });
}

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

// The gradient of maxima is linear in what arrives: its adjoint takes the elements at their places.
// Of x it takes the shape. Windows that step over all elements have no place, -1.
template <class OpType>
void add_taking_of_maxima(RuleTable& table, std::size_t axes) {
  table.add<OpType>([axes](const OpType& op, const RuleCall& call) {
    InputGradients gradients(3);
    if (!call.needs(0)) return gradients;
    const Value& places = call.input(2);
    gradients[0] = elements_at(call.gradient(), places, axes);
    if constexpr (std::is_base_of_v<MaxPoolAttributes, OpType>) {
      const bool dilates = std::ranges::any_of(op.dilation, [](auto by) { return by > 1; });
      if (dilates) gradients[0] = masked_fill(gradients[0], lt(places, 0), 0);
    }
    return gradients;
  });
}

}  // namespace

void add_pooling_rules(RuleTable& table) {
  table.add<MaxPool2dOp>([](const MaxPool2dOp& op, const RuleCall& call) {
    return InputGradients{max_pool2d_backward(call.gradient(), call.input(), call.output(1), op)};
  });
  table.add<MaxPool3dOp>([](const MaxPool3dOp& op, const RuleCall& call) {
    return InputGradients{max_pool3d_backward(call.gradient(), call.input(), call.output(1), op)};
  });
  table.add<AdaptiveMaxPool2dOp>([](const AdaptiveMaxPool2dOp&, const RuleCall& call) {
    return InputGradients{
        adaptive_max_pool2d_backward(call.gradient(), call.input(), call.output(1))};
  });
  table.add<AdaptiveMaxPool3dOp>([](const AdaptiveMaxPool3dOp&, const RuleCall& call) {
    return InputGradients{
        adaptive_max_pool3d_backward(call.gradient(), call.input(), call.output(1))};
  });
  table.add<MaxUnpool2dOp>([](const MaxUnpool2dOp&, const RuleCall& call) {
    return InputGradients{elements_at(call.gradient(), call.input(1), 2), Value()};
  });

  add_taking_of_maxima<MaxPool2dBackwardOp>(table, 2);
  add_taking_of_maxima<MaxPool3dBackwardOp>(table, 3);
  add_taking_of_maxima<AdaptiveMaxPool2dBackwardOp>(table, 2);
  add_taking_of_maxima<AdaptiveMaxPool3dBackwardOp>(table, 3);

  table.add<AvgPool2dOp>([](const AvgPool2dOp& op, const RuleCall& call) {
    return InputGradients{avg_pool2d_backward(call.gradient(), call.input(), op)};
  });
  table.add<AvgPool3dOp>([](const AvgPool3dOp& op, const RuleCall& call) {
    return InputGradients{avg_pool3d_backward(call.gradient(), call.input(), op)};
  });
  table.add<AdaptiveAvgPool2dOp>([](const AdaptiveAvgPool2dOp&, const RuleCall& call) {
    return InputGradients{adaptive_avg_pool2d_backward(call.gradient(), call.input())};
  });
  table.add<AdaptiveAvgPool3dOp>([](const AdaptiveAvgPool3dOp&, const RuleCall& call) {
    return InputGradients{adaptive_avg_pool3d_backward(call.gradient(), call.input())};
  });

  add_adjoint<AvgPool2dBackwardOp>(table, [](const AvgPoolAttributes& op, const RuleCall& call) {
    return avg_pool2d(call.gradient(), op);
  });
  add_adjoint<AvgPool3dBackwardOp>(table, [](const AvgPoolAttributes& op, const RuleCall& call) {
    return avg_pool3d(call.gradient(), op);
  });
  add_adjoint<AdaptiveAvgPool2dBackwardOp>(table, [](const auto&, const RuleCall& call) {
    return adaptive_avg_pool2d(call.gradient(), last_sizes(call.input(0), 2));
  });
  add_adjoint<AdaptiveAvgPool3dBackwardOp>(table, [](const auto&, const RuleCall& call) {
    return adaptive_avg_pool3d(call.gradient(), last_sizes(call.input(0), 3));
  });
}

}  // namespace aclgrad::detail
