// SPDX-License-Identifier: Apache-2.0
// Recording of operators that check nothing of their own.
#ifndef ACLGRAD_FRAMEWORK_GRAPH_OPS_RECORD_HELPERS_H_
#define ACLGRAD_FRAMEWORK_GRAPH_OPS_RECORD_HELPERS_H_

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "aclgrad/declaration.h"
#include "aclgrad/record.h"

namespace aclgrad {

/// A function of a floating x, of its shape and dtype.
template <class OpType>
Value unary(Operand x, typename OpType::Attributes attributes = {}) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  record.require_floating(0);
  return record.add<OpType>(std::move(attributes), record.like(0));
}

/// A backward operator, of the gradient and the forward's input or result, all of one shape and
/// floating dtype.
template <class OpType>
Value gradient(Operand grad, const Value& saved, typename OpType::Attributes attributes = {}) {
  Recorder record(OpType::declaration().name, {grad, saved}, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_shape(0, 1);
  return record.add<OpType>(std::move(attributes), record.like(1));
}

namespace detail {

/// Not NaN.
inline void require_number(const Recorder& record, double value, const char* name) {
  if (std::isnan(value)) record.value_error(fmt::format("{} must be a number, got NaN", name));
}

/// The eps under a root: finite and at least 0.
inline void require_epsilon(const Recorder& record, double eps) {
  if (eps >= 0 && std::isfinite(eps)) return;
  record.value_error(fmt::format("eps must be finite and at least 0, got {}", eps));
}

/// The shape with another extent along dim, which is counted from the front.
inline Shape with_extent(const Shape& shape, std::int64_t dim, std::int64_t extent) {
  std::vector<std::int64_t> dims = shape.dims();
  dims[static_cast<std::size_t>(dim)] = extent;
  return Shape(std::move(dims));
}

/// The shape with the extent along dim halved.
inline Shape halved(const Recorder& record, const Shape& shape, std::int64_t dim) {
  if (shape.rank() == 0) record.shape_error("a scalar has no axis to split");
  const auto axis = static_cast<std::size_t>(record.axis(dim, shape.rank()));
  std::vector<std::int64_t> dims = shape.dims();
  if (dims[axis] % 2 != 0) {
    const bool last = axis + 1 == dims.size();
    record.shape_error(fmt::format("{} must be even, got {}",
                                   last ? "last dimension" : fmt::format("dimension {}", axis),
                                   dims[axis]));
  }
  dims[axis] /= 2;
  return Shape(std::move(dims));
}

/// A backward operator whose mask says which of three gradients it writes: its node has those. The
/// others are empty Values.
template <class OpType>
std::array<Value, 3> record_wanted(Recorder& record, typename OpType::Attributes attributes,
                                   const std::array<bool, 3>& wanted,
                                   std::array<TensorSpec, 3> specs) {
  std::vector<TensorSpec> outputs;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (wanted[k]) outputs.push_back(std::move(specs[k]));
  }
  const std::vector<Value> made = record.add<OpType>(std::move(attributes), std::move(outputs));
  std::array<Value, 3> gradients;
  for (std::size_t k = 0, next = 0; k < wanted.size(); ++k) {
    if (wanted[k]) gradients[k] = made[next++];
  }
  return gradients;
}

/// Its outputs in the call, null for those that are not wanted.
inline std::array<aclTensor*, 3> wanted_outputs(const std::array<bool, 3>& wanted,
                                                AclnnCall& call) {
  std::array<aclTensor*, 3> outputs{};
  for (std::size_t k = 0, next = 0; k < wanted.size(); ++k) {
    if (wanted[k]) outputs[k] = call.output(next++);
  }
  return outputs;
}

}  // namespace detail
}  // namespace aclgrad

#endif  // ACLGRAD_FRAMEWORK_GRAPH_OPS_RECORD_HELPERS_H_
