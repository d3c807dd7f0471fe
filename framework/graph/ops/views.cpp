// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "aclgrad/format.h"
#include "aclgrad/ops/fill.h"
#include "aclgrad/record.h"

namespace aclgrad {
namespace {

// Fills in the extent given as -1.
Shape complete(const Recorder& record, const Shape& from, Dims dims) {
  const auto missing = std::find(dims.begin(), dims.end(), -1);
  std::int64_t known = 1;
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    if (dim == missing) continue;
    if (*dim == -1) record.shape_error("only one extent can be -1");
    if (*dim < 0) record.shape_error(fmt::format("extent {} is negative", *dim));
    if (__builtin_mul_overflow(known, *dim, &known)) known = -1;  // no number of elements
    if (known < 0) break;
  }
  if (missing != dims.end() && known > 0 && from.numel() % known == 0) {
    *missing = from.numel() / known;
    known = from.numel();
  }
  if (known != from.numel() || std::find(dims.begin(), dims.end(), -1) != dims.end()) {
    const bool open = from.numel() == 0 && known == 0;
    record.shape_error(fmt::format("cannot give the {} elements of {} the shape [{}]{}",
                                   from.numel(), from, fmt::join(dims, ", "),
                                   open ? ": beside a 0, -1 could be anything" : ""));
  }
  return Shape(std::move(dims));
}

}  // namespace

Value permute(const Value& x, std::vector<std::int64_t> order, std::source_location where) {
  Recorder record("permute", {x}, where);
  const std::size_t rank = x.shape().rank();
  Dims sorted;
  for (std::int64_t& axis : order) {
    axis = record.axis(axis, rank);
    sorted.push_back(axis);
  }
  std::sort(sorted.begin(), sorted.end());
  Dims all(rank);
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    record.shape_error(
        fmt::format("[{}] does not name every axis of {} once", fmt::join(order, ", "), x.shape()));
  }
  Dims dims;
  Dims strides;
  for (const std::int64_t axis : order) {
    dims.push_back(x.shape()[axis]);
    strides.push_back(x.strides()[static_cast<std::size_t>(axis)]);
  }
  return record.add_view(std::make_shared<PermuteOp>(std::move(order)), Shape(std::move(dims)),
                         std::move(strides), x.offset());
}

Value transpose(const Value& x, std::int64_t axis0, std::int64_t axis1,
                std::source_location where) {
  Recorder record("permute", {x}, where);
  const std::size_t rank = x.shape().rank();
  if (rank == 0) record.shape_error("a scalar has no axes to exchange");
  Dims order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<std::size_t>(record.axis(axis0, rank))],
            order[static_cast<std::size_t>(record.axis(axis1, rank))]);
  return permute(x, std::move(order), where);
}

Value reshape(const Value& x, std::vector<std::int64_t> dims, std::source_location where) {
  Shape shape = complete(Recorder("reshape", {x}, where), x.shape(), std::move(dims));
  const Value dense = contiguous(x, where);
  Dims strides = shape.strides();
  return Recorder("reshape", {dense}, where)
      .add_view(std::make_shared<ReshapeOp>(), std::move(shape), std::move(strides),
                dense.offset());
}

Value expand(const Value& x, const Shape& shape, std::source_location where) {
  Recorder record("expand", {x}, where);
  if (!expands_to(x.shape(), shape)) {
    record.shape_error(fmt::format("{} does not expand to {}", x.shape(), shape));
  }
  const std::size_t added = shape.rank() - x.shape().rank();
  Dims strides(shape.rank(), 0);
  for (std::size_t i = 0; i < x.shape().rank(); ++i) {
    const bool repeated = x.shape().dims()[i] != shape.dims()[added + i];
    strides[added + i] = repeated ? 0 : x.strides()[i];
  }
  return record.add_view(std::make_shared<ExpandOp>(), shape, std::move(strides), x.offset());
}

Value stop_gradient(const Value& x, std::source_location where) {
  Recorder record("stop_gradient", {x}, where);
  return record.add_view(std::make_shared<StopGradientOp>(), x.shape(), x.strides(), x.offset());
}

std::string PermuteOp::attributes() const { return fmt::format("[{}]", fmt::join(order, ", ")); }

}  // namespace aclgrad
