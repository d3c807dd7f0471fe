// SPDX-License-Identifier: Apache-2.0
// The gradients of elements that were found go back to where they stand.
#include "aclgrad/ops/search.h"

#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// Zeros of x's shape, but for the elements at `indices` along the axis, which are g. That is the
// gradient of a loss that picks one of n classes in each row of scores.
Value put(const Value& g, const Value& indices, const Value& x, std::int64_t axis) {
  std::vector<std::int64_t> order, moved, inverse(x.shape().rank());
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(inverse.size()); ++d) {
    if (d != axis) order.push_back(d);
  }
  order.push_back(axis);
  for (std::size_t d = 0; d < order.size(); ++d) {
    inverse[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
    moved.push_back(x.shape()[order[d]]);
  }
  const std::int64_t n = x.shape()[axis];
  const std::int64_t k = g.shape()[axis];
  const std::int64_t count = g.shape().numel();
  const auto constant = [&](const Shape& shape, double value) {
    return x.graph().constant(Tensor::full(shape, value, x.dtype()));
  };
  const Value picked = reshape(permute(g, order), {count});
  const Value classes = reshape(permute(indices, order), {count});
  const Value rows = expand(constant({1, 1}, 0), {count, n});  // only its shape counts
  const Value weights = constant({n}, -1);
  const Value total = constant({}, 1);
  Value scattered =
      nll_loss_backward(picked, rows, classes, weights, total, Reduction::none, kIgnoreIndex);
  if (k != 1) scattered = reduce_sum(reshape(scattered, {count / k, k, n}), {1});
  return permute(reshape(scattered, std::move(moved)), std::move(inverse));
}

Value put_back(const RuleCall& call, std::int64_t dim, bool keeps_axis) {
  const Value& x = call.input();
  if (x.shape().rank() == 0) return call.gradient();
  if (x.shape().numel() == 0 || call.gradient().shape().numel() == 0) {
    return zeros_for(x);
  }
  Value g = call.gradient();
  Value indices = call.output(1);
  if (!keeps_axis) {
    std::vector<std::int64_t> kept = x.shape().dims();
    kept[static_cast<std::size_t>(dim)] = 1;
    g = reshape(g, kept);
    indices = reshape(indices, kept);
  }
  return put(g, indices, x, dim);
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
