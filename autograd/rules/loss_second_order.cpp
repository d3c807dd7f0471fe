// SPDX-License-Identifier: Apache-2.0
// Gradients of gradients of the losses.
#include <vector>

#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// Whether the total weight that a backward was given is that of the forward with the same targets
// and weights.
bool is_total_weight_of(const NllLossBackwardOp& op, const RuleCall& call) {
  const Node& node = call.input(4).node();
  const auto* const forward = dynamic_cast<const NllLossOp*>(node.op.get());
  return forward != nullptr && forward->ignore_index == op.ignore_index &&
         node.inputs[1] == call.input(2).id() && node.inputs[2] == call.input(3).id();
}

}  // namespace

void add_loss_second_order_rules(RuleTable& table) {
  // B = k g (x - t), k = 2, for the mean by the count of x; the engine sums what was broadcast.
  table.add_composed<MseLossBackwardOp>([](auto& op, Call call) {
    const Value& c = call.gradient();
    const Value& g = call.input(0);
    const Value& x = call.input(1);
    const Value& t = call.input(2);
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = mse_loss_backward(c, x, t, op.reduction);
    if (!call.needs(1) && !call.needs(2)) return gradients;
    const double count =
        op.reduction == Reduction::mean ? static_cast<double>(c.shape().numel()) : 1;
    const Value by_x = mul(mul(c, g), 2 / count);
    if (call.needs(1)) gradients[1] = by_x;
    if (call.needs(2)) gradients[2] = mul(by_x, -1);
    return gradients;
  });

  // B = g k (x - t) / (x (1 - x)), k the weight by the count: its slope is k (1 - d (1 - 2 x)) / (x
  // (1 - x)) with B = g k d.
  table.add_composed<BinaryCrossEntropyBackwardOp>([](const BinaryCrossEntropyBackwardOp& op,
                                                      const RuleCall& call) {
    if (call.needs(2)) call.no_gradient_for("the target");
    if (op.has_weight && call.needs(3)) call.no_gradient_for("the weights");
    const BinaryCrossEntropyOptions options{op.has_weight ? call.input(3) : Value(), op.reduction};
    const Value& c = call.gradient();
    const Value& x = call.input(1);
    InputGradients gradients(3 + std::size_t{op.has_weight});
    if (call.needs(0)) gradients[0] = binary_cross_entropy_backward(c, x, call.input(2), options);
    if (call.needs(1)) {
      const Value cg = mul(c, call.input(0));
      const Value flat = binary_cross_entropy_backward(cg, x, add(x, -1), options);
      const Value steep = binary_cross_entropy_backward(cg, x, call.input(2), options);
      gradients[1] = sub(flat, logit_backward(mul(steep, add(mul(x, -2), 1)), x));
    }
    return gradients;
  });

  // B = -g k t s(-t x), k of a mean.
  table.add_composed<SoftMarginLossBackwardOp>([](auto& op, Call call) {
    if (call.needs(2)) call.no_gradient_for("the target");
    const Value& c = call.gradient();
    const Value& x = call.input(1);
    const Value& t = call.input(2);
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = soft_margin_loss_backward(c, x, t, op.reduction);
    if (call.needs(1)) {
      const Value rest = mul(sigmoid(mul(t, x)), mul(t, -1));
      gradients[1] =
          mul(soft_margin_loss_backward(mul(c, call.input(0)), x, t, op.reduction), rest);
    }
    return gradients;
  });

  // B puts g, weighted, at the targets' places and 0 elsewhere. The loss of what arrived collects
  // it from there; the log-probabilities themselves do not matter.
  table.add<NllLossBackwardOp>([](auto& op, Call call) {
    if (call.needs(3)) call.no_gradient_for("the class weights");
    // The forward's total weight depends on nothing but the class weights.
    const bool is_of_forward = is_total_weight_of(op, call);
    if (call.needs(4) && !is_of_forward) call.no_gradient_for("the total weight");
    if (call.needs(0) && op.reduction == Reduction::mean && !is_of_forward) {
      call.no_gradient_for("the gradient of a mean, with a total weight that is not its own");
    }
    InputGradients gradients(5);
    if (call.needs(0)) {
      gradients[0] =
          nll_loss(call.gradient(), call.input(2), {call.input(3), op.ignore_index, op.reduction});
    }
    return gradients;
  });
}

}  // namespace aclgrad::detail
