// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/loss.h"

#include <algorithm>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// With an axis of extent 1 in front of the last `count`.
Value with_axis_before(const Value& x, std::ptrdiff_t count) {
  Dims dims = x.shape().dims();
  dims.insert(dims.end() - count, 1);
  return reshape(x, std::move(dims));
}

// Of a loss of a difference: the operator differentiates by the prediction, and by the target it is
// the negative.
InputGradients by_both(const Value& by_prediction, Call call) {
  return {by_prediction, call.needs(1) ? mul(by_prediction, -1) : Value()};
}

}  // namespace

void add_loss_rules(RuleTable& table) {
  table.add<MseLossOp>([](auto& op, Call call) {
    return by_both(mse_loss_backward(call.gradient(), call.input(0), call.input(1), op.reduction),
                   call);
  });
  table.add<L1LossOp>([](auto& op, Call call) {
    return by_both(l1_loss_backward(call.gradient(), call.input(0), call.input(1), op.reduction),
                   call);
  });
  table.add<SmoothL1LossOp>([](auto& op, Call call) {
    return by_both(smooth_l1_loss_backward(call.gradient(), call.input(0), call.input(1),
                                           op.reduction, op.beta),
                   call);
  });

  table.add<BceWithLogitsOp>([](auto& op, Call call) {
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

  table.add<BinaryCrossEntropyOp>([](auto& op, Call call) {
    if (call.needs(1)) call.no_gradient_for("the target");
    if (op.has_weight && call.needs(2)) call.no_gradient_for("the weights");
    InputGradients gradients(2 + std::size_t{op.has_weight});
    gradients[0] =
        binary_cross_entropy_backward(call.gradient(), call.input(0), call.input(1),
                                      {op.has_weight ? call.input(2) : Value(), op.reduction});
    return gradients;
  });

  table.add<SoftMarginLossOp>([](auto& op, Call call) {
    if (call.needs(1)) call.no_gradient_for("the target");
    return soft_margin_loss_backward(call.gradient(), call.input(0), call.input(1), op.reduction);
  });

  table.add<NllLossOp>([](auto& op, Call call) {
    if (call.needs(2)) call.no_gradient_for("the class weights");
    refuse_use(call, 1, "a use of the total weight");
    return nll_loss_backward(call.gradient(), call.input(0), call.input(1), call.input(2),
                             call.output(1), op.reduction, op.ignore_index);
  });

  table.add<CtcLossOp>([](auto& op, Call call) {
    refuse_use(call, 1, "a use of the alignments' probabilities");
    return ctc_loss_backward(call.gradient(), call.input(0), call.input(1), call.output(0),
                             call.output(1), op);
  });

  // A margin above 0, or NaN, counts -1 at its class of the row and 1 at the other.
  table.add_composed<MultilabelMarginLossOp>([](auto&, Call call) {
    refuse_use(call, 1, "a use of the classes' marks");
    const Value& x = call.input(0);
    const Value& target = call.input(1);
    const DType dtype = x.dtype();
    const Value is_over = gt(cumsum(cast(lt(target, 0.0), DType::int64), -1), 0.0);
    const Value places = masked_fill(target, is_over, 0);
    const Value margins =
        sub(with_axis_before(x, 1), with_axis_before(gather(x, -1, places), 0)) + 1;
    const Value others = with_axis_before(1 - call.output(1), 1);
    const Value all = mul(1 - cast(le(margins, 0.0), dtype), others);
    const Value counts = masked_fill(all, with_axis_before(is_over, 0), 0);
    const Value slopes =
        scatter_add(reduce_sum(counts, {-2}), -1, places, neg(reduce_sum(counts, {-1})));
    const auto classes = static_cast<double>(std::max<std::int64_t>(x.shape()[-1], 1));
    return mul(slopes, with_axis_before(call.gradient() / classes, 0));
  });
}

}  // namespace aclgrad::detail
