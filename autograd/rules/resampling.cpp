// SPDX-License-Identifier: Apache-2.0
// All of these are linear in what they read, and gradients of gradients the forwards again.
#include "aclgrad/ops/resampling.h"

#include "rules/table.h"

namespace aclgrad::detail {

void add_resampling_rules(RuleTable& table) {
  table.add<PadModeOp>(
      [](auto& op, Call call) { return pad_backward(call.gradient(), call.input(), op); });
  table.add<PadModeBackwardOp>([](auto& op, Call call) {
    const PadModeAttributes& attributes = op;
    return call.needs(0) ? pad_by_mode(call.gradient(), attributes) : Value();
  });

  table.add<GridSampleOp>([](auto& op, Call call) {
    GridSampleAttributes attributes = op;
    attributes.wanted = {call.needs(0), call.needs(1)};
    const auto gradients =
        grid_sample_backward(call.gradient(), call.input(0), call.input(1), attributes);
    return InputGradients{gradients[0], gradients[1]};
  });

  table.add<UnfoldOp>([](auto& op, Call call) {
    const auto& dims = call.input().shape().dims();
    return fold(call.gradient(), {{dims.end() - 2, dims.end()}, op});
  });
  table.add<FoldOp>([](auto& op, Call call) { return unfold(call.gradient(), op.windows); });

  table.add<InterpolateOp>([](auto& op, Call call) {
    return interpolate_backward(call.gradient(), call.input().shape(), op);
  });
  table.add<InterpolateBackwardOp>([](auto& op, Call call) {
    const InterpolateAttributes& attributes = op;
    return interpolate_to(call.gradient(), attributes);
  });
}

}  // namespace aclgrad::detail
