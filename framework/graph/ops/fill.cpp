// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/fill.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclgrad/to_float.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "aclnnop/aclnn_zero.h"
#include "graph/ops/families.h"

namespace aclgrad {
namespace {

// What random numbers of a floating dtype are drawn by is finite.
void require_random(const Recorder& record, DType dtype, double number, std::string_view what) {
  if (!is_floating(dtype)) {
    record.dtype_error(fmt::format("random numbers are of a floating dtype, not {}", dtype));
  }
  if (!std::isfinite(number)) {
    record.value_error(fmt::format("{} must be finite, got {}", what, number));
  }
  record.require_holds(dtype, number, what);
}

}  // namespace

Value cast(const Value& x, DType dtype, std::source_location where) {
  Recorder record("cast", {x}, where);
  if (x.dtype() == dtype) return x;
  return record.add<CastOp>({}, {x.shape(), dtype});
}

Value copy(const Value& x, std::source_location where) {
  Recorder record("copy", {x}, where);
  return record.add<CopyOp>({}, record.like(0));
}

Value contiguous(const Value& x, std::source_location where) {
  return x.is_contiguous() ? x : copy(x, where);
}

Value zeros(const Graph& graph, Shape shape, DType dtype, std::source_location where) {
  return Recorder("zeros", graph, where).add<ZerosOp>({}, {std::move(shape), dtype});
}

Value full(const Graph& graph, Shape shape, double value, DType dtype, std::source_location where) {
  Recorder record("full", graph, where);
  record.require_holds(dtype, value, "the value");
  return record.add<FullOp>({value}, {std::move(shape), dtype});
}

Value normal(const Graph& graph, Shape shape, double mean, double stddev, std::int64_t seed,
             std::int64_t offset, DType dtype, std::source_location where) {
  Recorder record("normal", graph, where);
  require_random(record, dtype, mean, "the mean");
  require_random(record, dtype, stddev, "the standard deviation");
  if (stddev < 0) {
    record.value_error(fmt::format("the standard deviation must not be negative, got {}", stddev));
  }
  return record.add<NormalOp>({mean, stddev, seed, offset}, {std::move(shape), dtype});
}

Value uniform(const Graph& graph, Shape shape, double low, double high, std::int64_t seed,
              std::int64_t offset, DType dtype, std::source_location where) {
  Recorder record("uniform", graph, where);
  require_random(record, dtype, low, "low");
  require_random(record, dtype, high, "high");
  if (low > high) {
    record.value_error(fmt::format("low must not exceed high, got {} and {}", low, high));
  }
  return record.add<UniformOp>({low, high, seed, offset}, {std::move(shape), dtype});
}

std::string FullAttributes::text() const { return fmt::format("{}", value); }

namespace calls {

ACLGRAD_CALL(cast, aclnnCast, separate)
ACLGRAD_CALL(copy, aclnnInplaceCopy, separate)
ACLGRAD_CALL(zeros, aclnnInplaceZero, separate)

constexpr Declaration<FullAttributes> full("full", "aclnnInplaceFillScalar", aclnnInplaceFillScalar,
                                           separate,
                                           [](const FullAttributes& values, Call& call,
                                              auto... end) {
                                             return aclnnInplaceFillScalarGetWorkspaceSize(
                                                 call.output(0), call.scalar(values.value), end...);
                                           });

ACLGRAD_CALL(normal, aclnnInplaceNormal, separate, NormalAttributes)
ACLGRAD_CALL(uniform, aclnnInplaceUniform, separate, UniformAttributes)

}  // namespace calls
}  // namespace aclgrad
