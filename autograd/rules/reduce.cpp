// SPDX-License-Identifier: Apache-2.0
// A sum's gradient is the gradient again for every element summed: an expanded view, no work.
#include "aclgrad/ops/reduce.h"

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/views.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

Value spread(const Value& gradient, const Shape& shape, const std::vector<std::int64_t>& axes) {
  std::vector<std::int64_t> kept = shape.dims();
  for (const std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = 1;
  return expand(reshape(gradient, std::move(kept)), shape);
}

}  // namespace

void add_reduce_rules(RuleTable& table) {
  table.add<ReduceSumOp>([](const ReduceSumOp& op, const RuleCall& call) {
    return InputGradients{spread(call.gradient(), call.input().shape(), op.axes)};
  });

  table.add<MeanOp>([](const MeanOp& op, const RuleCall& call) {
    double count = 1;
    for (const std::int64_t axis : op.axes)
      count *= static_cast<double>(call.input().shape()[axis]);
    // Scaled before it is spread: less work.
    const Value share = mul(call.gradient(), 1 / count);
    return InputGradients{spread(share, call.input().shape(), op.axes)};
  });
}

}  // namespace aclgrad::detail
