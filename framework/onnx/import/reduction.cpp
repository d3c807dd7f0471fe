// SPDX-License-Identifier: Apache-2.0
// Sums, means, extrema and norms over axes, running sums, the places of extrema.
#include <algorithm>

#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace reduction_nodes {
namespace {

using Reduce = Value (*)(Operand x, Dims axes, bool keepdim);

// Of a function that takes x, the axes and whether they stay. Whole numbers that it does not take
// are computed in double.
template <Reduce kFunction, bool kFloating = false>
Items reduce(const NodeCall& node) {
  const Value x = node.value(0);
  const Dims axes = node.numbers_of("axes", 1).value_or(Dims{});
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0) return {x};
  const bool keepdims = node.integer("keepdims", 1) != 0;
  if (!kFloating || is_floating(x.dtype())) return {kFunction(x, axes, keepdims)};
  return {cast(kFunction(cast(x, DType::float64), axes, keepdims), x.dtype())};
}

Value l1(Operand x, Dims axes, bool keepdim) {
  return reduce_sum(abs(x), std::move(axes), keepdim);
}
Value l2(Operand x, Dims axes, bool keepdim) {
  return norm(x, std::move(axes), {.p = 2, .keepdim = keepdim});
}
Value log_sum(Operand x, Dims axes, bool keepdim) {
  return log(reduce_sum(x, std::move(axes), keepdim));
}
Value sum_square(Operand x, Dims axes, bool keepdim) {
  return reduce_sum(mul(x, x), std::move(axes), keepdim);
}

// Of the smallest, those of -x; of the last of equal ones, those of x from behind.
Items places(const NodeCall& node, bool largest) {
  Value x = node.value(0);
  const std::int64_t axis = axis_of(node.integer("axis", 0), x.shape());
  if (!is_floating(x.dtype()) && x.dtype() != DType::int32 && x.dtype() != DType::int64) {
    x = cast(x, DType::int32);
  }
  if (!largest) x = neg(x);
  const bool last = node.integer("select_last_index", 0) != 0;
  if (last) x = flip(x, {axis});
  const Value found = argmax(x, axis, node.integer("keepdims", 1) != 0);
  if (!last) return {found};
  return {static_cast<double>(x.shape()[axis] - 1) - found};
}
Items arg_max(const NodeCall& node) { return places(node, true); }
Items arg_min(const NodeCall& node) { return places(node, false); }

Items top_k(const NodeCall& node) {
  const Value x = node.value(0);
  const std::int64_t k = node.has_attribute("k")
                             ? node.integer("k")
                             : static_cast<std::int64_t>(node.known_number(1, "k"));
  const ValuesAndIndices found =
      topk(x, k, axis_of(node.integer("axis", -1), x.shape()), node.integer("largest", 1) != 0);
  return {found.values, found.indices};
}

Items cum_sum(const NodeCall& node) {
  const Value x = node.value(0);
  const auto axis = static_cast<std::int64_t>(node.known_number(1, "the axis"));
  return {cumsum(x, axis_of(axis, x.shape()),
                 {.exclusive = node.integer("exclusive", 0) != 0,
                  .reverse = node.integer("reverse", 0) != 0})};
}

constexpr Operator kOperators[] = {
    {"ArgMax", arg_max},
    {"ArgMin", arg_min},
    {"CumSum", cum_sum, 0b10},
    {"ReduceL1", reduce<l1, true>, 0b10},
    {"ReduceL2", reduce<l2, true>, 0b10},
    {"ReduceLogSum", reduce<log_sum, true>, 0b10},
    {"ReduceLogSumExp", reduce<logsumexp, true>, 0b10},
    {"ReduceMax", reduce<amax>, 0b10},
    {"ReduceMean", reduce<mean, true>, 0b10},
    {"ReduceMin", reduce<amin>, 0b10},
    {"ReduceSum", reduce<reduce_sum>, 0b10},
    {"ReduceSumSquare", reduce<sum_square>, 0b10},
    {"TopK", top_k, 0b10},
};

}  // namespace
}  // namespace reduction_nodes

std::span<const Operator> reduction_operators() { return reduction_nodes::kOperators; }

}  // namespace aclgrad::onnx
