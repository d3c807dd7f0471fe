// SPDX-License-Identifier: Apache-2.0
// The activations: the gradient is the operator's own backward operator.
#include "aclgrad/ops/activations.h"

#include "aclgrad/ops/arithmetic.h"
#include "rules/table.h"

namespace aclgrad::detail {

void add_activation_rules(RuleTable& table) {
  table.add<SeluOp>([](const SeluOp&, const RuleCall& call) {
    return InputGradients{selu_backward(call.gradient(), call.output())};
  });

  table.add<EluOp>([](const EluOp& op, const RuleCall& call) {
    const bool from_result = op.backward_from == BackwardFrom::result;
    return InputGradients{elu_backward(call.gradient(), from_result ? call.output() : call.input(),
                                       op.alpha, op.scale, op.input_scale, op.backward_from)};
  });

  table.add<HardswishOp>([](const HardswishOp& op, const RuleCall& call) {
    return InputGradients{hardswish_backward(call.gradient(), call.input(), op.gradient)};
  });

  table.add<GeluOp>([](const GeluOp&, const RuleCall& call) {
    return InputGradients{gelu_backward(call.gradient(), call.input(), Approximate::tanh)};
  });

  table.add<GeluV2Op>([](const GeluV2Op& op, const RuleCall& call) {
    return InputGradients{gelu_v2_backward(call.gradient(), call.input(), op.approximate)};
  });

  table.add<GegluOp>([](const GegluOp& op, const RuleCall& call) {
    Value gradient;
    if (call.has_gradient(0)) {
      gradient = geglu_backward(call.gradient(), call.input(), call.output(1), op.dim,
                                op.approximate, op.activate_left);
    }
    if (call.has_gradient(1)) {  // from a gradient of the gradient
      const Value kept = geglu_kept_gradient(op, call);
      gradient = gradient ? add(gradient, kept) : kept;
    }
    return InputGradients{gradient};
  });
}

}  // namespace aclgrad::detail
