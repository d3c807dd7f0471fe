// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/normalization.h"

#include "aclgrad/ops.h"
#include "aclgrad/ops/sync_batch_norm.h"
#include "rules/table.h"

namespace aclgrad::detail {

void add_normalization_rules(RuleTable& table) {
  table.add<SoftmaxOp>(
      [](auto& op, Call call) { return softmax_backward(call.gradient(), call.output(), op.dim); });

  // B = y (g - sum(g y)) along dim.
  table.add_composed<SoftmaxBackwardOp>([](auto& op, Call call) {
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

  table.add<LogSoftmaxOp>([](auto& op, Call call) {
    return log_softmax_backward(call.gradient(), call.output(), op.dim);
  });

  // B = g - e^y sum(g) along dim.
  table.add_composed<LogSoftmaxBackwardOp>([](auto& op, Call call) {
    const Value& c = call.gradient();
    const Value& g = call.input(0);
    const Value& y = call.input(1);
    const Value share = mul(c, exp(y));
    InputGradients gradients(2);
    if (call.needs(0)) gradients[0] = sub(c, reduce_sum(share, {op.dim}, true));
    if (call.needs(1)) gradients[1] = mul(mul(share, reduce_sum(g, {op.dim}, true)), -1);
    return gradients;
  });

  table.add<LayerNormOp>([](auto&, Call call) {
    for (const std::size_t k : {1, 2}) refuse_use(call, k, "a use of mean or rstd");
    return layer_norm_backward(call.gradient(), call.input(0), call.output(1), call.output(2),
                               call.input(1), {call.needs(0), call.needs(1), call.needs(2)});
  });

  table.add<RmsNormOp>([](auto&, Call call) {
    refuse_use(call, 1, "a use of rstd");
    return rms_norm_backward(call.gradient(), call.input(0), call.output(1), call.input(1));
  });

  table.add<ScaledMaskedSoftmaxOp>([](auto& op, Call call) {
    return scaled_masked_softmax_backward(call.gradient(), call.output(), call.input(1), op);
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

  table.add<DeepNormOp>([](auto& op, Call call) {
    for (const std::size_t k : {1, 2}) refuse_use(call, k, "a use of mean or rstd");
    return deep_norm_backward(call.gradient(), call.input(0), call.input(1), call.input(3),
                              call.output(1), call.output(2), op.alpha);
  });

  table.add<BatchNormOp>([](auto& op, Call call) {
    for (std::size_t k = 1; k < call.node().outputs.size(); ++k) {
      refuse_use(call, k, "a use of the batch's or running statistics");
    }
    if (!op.training && (call.needs(3) || call.needs(4))) {
      call.no_gradient_for("the running statistics");
    }
    if (call.input(0).shape().numel() == 0) {  // the operator writes nothing then
      return std::array{zeros_for(call.input(0)), zeros_for(call.input(1)),
                        zeros_for(call.input(2))};
    }
    const Value mean = op.training ? call.output(1) : call.input(3);
    const Value spread = op.training ? call.output(2) : call.input(4);
    return batch_norm_backward(
        call.gradient(), call.input(0), mean, spread, call.input(1),
        {op.training, op.eps, {call.needs(0), call.needs(1), call.needs(2)}});
  });

  // The statistics are the ranks', and so are the sums that the gradient of x goes by.
  table.add<BatchNormElemtOp>([](auto& op, Call call) {
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

  table.add<GroupNormOp>([](auto& op, Call call) {
    for (const std::size_t k : {1, 2}) refuse_use(call, k, "a use of mean or rstd");
    return group_norm_backward(call.gradient(), call.input(0), call.output(1), call.output(2),
                               call.input(1),
                               {op.groups, {call.needs(0), call.needs(1), call.needs(2)}});
  });
}

}  // namespace aclgrad::detail
