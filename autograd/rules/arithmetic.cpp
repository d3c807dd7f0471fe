// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/arithmetic.h"

#include <cmath>
#include <limits>

#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/logic.h"
#include "aclgrad/tensor.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

void add_functions(RuleTable& table) {
  using V = const Value&;
  add_unary<ExpOp>(table, [](V g, V, V y) { return mul(g, y); });
  add_composed_unary<LogOp>(table, [](V g, V x, V) { return mul(g, reciprocal(x)); });
  add_composed_unary<SqrtOp>(table, [](V g, V, V y) {
    const Value half = mul(g, 0.5);
    return mul(half, reciprocal(y));
  });
  add_composed_unary<RsqrtOp>(table, [](V g, V, V y) {
    const Value cube = mul(mul(y, y), y);
    return mul(mul(g, -0.5), cube);
  });
  add_composed_unary<ReciprocalOp>(table, [](V g, V, V y) { return mul(g, mul(mul(y, y), -1)); });
  add_unary<SinOp>(table, [](V g, V x, V) { return mul(g, cos(x)); });
  add_unary<CosOp>(table, [](V g, V x, V) { return mul(g, mul(sin(x), -1)); });
  add_composed_unary<ErfOp>(table, [](V g, V x, V) {
    const Value bell = exp(mul(mul(x, x), -1));
    return mul(g, mul(bell, kTwoOverRootPi));
  });
  add_unary<NegOp>(table, [](V g, V, V) { return neg(g); });
  add_unary<AbsOp>(table, [](V g, V x, V) { return mul(g, sign(x)); });
  add_unary<SignOp>(table, [](V, V x, V) { return zeros_for(x); });
}

}  // namespace

namespace {

// g for the operand that was taken: the second where it is the result, or NaN, else the first.
InputGradients to_the_one_taken(const RuleCall& call) {
  const Value& g = call.gradient();
  const Value& second = call.input(1);
  const Value is_result = eq(second, call.output());
  const Value is_second = maximum(is_result, ne(second, second));
  InputGradients gradients(2);
  if (call.needs(0)) gradients[0] = masked_fill(g, is_second, 0);
  if (call.needs(1)) gradients[1] = held(is_second, g);
  return gradients;
}

}  // namespace

namespace {

// x^(n - 1), without a node where there need be none.
Value lower_power(const Value& x, double n) { return n == 2 ? x : pow(x, n - 1); }

void add_powers(RuleTable& table) {
  table.add<PowNumberOp>([](auto& op, Call given) {
    // Of a square, nothing between can be too large.
    const RuleCall call = op.exponent == 2 ? given : given.in_float();
    const Value& g = call.gradient();
    if (op.exponent == 0) return zeros_for(call.input());
    if (op.exponent == 1) return g;
    const Value slope = mul(lower_power(call.input(), op.exponent), op.exponent);
    return mul(g, slope);
  });

  // Where the exponent is 0, or x for the exponent's gradient, a factor may be infinite: there the
  // gradient is 0.
  table.add_composed<PowOp>([](auto&, Call call) {
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

  table.add_composed<PowOfNumberOp>([](auto& op, Call call) {
    if (op.number == 0) return zeros_for(call.input());
    return mul(call.gradient(), mul(call.output(), std::log(op.number)));
  });
}

// g for the tensor that was taken, x or one of the bounds; NaN for all where one is.
InputGradients to_the_one_held(const ClampTensorOp& op, const RuleCall& call) {
  const Value& x = call.input();
  const Value& y = call.output();
  const std::size_t last = call.node().inputs.size() - 1;
  const Value min = op.has_min ? call.input(1) : Value();
  const Value max = op.has_max ? call.input(last) : Value();
  const auto where_held = [&, is_nan = ne(y, y)](const Value& taken) {
    const Value g = held(taken, call.gradient());
    return masked_fill(g, is_nan, std::numeric_limits<double>::quiet_NaN());
  };
  InputGradients gradients(last + 1);
  if (call.needs(0)) {
    const Value above = min ? ge(x, min) : Value();
    const Value below = max ? le(x, max) : Value();
    gradients[0] = where_held(min && max ? bitwise_and(above, below) : min ? above : below);
  }
  if (min && call.needs(1)) {
    const Value below = lt(x, min);
    gradients[1] = where_held(max ? bitwise_and(below, le(min, max)) : below);
  }
  if (max && call.needs(last)) {
    const Value above = gt(x, max);
    gradients[last] = where_held(min ? bitwise_or(above, gt(min, max)) : above);
  }
  return gradients;
}

}  // namespace

void add_arithmetic_rules(RuleTable& table) {
  add_functions(table);

  table.add<AddOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    const bool scaled = call.needs(1) && op.alpha != 1;
    return InputGradients{g, scaled ? mul(g, op.alpha) : g};
  });

  table.add<SubOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    return InputGradients{g, call.needs(1) ? mul(g, -op.alpha) : Value()};
  });

  table.add<MulOp>([](auto&, Call call) {
    const Value& g = call.gradient();
    return InputGradients{call.needs(0) ? mul(g, call.input(1)) : Value(),
                          call.needs(1) ? mul(g, call.input(0)) : Value()};
  });

  table.add<DivOp>([](auto&, Call given) {
    const RuleCall call = given.needs(1) ? given.in_float() : given;
    const Value share = div(call.gradient(), call.input(1));  // g / b
    return InputGradients{share, call.needs(1) ? mul(mul(share, call.output()), -1) : Value()};
  });

  table.add<MaximumOp>([](auto&, Call call) { return to_the_one_taken(call); });
  table.add<MinimumOp>([](auto&, Call call) { return to_the_one_taken(call); });

  table.add<DivNumberOp>([](auto& op, Call call) { return div(call.gradient(), op.number); });

  table.add<AddNumberOp>([](auto&, Call call) { return call.gradient(); });

  table.add<MulNumberOp>([](auto& op, Call call) { return mul(call.gradient(), op.number); });

  add_powers(table);

  // g where x is the result, NaN where the result is NaN, else 0. Bounds that cross hold nothing.
  table.add<ClampOp>([](auto& op, Call call) {
    const Value& x = call.input();
    const Value& y = call.output();
    const bool crossed = op.min && op.max && *op.min > *op.max;
    const Value inside = crossed ? ne(x, x) : eq(x, y);
    const Value g = held(inside, call.gradient());
    return masked_fill(g, ne(y, y), std::numeric_limits<double>::quiet_NaN());
  });

  table.add<ClampTensorOp, to_the_one_held>();

  table.add<WhereOp>([](auto&, Call call) {
    const Value& g = call.gradient();
    const Value& condition = call.input(0);
    return InputGradients{Value(), call.needs(1) ? held(condition, g) : Value(),
                          call.needs(2) ? masked_fill(g, condition, 0) : Value()};
  });

  table.add_composed<AddcmulOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    InputGradients gradients(3);
    gradients[0] = g;
    if (call.needs(1)) gradients[1] = mul(mul(g, call.input(2)), op.factor);
    if (call.needs(2)) gradients[2] = mul(mul(g, call.input(1)), op.factor);
    return gradients;
  });

  table.add_composed<AddcdivOp>([](auto& op, Call call) {
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
