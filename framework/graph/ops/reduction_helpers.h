// SPDX-License-Identifier: Apache-2.0
// What recording functions of reductions share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/reduction.h"

namespace aclgrad::detail {

using Axes = std::vector<std::int64_t>;

/// From the front, sorted, all of them when none are given.
inline Axes normalized(const Recorder& record, Axes axes, std::size_t rank) {
  if (axes.empty()) {
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
    return axes;
  }
  for (std::int64_t& axis : axes) axis = record.axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  const auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) record.shape_error(fmt::format("axis {} is named twice", *twice));
  return rank == 0 ? Axes{} : axes;
}

inline Shape reduced(const Shape& shape, const Axes& axes, bool keepdim) {
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool gone = std::binary_search(axes.begin(), axes.end(), static_cast<std::int64_t>(i));
    if (!gone) dims.push_back(shape.dims()[i]);
    if (gone && keepdim) dims.push_back(1);
  }
  return Shape(std::move(dims));
}

/// Of no elements there is no largest one.
inline void require_elements(const Recorder& record, const Axes& axes) {
  const Shape& shape = record.input(0).shape();
  for (const std::int64_t axis : normalized(record, axes, shape.rank())) {
    record.require_shape(shape[axis] != 0, "axis {} of {} has no elements", axis, shape);
  }
}

/// `attributes` makes those of the operator from the axes.
template <class OpType, class Attributes>
Value record_reduction(Recorder& record, Axes axes, bool keepdim, const Attributes& attributes) {
  const Value& x = record.input(0);
  axes = normalized(record, std::move(axes), x.shape().rank());
  Shape shape = reduced(x.shape(), axes, keepdim);
  return record.add<OpType>(attributes(std::move(axes)), {std::move(shape), x.dtype()});
}

template <class OpType>
Value record_reduction(Recorder& record, Axes axes, bool keepdim) {
  return record_reduction<OpType>(record, std::move(axes), keepdim, [&](Axes normal) {
    return ReductionAttributes{std::move(normal), keepdim};
  });
}

/// Without the axis, or with extent 1. There must be elements along it.
inline Shape along(const Recorder& record, std::int64_t axis, bool keepdim) {
  const Shape& shape = record.input(0).shape();
  std::vector<std::int64_t> dims = shape.dims();
  if (dims.empty()) return shape;
  const auto place = dims.begin() + axis;
  record.require_shape(*place != 0, "axis {} of {} has no elements", axis, shape);
  if (keepdim) {
    *place = 1;
  } else {
    dims.erase(place);
  }
  return Shape(std::move(dims));
}

/// Elements that are found, of a shape, and their places.
template <class OpType>
ValuesAndIndices record_found(Recorder& record, typename OpType::Attributes attributes,
                              const Shape& shape) {
  const auto results = record.add<OpType>(
      std::move(attributes), {TensorSpec{shape, record.input(0).dtype()}, {shape, DType::int64}});
  return {results[0], results[1]};
}

/// One element along an axis, and its place.
template <class OpType>
ValuesAndIndices record_search(Operand x, std::int64_t dim, bool keepdim) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  return record_found<OpType>(record, {dim, keepdim}, along(record, dim, keepdim));
}

}  // namespace aclgrad::detail
