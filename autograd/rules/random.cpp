// SPDX-License-Identifier: Apache-2.0
// What dropout's mask let through goes back through it; random numbers have no gradient.
#include "aclgrad/ops/random.h"

#include "rules/table.h"

namespace aclgrad::detail {

void add_random_rules(RuleTable& table) {
  table.add<DropoutOp>(
      [](auto& op, Call call) { return apply_dropout(call.gradient(), call.input(1), op.p); });
}

}  // namespace aclgrad::detail
