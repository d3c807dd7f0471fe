// SPDX-License-Identifier: Apache-2.0
// What is rounded is constant between its steps; a remainder is what it is taken of, less a
// constant times the divisor.
#include "aclgrad/ops/rounding.h"

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/logic.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// Of one tensor or two.
template <class OpType>
void add_steps(RuleTable& table) {
  table.add<OpType>([](auto&, Call call) {
    InputGradients gradients;
    for (std::size_t i = 0; i < call.node().inputs.size(); ++i) {
      gradients.push_back(call.needs(i) ? zeros_for(call.input(i)) : Value());
    }
    return gradients;
  });
}

// Of a remainder by quotients that are rounded so.
template <class OpType, Rounding kRounding>
void add_remainder(RuleTable& table) {
  table.add_composed<OpType>([](auto&, Call call) {
    const Value& g = call.gradient();
    InputGradients gradients{g, Value()};
    if (call.needs(1)) {
      const Value quotient = div(call.input(0), call.input(1), kRounding);
      gradients[1] = mul(g, mul(quotient, -1));
    }
    return gradients;
  });
}

}  // namespace

void add_rounding_rules(RuleTable& table) {
  add_steps<FloorOp>(table);
  add_steps<CeilOp>(table);
  add_steps<TruncOp>(table);
  add_steps<RoundOp>(table);
  add_steps<RoundDecimalsOp>(table);
  add_steps<FloorDivideOp>(table);
  add_steps<TruncDivideOp>(table);
  table.add<FracOp>([](auto&, Call call) { return call.gradient(); });
  add_remainder<RemainderOp, Rounding::floor>(table);
  add_remainder<FmodOp, Rounding::trunc>(table);
  add_unary<NanToNumOp>(
      table, [](const Value& g, const Value& x, const Value&) { return held(isfinite(x), g); });
}

}  // namespace aclgrad::detail
