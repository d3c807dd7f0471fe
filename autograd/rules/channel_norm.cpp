// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/channel_norm.h"

#include "rules/table.h"

namespace aclgrad::detail {

void add_channel_norm_rules(RuleTable& table) {
  table.add<BatchNormOp>([](const BatchNormOp& op, const RuleCall& call) {
    for (std::size_t k = 1; k < call.node().outputs.size(); ++k) {
      if (call.has_gradient(k)) call.no_gradient_for("a use of the batch's or running statistics");
    }
    if (!op.training && (call.needs(3) || call.needs(4))) {
      call.no_gradient_for("the running statistics");
    }
    if (call.input(0).shape().numel() == 0) {  // the operator writes nothing then
      return InputGradients{zeros_for(call.input(0)), zeros_for(call.input(1)),
                            zeros_for(call.input(2)), Value(), Value()};
    }
    const Value mean = op.training ? call.output(1) : call.input(3);
    const Value spread = op.training ? call.output(2) : call.input(4);
    const auto [x, weight, bias] =
        batch_norm_backward(call.gradient(), call.input(0), mean, spread, call.input(1),
                            {op.training, op.eps, {call.needs(0), call.needs(1), call.needs(2)}});
    return InputGradients{x, weight, bias, Value(), Value()};
  });

  table.add<GroupNormOp>([](const GroupNormOp& op, const RuleCall& call) {
    if (call.has_gradient(1) || call.has_gradient(2)) {
      call.no_gradient_for("a use of mean or rstd");
    }
    const auto [x, weight, bias] = group_norm_backward(
        call.gradient(), call.input(0), call.output(1), call.output(2), call.input(1),
        {op.groups, {call.needs(0), call.needs(1), call.needs(2)}});
    return InputGradients{x, weight, bias};
  });
}

}  // namespace aclgrad::detail
