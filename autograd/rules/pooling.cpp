// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/pooling.h"

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

// Elements of planes by their places, as indices of max_unpool2d give them.
Value elements_at(const Value& planes, const Value& indices) {
  const auto flat = [](const Value& value) {
    std::vector<std::int64_t> dims = value.shape().dims();
    const std::int64_t width = dims.back();
    dims.pop_back();
    dims.back() *= width;
    return reshape(value, Shape(dims));
  };
  return reshape(gather(flat(planes), -1, flat(indices)), indices.shape());
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
    return InputGradients{elements_at(call.gradient(), call.input(1)), Value()};
  });

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
