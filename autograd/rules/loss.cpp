// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/loss.h"

#include "aclgrad/ops/arithmetic.h"
#include "rules/table.h"

namespace aclgrad::detail {

void add_loss_rules(RuleTable& table) {
  table.add<MseLossOp>([](const MseLossOp& op, const RuleCall& call) {
    // The operator differentiates by the prediction; by the target it is the negative.
    const Value g = mse_loss_backward(call.gradient(), call.input(0), call.input(1), op.reduction);
    return InputGradients{g, call.needs(1) ? mul(g, -1) : Value()};
  });

  table.add<L1LossOp>([](const L1LossOp& op, const RuleCall& call) {
    const Value g = l1_loss_backward(call.gradient(), call.input(0), call.input(1), op.reduction);
    return InputGradients{g, call.needs(1) ? mul(g, -1) : Value()};
  });

  table.add<SmoothL1LossOp>([](const SmoothL1LossOp& op, const RuleCall& call) {
    const Value g = smooth_l1_loss_backward(call.gradient(), call.input(0), call.input(1),
                                            op.reduction, op.beta);
    return InputGradients{g, call.needs(1) ? mul(g, -1) : Value()};
  });

  table.add<BceWithLogitsOp>([](const BceWithLogitsOp& op, const RuleCall& call) {
    if (call.needs(1)) call.no_gradient_for("the target");
    const std::size_t inputs = 2 + std::size_t{op.has_weight} + std::size_t{op.has_pos_weight};
    for (std::size_t i = 2; i < inputs; ++i) {
      if (call.needs(i)) call.no_gradient_for("the weights");
    }
    InputGradients gradients(inputs);
    gradients[0] = bce_with_logits_backward(
        call.gradient(), call.input(0), call.input(1),
        {op.has_weight ? call.input(2) : Value(),
         op.has_pos_weight ? call.input(op.has_weight ? 3 : 2) : Value(), op.reduction});
    return gradients;
  });

  table.add<BinaryCrossEntropyOp>([](const BinaryCrossEntropyOp& op, const RuleCall& call) {
    if (call.needs(1)) call.no_gradient_for("the target");
    if (op.has_weight && call.needs(2)) call.no_gradient_for("the weights");
    InputGradients gradients(2 + std::size_t{op.has_weight});
    gradients[0] =
        binary_cross_entropy_backward(call.gradient(), call.input(0), call.input(1),
                                      {op.has_weight ? call.input(2) : Value(), op.reduction});
    return gradients;
  });

  table.add<SoftMarginLossOp>([](const SoftMarginLossOp& op, const RuleCall& call) {
    if (call.needs(1)) call.no_gradient_for("the target");
    return InputGradients{
        soft_margin_loss_backward(call.gradient(), call.input(0), call.input(1), op.reduction),
        Value()};
  });

  table.add<NllLossOp>([](const NllLossOp& op, const RuleCall& call) {
    if (call.needs(2)) call.no_gradient_for("the class weights");
    if (call.has_gradient(1)) call.no_gradient_for("a use of the total weight");
    const Value g = nll_loss_backward(call.gradient(), call.input(0), call.input(1), call.input(2),
                                      call.output(1), op.reduction, op.ignore_index);
    return InputGradients{g, Value(), Value()};
  });
}

}  // namespace aclgrad::detail
