// SPDX-License-Identifier: Apache-2.0
// All of these are linear in what they read, and gradients of gradients the forwards again.
#include "aclgrad/ops/resampling.h"

#include "rules/table.h"

namespace aclgrad::detail {

void add_resampling_rules(RuleTable& table) {
  table.add<PadModeOp>([](const PadModeOp& op, const RuleCall& call) {
    return InputGradients{pad_backward(call.gradient(), call.input(), op)};
  });
  table.add<PadModeBackwardOp>([](const PadModeBackwardOp& op, const RuleCall& call) {
    const PadModeAttributes& attributes = op;
    return InputGradients{call.needs(0) ? pad_by_mode(call.gradient(), attributes) : Value(),
                          Value()};
  });

  table.add<GridSampleOp>([](const GridSampleOp& op, const RuleCall& call) {
    GridSampleAttributes attributes = op;
    attributes.wanted = {call.needs(0), call.needs(1)};
    const auto gradients =
        grid_sample_backward(call.gradient(), call.input(0), call.input(1), attributes);
    return InputGradients{gradients[0], gradients[1]};
  });

  table.add<UnfoldOp>([](const UnfoldOp& op, const RuleCall& call) {
    const auto& dims = call.input().shape().dims();
    return InputGradients{fold(call.gradient(), {{dims.end() - 2, dims.end()}, op})};
  });
  table.add<FoldOp>([](const FoldOp& op, const RuleCall& call) {
    return InputGradients{unfold(call.gradient(), op.windows)};
  });

  table.add<InterpolateOp>([](const InterpolateOp& op, const RuleCall& call) {
    return InputGradients{interpolate_backward(call.gradient(), call.input().shape(), op)};
  });
  table.add<InterpolateBackwardOp>([](const InterpolateBackwardOp& op, const RuleCall& call) {
    const InterpolateAttributes& attributes = op;
    return InputGradients{interpolate_to(call.gradient(), attributes)};
  });
}

}  // namespace aclgrad::detail
