// SPDX-License-Identifier: Apache-2.0
#include "engine/slice_gradients.h"

#include <algorithm>
#include <tuple>

#include "aclgrad/ops/arithmetic.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

using Slices = std::vector<SliceGradient>;

auto place_of(const SliceGradient& slice) {
  return std::tie(slice.op->dim, slice.op->step, slice.op->start, slice.op->end);
}

// Zeros behind each element of a dimension, so that the elements are `step` apart.
Value spread_along(const Value& x, std::int64_t dim, std::int64_t step) {
  if (step == 1) return x;
  Dims dims = x.shape().dims();
  Dims spread = dims;
  spread[static_cast<std::size_t>(dim)] *= step;
  dims.insert(dims.begin() + dim + 1, 1);
  return reshape(pad_along(reshape(x, std::move(dims)), dim + 1, 0, step - 1), std::move(spread));
}

Value padded(const Value& whole, const SliceGradient& slice) {
  const SliceOp& op = *slice.op;
  const Value spread = spread_along(slice.gradient, op.dim, op.step);
  const std::int64_t behind = whole.shape()[op.dim] - op.start - spread.shape()[op.dim];
  return pad_along(spread, op.dim, op.start, behind);
}

// Of slices that follow each other along one dimension, with zeros between them.
Value joined(const Value& whole, const Slices& slices) {
  if (slices.size() == 1) return padded(whole, slices.front());
  const std::int64_t dim = slices.front().op->dim;
  std::vector<Value> parts;
  Value zero;
  std::int64_t reached = 0;
  const auto fill_to = [&](std::int64_t end) {
    if (end == reached) return;
    Dims dims = whole.shape().dims();
    dims[static_cast<std::size_t>(dim)] = end - reached;
    if (zero.id() < 0) zero = whole.graph().constant(Tensor::scalar(0, whole.dtype()));
    parts.push_back(expand(zero, Shape(std::move(dims))));
  };
  for (const SliceGradient& slice : slices) {
    fill_to(slice.op->start);
    parts.push_back(slice.gradient);
    reached = slice.op->end;
  }
  fill_to(whole.shape()[dim]);
  return cat(std::move(parts), dim);
}

}  // namespace

Value joined_slices(const Value& whole, Slices slices) {
  std::ranges::stable_sort(slices, {}, place_of);
  Slices places;  // with what came back to each
  for (SliceGradient& slice : slices) {
    if (slice.gradient.shape().numel() == 0) continue;
    if (!places.empty() && place_of(places.back()) == place_of(slice)) {
      places.back().gradient = add(places.back().gradient, slice.gradient);
    } else {
      places.push_back(std::move(slice));
    }
  }
  if (places.empty()) return zeros(whole.graph(), whole.shape(), whole.dtype());
  // Each behind the last of the first list that it fits, else it begins another.
  std::vector<Slices> lists;
  for (SliceGradient& slice : places) {
    const auto list = std::ranges::find_if(lists, [&](const Slices& each) {
      const SliceOp& last = *each.back().op;
      return last.dim == slice.op->dim && last.step == 1 && slice.op->step == 1 &&
             last.end <= slice.op->start;
    });
    if (list != lists.end()) {
      list->push_back(std::move(slice));
    } else {
      lists.push_back({std::move(slice)});
    }
  }
  Value sum = joined(whole, lists.front());
  for (std::size_t i = 1; i < lists.size(); ++i) sum = add(sum, joined(whole, lists[i]));
  return sum;
}

}  // namespace aclgrad::detail
