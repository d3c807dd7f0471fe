// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include "rules/table.h"

namespace aclgrad::detail {

void add_arithmetic_rules(RuleTable& table) {
  table.add<AddOp>([](const AddOp& op, const RuleCall& call) {
    const Value& g = call.gradient();
    const bool scaled = call.needs(1) && op.alpha != 1;
    return InputGradients{g, scaled ? mul(g, op.alpha) : g};
  });

  table.add<SubOp>([](const SubOp& op, const RuleCall& call) {
    const Value& g = call.gradient();
    return InputGradients{g, call.needs(1) ? mul(g, -op.alpha) : Value()};
  });

  table.add<MulOp>([](const MulOp&, const RuleCall& call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? mul(g, call.input(1)) : Value(),
                          call.needs(1) ? mul(g, call.input(0)) : Value()};
  });

  table.add<AddNumberOp>(
      [](const AddNumberOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });

  table.add<MulNumberOp>([](const MulNumberOp& op, const RuleCall& call) {
    return InputGradients{mul(call.gradient(), op.number)};
  });
}

}  // namespace aclgrad::detail
