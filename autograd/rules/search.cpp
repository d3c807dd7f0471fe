// SPDX-License-Identifier: Apache-2.0
// The gradients of elements that were found go back to where they stand.
#include "aclgrad/ops/search.h"

#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// What arrived at the values goes back to the elements at output 1's places, as through a gather.
Value put_back(const RuleCall& call, std::int64_t dim, bool keeps_axis) {
  const Value& x = call.input();
  if (x.shape().rank() == 0) return call.gradient();
  if (call.gradient().shape().numel() == 0) return zeros_for(x);
  std::vector<std::int64_t> kept = call.output(1).shape().dims();
  if (!keeps_axis) kept.insert(kept.begin() + dim, 1);
  const Value g = reshape(call.gradient(), kept);
  return gather_backward(g, x, dim, reshape(call.output(1), kept));
}

}  // namespace

void add_search_rules(RuleTable& table) {
  table.add<MaxOp>([](const MaxOp& op, const RuleCall& call) {
    return InputGradients{put_back(call, op.dim, op.keepdim)};
  });
  table.add<TopkOp>([](const TopkOp& op, const RuleCall& call) {
    return InputGradients{put_back(call, op.dim, true)};
  });
}

}  // namespace aclgrad::detail
