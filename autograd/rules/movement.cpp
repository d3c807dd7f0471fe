// SPDX-License-Identifier: Apache-2.0
// Conversions, copies and views: the gradient goes back the same way.
#include "aclgrad/ops/fill.h"
#include "aclgrad/ops/views.h"
#include "rules/table.h"

namespace aclgrad::detail {

void add_movement_rules(RuleTable& table) {
  // The engine casts a gradient to its value's dtype and sums what was expanded: nothing to do.
  table.add<CastOp>(
      [](const CastOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });
  table.add<ExpandOp>(
      [](const ExpandOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });
  table.add<CopyOp>(
      [](const CopyOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });

  table.add<ReshapeOp>([](const ReshapeOp&, const RuleCall& call) {
    return InputGradients{reshape(call.gradient(), call.input().shape().dims())};
  });

  table.add<PermuteOp>([](const PermuteOp& op, const RuleCall& call) {
    std::vector<std::int64_t> inverse(op.order.size());
    for (std::size_t i = 0; i < inverse.size(); ++i) {
      inverse[static_cast<std::size_t>(op.order[i])] = static_cast<std::int64_t>(i);
    }
    return InputGradients{permute(call.gradient(), std::move(inverse))};
  });
}

}  // namespace aclgrad::detail
