// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/pooling.h"

#include "rules/table.h"

namespace aclgrad::detail {

void add_pooling_rules(RuleTable& table) {
  table.add<MaxPool2dOp>([](const MaxPool2dOp& op, const RuleCall& call) {
    return InputGradients{max_pool2d_backward(call.gradient(), call.input(), call.output(1), op)};
  });
  table.add<AvgPool2dOp>([](const AvgPool2dOp& op, const RuleCall& call) {
    return InputGradients{avg_pool2d_backward(call.gradient(), call.input(), op)};
  });
  table.add<AdaptiveAvgPool2dOp>([](const AdaptiveAvgPool2dOp&, const RuleCall& call) {
    return InputGradients{adaptive_avg_pool2d_backward(call.gradient(), call.input())};
  });

  // The gradient of an average is linear, and its adjoint the average; of x it takes the shape.
  table.add<AvgPool2dBackwardOp>([](const AvgPool2dBackwardOp& op, const RuleCall& call) {
    const AvgPoolAttributes& attributes = op;
    return InputGradients{call.needs(0) ? avg_pool2d(call.gradient(), attributes) : Value(),
                          Value()};
  });
  table.add<AdaptiveAvgPool2dBackwardOp>(
      [](const AdaptiveAvgPool2dBackwardOp&, const RuleCall& call) {
        const auto& dims = call.input(0).shape().dims();
        const PerAxis size{dims[dims.size() - 2], dims.back()};
        return InputGradients{call.needs(0) ? adaptive_avg_pool2d(call.gradient(), size) : Value(),
                              Value()};
      });
}

}  // namespace aclgrad::detail
