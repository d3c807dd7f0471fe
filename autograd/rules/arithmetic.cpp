// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include "aclgrad/ops/selection.h"
#include "aclgrad/tensor.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// g for the operand that was taken: the second where it is the result, or NaN, else the first.
InputGradients to_the_one_taken(const RuleCall& call) {
  const Value& g = call.gradient();
  const Value& second = call.input(1);
  const Value is_result = eq(second, call.output());
  const Value is_second = maximum(is_result, ne(second, second));
  InputGradients gradients(2);
  if (call.needs(0)) gradients[0] = masked_fill(g, is_second, 0);
  if (call.needs(1)) {
    const Value zero = g.graph().constant(Tensor::scalar(0, g.dtype()));
    gradients[1] = where(is_second, g, zero);
  }
  return gradients;
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

  table.add<MaximumOp>(
      [](const MaximumOp&, const RuleCall& call) { return to_the_one_taken(call); });
  table.add<MinimumOp>(
      [](const MinimumOp&, const RuleCall& call) { return to_the_one_taken(call); });

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
