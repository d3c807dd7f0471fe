// SPDX-License-Identifier: Apache-2.0
// What recording functions share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/shape.h"

namespace aclgrad {

/// A check of attributes for unary() and gradient(), of tensors like x: this one takes all.
inline constexpr auto kAnyAttributes = [](const Recorder&, const Value& /*x*/, const auto&) {};

/// A function of a floating x, of its shape and dtype.
template <class OpType, class Check = decltype(kAnyAttributes)>
Value unary(Operand x, typename OpType::Attributes attributes = {}, Check check = {}) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  check(record, x, attributes);
  record.require_floating(0);
  return record.add<OpType>(std::move(attributes), record.like(0));
}

/// A backward operator, of the gradient and the forward's input or result, all of one shape and
/// floating dtype.
template <class OpType, class Check = decltype(kAnyAttributes)>
Value gradient(Operand grad, const Value& saved, typename OpType::Attributes attributes = {},
               Check check = {}) {
  Recorder record(OpType::declaration().name, {grad, saved}, grad.where);
  check(record, saved, attributes);
  record.require_floating(1);
  record.require_like(0, 1);
  return record.add<OpType>(std::move(attributes), record.like(1));
}

/// An elementwise operator of tensors that broadcast against each other. `result` checks them and
/// says the result's dtype, from that which they promote to.
template <class OpType, class Result>
Value broadcasting(Operand first, std::vector<Value> others, Result result,
                   typename OpType::Attributes attributes = {}) {
  others.insert(others.begin(), first);
  Recorder record(OpType::declaration().name, others, first.where);
  Shape shape = first.shape();
  DType dtype = first.dtype();
  for (const Value& each : others) {
    shape = record.broadcast(shape, each.shape());
    dtype = promote(dtype, each.dtype());
  }
  dtype = result(record, std::span<const Value>(others), dtype);
  return record.add<OpType>(std::move(attributes), {std::move(shape), dtype});
}

namespace detail {

/// For broadcasting(): all tensors are floating.
inline DType all_floating(const Recorder& record, std::span<const Value> inputs, DType promoted) {
  for (std::size_t i = 0; i < inputs.size(); ++i) record.require_floating(i);
  return promoted;
}

/// For broadcasting(): numbers, of which bool is none.
inline DType all_numbers(const Recorder& record, std::span<const Value> /*inputs*/,
                         DType promoted) {
  record.require_dtype(promoted != DType::boolean, "takes numbers, not bool; cast() it");
  return promoted;
}

/// A number beside x: a constant of x's dtype, which must hold it.
inline Value number_beside(std::string_view op, Operand x, double number) {
  Recorder(op, {x}, x.where).require_holds(x.dtype(), number, "the number");
  return x.graph().constant(Tensor::scalar(number, x.dtype()), x.where);
}

inline void require_values(std::string_view op, const std::vector<Value>& values) {
  if (values.empty()) throw ValueError(fmt::format("{}: expected at least one value", op));
}

/// Not NaN.
inline void require_number(const Recorder& record, double value, const char* name) {
  record.require_value(!std::isnan(value), "{} must be a number, got NaN", name);
}

/// The eps under a root: finite and at least 0.
inline void require_epsilon(const Recorder& record, double eps) {
  record.require_value(eps >= 0 && std::isfinite(eps), "eps must be finite and at least 0, got {}",
                       eps);
}

/// Sizes below 2^31: places made of them fit 64 bits.
constexpr std::int64_t kMostSize = (std::int64_t{1} << 31) - 1;

/// A number for each axis, from `least` on and below 2^31.
inline void require_per_axis(const Recorder& record, const char* name,
                             const std::vector<std::int64_t>& numbers, std::int64_t least,
                             std::size_t axes) {
  const auto fits = [=](std::int64_t each) { return each >= least && each <= kMostSize; };
  record.require_value(numbers.size() == axes && std::ranges::all_of(numbers, fits),
                       "{} must be one or {} numbers of at least {} and below 2^31, got {}", name,
                       axes == 2 ? "two" : "three", least, numbers);
}

/// The shape with another extent along dim, which is counted from the front.
inline Shape with_extent(const Shape& shape, std::int64_t dim, std::int64_t extent) {
  std::vector<std::int64_t> dims = shape.dims();
  dims[static_cast<std::size_t>(dim)] = extent;
  return Shape(std::move(dims));
}

/// x with dimensions of extent 1 in front, up to a rank.
inline Value with_rank(const Value& x, std::size_t rank) {
  std::vector<std::int64_t> dims = x.shape().dims();
  if (dims.size() >= rank) return x;
  dims.insert(dims.begin(), rank - dims.size(), 1);
  return reshape(x, std::move(dims));
}

/// The shape with the extent along dim halved.
inline Shape halved(const Recorder& record, const Shape& shape, std::int64_t dim) {
  record.require_shape(shape.rank() != 0, "a scalar has no axis to split");
  const auto axis = static_cast<std::size_t>(record.axis(dim, shape.rank()));
  std::vector<std::int64_t> dims = shape.dims();
  const bool is_last = axis + 1 == dims.size();
  record.require_shape(dims[axis] % 2 == 0, "{} must be even, got {}",
                       is_last ? "last dimension" : fmt::format("dimension {}", axis), dims[axis]);
  dims[axis] /= 2;
  return Shape(std::move(dims));
}

/// The gradient has the shape of one half of x along dim.
inline void require_half(const Recorder& record, const Value& gradient, const Value& x,
                         std::int64_t dim) {
  const Shape half = halved(record, x.shape(), dim);
  record.require_shape(gradient.shape() == half, "the gradient must have shape {}, got {}", half,
                       gradient.shape());
}

/// A backward operator whose mask says which gradients it writes: its node has those. The others
/// are empty Values.
template <class OpType, std::size_t kCount>
std::array<Value, kCount> record_wanted(Recorder& record, typename OpType::Attributes attributes,
                                        const std::array<bool, kCount>& wanted,
                                        TensorSpec (&&specs)[kCount]) {
  std::vector<TensorSpec> outputs;
  for (std::size_t k = 0; k < kCount; ++k) {
    if (wanted[k]) outputs.push_back(std::move(specs[k]));
  }
  const std::vector<Value> made = record.add<OpType>(std::move(attributes), std::move(outputs));
  std::array<Value, kCount> gradients;
  for (std::size_t k = 0, next = 0; k < kCount; ++k) {
    if (wanted[k]) gradients[k] = made[next++];
  }
  return gradients;
}

/// Its outputs in the call, null for those that are not wanted.
template <std::size_t kCount>
std::array<aclTensor*, kCount> wanted_outputs(const std::array<bool, kCount>& wanted,
                                              AclnnCall& call) {
  std::array<aclTensor*, kCount> outputs{};
  for (std::size_t k = 0, next = 0; k < kCount; ++k) {
    if (wanted[k]) outputs[k] = call.output(next++);
  }
  return outputs;
}

}  // namespace detail
}  // namespace aclgrad
