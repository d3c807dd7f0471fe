// SPDX-License-Identifier: Apache-2.0
// What was put in order, or found in it, goes back to where it stood.
#include "aclgrad/ops/ordering.h"

#include "rules/table.h"

namespace aclgrad::detail {

void add_ordering_rules(RuleTable& table) {
  table.add<SortOp>([](auto& op, Call call) { return put_back(call, op.dim); });
  table.add<KthvalueOp>([](auto& op, Call call) { return put_back(call, op.dim, op.keepdim); });
  table.add<MedianDimOp>([](auto& op, Call call) { return put_back(call, op.dim, op.keepdim); });
  table.add<NanmedianDimOp>([](auto& op, Call call) { return put_back(call, op.dim, op.keepdim); });
  table.add_composed<MedianOp>([](auto&, Call call) { return extremum_gradient(call); });
  table.add_composed<NanmedianOp>([](auto&, Call call) { return extremum_gradient(call, true); });
}

}  // namespace aclgrad::detail
