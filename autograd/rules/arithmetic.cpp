// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include "aclgrad/ops/functions.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// g where `first` is above `second`, and the rest of it.
InputGradients split(const RuleCall& call, const Value& first, const Value& second) {
  const Value& g = call.gradient();
  const Value of_first = threshold_backward(g, sub(first, second), 0);
  return InputGradients{of_first, call.needs(1) ? sub(g, of_first) : Value()};
}

}  // namespace

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

  table.add<DivOp>([](const DivOp&, const RuleCall& call) {
    const Value share = div(call.gradient(), call.input(1));  // g / b
    return InputGradients{share, call.needs(1) ? mul(mul(share, call.output()), -1) : Value()};
  });

  table.add<MaximumOp>([](const MaximumOp&, const RuleCall& call) {
    return split(call, call.input(0), call.input(1));
  });
  table.add<MinimumOp>([](const MinimumOp&, const RuleCall& call) {
    return split(call, call.input(1), call.input(0));
  });

  table.add<DivNumberOp>([](const DivNumberOp& op, const RuleCall& call) {
    return InputGradients{div(call.gradient(), op.number)};
  });

  table.add<AddNumberOp>(
      [](const AddNumberOp&, const RuleCall& call) { return InputGradients{call.gradient()}; });

  table.add<MulNumberOp>([](const MulNumberOp& op, const RuleCall& call) {
    return InputGradients{mul(call.gradient(), op.number)};
  });
}

}  // namespace aclgrad::detail
