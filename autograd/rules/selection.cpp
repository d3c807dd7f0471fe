// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/selection.h"

#include <limits>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/dropout.h"
#include "aclgrad/ops/functions.h"
#include "aclgrad/tensor.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// x^(n - 1), without a node where there need be none.
Value lower_power(const Value& x, double n) { return n == 2 ? x : pow(x, n - 1); }

// g where the condition holds, 0 elsewhere; and the other way round.
Value held(const Value& condition, const Value& g) {
  return where(condition, g, g.graph().constant(Tensor::scalar(0, g.dtype())));
}

void add_powers(RuleTable& table) {
  table.add<PowNumberOp>([](const PowNumberOp& op, const RuleCall& call) {
    const Value& g = call.gradient();
    if (op.exponent == 0) return InputGradients{zeros_for(call.input())};
    if (op.exponent == 1) return InputGradients{g};
    const Value slope = mul(lower_power(call.input(), op.exponent), op.exponent);
    return InputGradients{mul(g, slope)};
  });

  // Where the exponent is 0, or x for the exponent's gradient, a factor may be infinite: there the
  // gradient is 0.
  table.add<PowOp>([](const PowOp&, const RuleCall& call) {
    const Value& g = call.gradient();
    const Value& x = call.input(0);
    const Value& y = call.input(1);
    InputGradients gradients(2);
    if (call.needs(0)) {
      const Value slope = mul(y, pow(x, add(y, -1)));
      gradients[0] = mul(g, masked_fill(slope, eq(y, 0), 0));
    }
    if (call.needs(1)) {
      const Value slope = mul(call.output(), log(x));
      gradients[1] = mul(g, masked_fill(slope, eq(x, 0), 0));
    }
    return gradients;
  });
}

}  // namespace

void add_selection_rules(RuleTable& table) {
  add_powers(table);

  // g where x is the result, NaN where the result is NaN, else 0. Bounds that cross hold nothing.
  table.add<ClampOp>([](const ClampOp& op, const RuleCall& call) {
    const Value& x = call.input();
    const Value& y = call.output();
    const bool crossed = op.min && op.max && *op.min > *op.max;
    const Value inside = crossed ? ne(x, x) : eq(x, y);
    const Value g = held(inside, call.gradient());
    return InputGradients{masked_fill(g, ne(y, y), std::numeric_limits<double>::quiet_NaN())};
  });

  table.add<WhereOp>([](const WhereOp&, const RuleCall& call) {
    const Value& g = call.gradient();
    const Value& condition = call.input(0);
    return InputGradients{Value(), call.needs(1) ? held(condition, g) : Value(),
                          call.needs(2) ? masked_fill(g, condition, 0) : Value()};
  });

  table.add<DropoutOp>([](const DropoutOp& op, const RuleCall& call) {
    return InputGradients{apply_dropout(call.gradient(), call.input(1), op.p), Value()};
  });

  table.add<AddcmulOp>([](const AddcmulOp& op, const RuleCall& call) {
    const Value& g = call.gradient();
    InputGradients gradients(3);
    gradients[0] = g;
    if (call.needs(1)) gradients[1] = mul(mul(g, call.input(2)), op.factor);
    if (call.needs(2)) gradients[2] = mul(mul(g, call.input(1)), op.factor);
    return gradients;
  });

  table.add<AddcdivOp>([](const AddcdivOp& op, const RuleCall& call) {
    const Value& a = call.input(1);
    const Value& b = call.input(2);
    InputGradients gradients(3);
    gradients[0] = call.gradient();
    if (!call.needs(1) && !call.needs(2)) return gradients;
    const Value share = div(mul(call.gradient(), op.factor), b);
    if (call.needs(1)) gradients[1] = share;
    if (call.needs(2)) gradients[2] = mul(mul(share, div(a, b)), -1);
    return gradients;
  });
}

}  // namespace aclgrad::detail
