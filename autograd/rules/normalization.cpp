// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/normalization.h"

#include "aclgrad/ops.h"
#include "aclgrad/ops/sync_batch_norm.h"
#include "rules/table.h"

namespace aclgrad::detail {

void add_normalization_rules(RuleTable& table) {
  table.add<SoftmaxOp>([](const SoftmaxOp& op, const RuleCall& call) {
    return InputGradients{softmax_backward(call.gradient(), call.output(), op.dim)};
  });

  // B = y (g - sum(g y)) along dim.
  table.add_composed<SoftmaxBackwardOp>([](const SoftmaxBackwardOp& op, const RuleCall& call) {
    const Value& c = call.gradient();
    const Value& g = call.input(0);
    const Value& y = call.input(1);
    InputGradients gradients(2);
    if (call.needs(0)) gradients[0] = softmax_backward(c, y, op.dim);
    if (call.needs(1)) {
      const auto along = [&](const Value& v) { return reduce_sum(mul(v, y), {op.dim}, true); };
      gradients[1] = sub(mul(c, sub(g, along(g))), mul(g, along(c)));
    }
    return gradients;
  });

  table.add<LogSoftmaxOp>([](const LogSoftmaxOp& op, const RuleCall& call) {
    return InputGradients{log_softmax_backward(call.gradient(), call.output(), op.dim)};
  });

  // B = g - e^y sum(g) along dim.
  table.add_composed<LogSoftmaxBackwardOp>(
      [](const LogSoftmaxBackwardOp& op, const RuleCall& call) {
        const Value& c = call.gradient();
        const Value& g = call.input(0);
        const Value& y = call.input(1);
        const Value share = mul(c, exp(y));
        InputGradients gradients(2);
        if (call.needs(0)) gradients[0] = sub(c, reduce_sum(share, {op.dim}, true));
        if (call.needs(1)) gradients[1] = mul(mul(share, reduce_sum(g, {op.dim}, true)), -1);
        return gradients;
      });

  table.add<LayerNormOp>([](const LayerNormOp&, const RuleCall& call) {
    if (call.has_gradient(1) || call.has_gradient(2)) {
      call.no_gradient_for("a use of mean or rstd");
    }
    const auto [x, weight, bias] =
        layer_norm_backward(call.gradient(), call.input(0), call.output(1), call.output(2),
                            call.input(1), {call.needs(0), call.needs(1), call.needs(2)});
    return InputGradients{x, weight, bias};
  });

  table.add<RmsNormOp>([](const RmsNormOp&, const RuleCall& call) {
    if (call.has_gradient(1)) call.no_gradient_for("a use of rstd");
    const auto [x, gamma] =
        rms_norm_backward(call.gradient(), call.input(0), call.output(1), call.input(1));
    return InputGradients{x, gamma};
  });

  table.add<ScaledMaskedSoftmaxOp>([](const ScaledMaskedSoftmaxOp& op, const RuleCall& call) {
    return InputGradients{
        scaled_masked_softmax_backward(call.gradient(), call.output(), call.input(1), op), Value()};
  });

  // B = scale y (g - sum(g y)) along the last axis, 0 where masked. C that arrives where it is 0
  // comes to nothing.
  table.add_composed<ScaledMaskedSoftmaxBackwardOp>([](const ScaledMaskedSoftmaxBackwardOp& op,
                                                       const RuleCall& call) {
    const Value &g = call.input(0), &y = call.input(1);
    const Value& arrived = call.gradient();
    const Value c =
        mul(op.fixed_triu_mask ? tril(arrived) : masked_fill(arrived, call.input(2), 0), op.scale);
    const auto along = [&](const Value& v) { return reduce_sum(mul(v, y), {-1}, true); };
    InputGradients gradients(3);
    if (call.needs(0)) gradients[0] = softmax_backward(c, y, -1);
    if (call.needs(1)) gradients[1] = sub(mul(c, sub(g, along(g))), mul(g, along(c)));
    return gradients;
  });

  table.add<DeepNormOp>([](const DeepNormOp& op, const RuleCall& call) {
    if (call.has_gradient(1) || call.has_gradient(2)) {
      call.no_gradient_for("a use of mean or rstd");
    }
    const auto [x, gx, beta, gamma] =
        deep_norm_backward(call.gradient(), call.input(0), call.input(1), call.input(3),
                           call.output(1), call.output(2), op.alpha);
    return InputGradients{x, gx, beta, gamma};
  });

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

  // The statistics are the ranks', and so are the sums that the gradient of x goes by.
  table.add<BatchNormElemtOp>([](const BatchNormElemtOp& op, const RuleCall& call) {
    const Value &g = call.gradient(), &x = call.input(0), &weight = call.input(1);
    const Value &mean = call.input(3), &invstd = call.input(4);
    const BatchNormSums own = batch_norm_reduce_backward(
        g, x, mean, invstd, weight, {call.needs(0), call.needs(1), call.needs(2)});
    InputGradients gradients(6);
    gradients[1] = own.weight;
    gradients[2] = own.bias;
    if (!call.needs(0)) return gradients;
    std::vector<Value> sums = {own.dy, own.dy_xmu};
    if (op.exchange != nullptr) sums = op.exchange->sum(sums);
    gradients[0] =
        batch_norm_elemt_backward(g, x, mean, invstd, weight, sums[0], sums[1], call.input(5));
    return gradients;
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
