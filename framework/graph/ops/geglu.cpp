// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/geglu.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"

namespace aclgrad {
namespace {

// The shape with the extent along dim halved.
Shape halved(const Recorder& record, const Shape& shape, std::int64_t dim) {
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

std::string describe(std::int64_t dim, Approximate approximate, bool activate_left) {
  return fmt::format("dim={}, approximate={}, activate_left={}", dim, to_string(approximate),
                     activate_left);
}

}  // namespace

Value geglu(const Value& x, std::int64_t dim, Approximate approximate, bool activate_left,
            std::source_location where) {
  Recorder record("geglu", {x}, where);
  record.require_floating(0);
  const TensorSpec half{halved(record, x.shape(), dim), x.dtype()};
  return record.add(std::make_shared<GegluOp>(dim, approximate, activate_left), {half, half})
      .front();
}

Value geglu_backward(const Value& grad, const Value& x, const Value& gelu, std::int64_t dim,
                     Approximate approximate, bool activate_left, std::source_location where) {
  Recorder record("geglu_backward", {grad, x, gelu}, where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  record.require_same_shape(0, 2);
  if (const Shape half = halved(record, x.shape(), dim); grad.shape() != half) {
    record.shape_error(fmt::format("the gradient must have shape {}, got {}", half, grad.shape()));
  }
  return record.add(std::make_shared<GegluBackwardOp>(dim, approximate, activate_left),
                    {x.shape(), x.dtype()});
}

std::string GegluOp::attributes() const { return describe(dim, approximate, activate_left); }
aclnnStatus GegluOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnGeGluV3GetWorkspaceSize(call.input(0), dim, static_cast<std::int64_t>(approximate),
                                      activate_left, call.output(0), call.output(1), size,
                                      executor);
}
PhaseTwo GegluOp::phase_two() const { return aclnnGeGluV3; }

std::string GegluBackwardOp::attributes() const {
  return describe(dim, approximate, activate_left);
}
aclnnStatus GegluBackwardOp::phase_one(Call& call, std::uint64_t* size,
                                       aclOpExecutor** executor) const {
  return aclnnGeGluV3BackwardGetWorkspaceSize(call.input(0), call.input(1), call.input(2), dim,
                                              static_cast<std::int64_t>(approximate), activate_left,
                                              call.output(0), size, executor);
}
PhaseTwo GegluBackwardOp::phase_two() const { return aclnnGeGluV3Backward; }

}  // namespace aclgrad
