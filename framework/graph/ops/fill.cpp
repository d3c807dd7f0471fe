// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/fill.h"

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclgrad/to_float.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "aclnnop/aclnn_zero.h"

namespace aclgrad {

Value cast(const Value& x, DType dtype, std::source_location where) {
  Recorder record("cast", {x}, where);
  if (x.dtype() == dtype) return x;
  return record.add(std::make_shared<CastOp>(), {x.shape(), dtype});
}

Value copy(const Value& x, std::source_location where) {
  Recorder record("copy", {x}, where);
  return record.add(std::make_shared<CopyOp>(), {x.shape(), x.dtype()});
}

Value contiguous(const Value& x, std::source_location where) {
  return x.is_contiguous() ? x : copy(x, where);
}

Value zeros(Graph& graph, Shape shape, DType dtype, std::source_location where) {
  return Recorder("zeros", graph, where)
      .add(std::make_shared<ZerosOp>(), {std::move(shape), dtype});
}

Value full(Graph& graph, Shape shape, double value, DType dtype, std::source_location where) {
  return Recorder("full", graph, where)
      .add(std::make_shared<FullOp>(value), {std::move(shape), dtype});
}

Value normal(Graph& graph, Shape shape, double mean, double deviation, std::int64_t seed,
             std::int64_t offset, DType dtype, std::source_location where) {
  Recorder record("normal", graph, where);
  if (deviation < 0) {
    record.value_error(fmt::format("the deviation must not be negative, got {}", deviation));
  }
  return record.add(std::make_shared<NormalOp>(mean, deviation, seed, offset),
                    {std::move(shape), dtype});
}

Value uniform(Graph& graph, Shape shape, double low, double high, std::int64_t seed,
              std::int64_t offset, DType dtype, std::source_location where) {
  Recorder record("uniform", graph, where);
  if (low > high) {
    record.value_error(fmt::format("low must not exceed high, got {} and {}", low, high));
  }
  return record.add(std::make_shared<UniformOp>(low, high, seed, offset),
                    {std::move(shape), dtype});
}

aclnnStatus CastOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnCastGetWorkspaceSize(call.input(0),
                                   static_cast<aclDataType>(call.output_spec(0).dtype),
                                   call.output(0), size, executor);
}
PhaseTwo CastOp::phase_two() const { return aclnnCast; }

aclnnStatus CopyOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnInplaceCopyGetWorkspaceSize(call.output(0), call.input(0), size, executor);
}
PhaseTwo CopyOp::phase_two() const { return aclnnInplaceCopy; }

aclnnStatus ZerosOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnInplaceZeroGetWorkspaceSize(call.output(0), size, executor);
}
PhaseTwo ZerosOp::phase_two() const { return aclnnInplaceZero; }

std::string FullOp::attributes() const { return fmt::format("{}", value); }
aclnnStatus FullOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnInplaceFillScalarGetWorkspaceSize(
      call.output(0), call.scalar(value, call.output_spec(0).dtype), size, executor);
}
PhaseTwo FullOp::phase_two() const { return aclnnInplaceFillScalar; }

std::string NormalOp::attributes() const {
  return fmt::format("mean={}, deviation={}, seed={}, offset={}", mean, deviation, seed, offset);
}
aclnnStatus NormalOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnInplaceNormalGetWorkspaceSize(call.output(0), to_float(mean), to_float(deviation),
                                            seed, offset, size, executor);
}
PhaseTwo NormalOp::phase_two() const { return aclnnInplaceNormal; }

std::string UniformOp::attributes() const {
  return fmt::format("low={}, high={}, seed={}, offset={}", low, high, seed, offset);
}
aclnnStatus UniformOp::phase_one(Call& call, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnInplaceUniformGetWorkspaceSize(call.output(0), low, high,
                                             static_cast<std::uint64_t>(seed),
                                             static_cast<std::uint64_t>(offset), size, executor);
}
PhaseTwo UniformOp::phase_two() const { return aclnnInplaceUniform; }

}  // namespace aclgrad
