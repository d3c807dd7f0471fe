// SPDX-License-Identifier: Apache-2.0
// Tensors made from nothing.
#include <cmath>
#include <vector>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_zero.h"
#include "graph/ops/record_helpers.h"
#include "tensor/at_least_float.h"

namespace aclgrad {
namespace {

// The places of a matrix that a triangle has.
template <class IsIn>
Value places_in(const char* name, const Graph& graph, std::int64_t rows, std::int64_t columns,
                std::source_location where, const IsIn& is_in) {
  Recorder(name, graph, where)
      .require_value(rows >= 0 && columns >= 0, "there is no matrix of {} rows and {} columns",
                     rows, columns);
  std::vector<std::int64_t> places, of_columns;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (!is_in(i, j)) continue;
      places.push_back(i);
      of_columns.push_back(j);
    }
  }
  const auto count = static_cast<std::int64_t>(places.size());
  places.insert(places.end(), of_columns.begin(), of_columns.end());
  const std::span<const std::int64_t> numbers = places;
  return graph.constant(Tensor::from({2, count}, numbers), where);
}

}  // namespace

Value zeros(const Graph& graph, Shape shape, DType dtype, std::source_location where) {
  return Recorder("zeros", graph, where).add<ZerosOp>({}, {std::move(shape), dtype});
}

Value full(const Graph& graph, Shape shape, double value, DType dtype, std::source_location where) {
  Recorder record("full", graph, where);
  record.require_holds(dtype, value, "the value");
  return record.add<FullOp>({value}, {std::move(shape), dtype});
}

Value ones(const Graph& graph, Shape shape, DType dtype, std::source_location where) {
  return full(graph, std::move(shape), 1, dtype, where);
}

Value zeros_like(Operand x) { return zeros(x.graph(), x.shape(), x.dtype(), x.where); }
Value ones_like(Operand x) { return full_like(x, 1); }
Value full_like(Operand x, double value) {
  return full(x.graph(), x.shape(), value, x.dtype(), x.where);
}

Value eye(const Graph& graph, std::int64_t rows, std::optional<std::int64_t> columns, DType dtype,
          std::source_location where) {
  Recorder record("eye", graph, where);
  const std::int64_t width = columns.value_or(rows);
  record.require_value(rows >= 0 && width >= 0, "there is no matrix of {} rows and {} columns",
                       rows, width);
  return record.add<EyeOp>({rows, width}, {Shape{rows, width}, dtype});
}

Value linspace(const Graph& graph, double start, double end, std::int64_t steps, DType dtype,
               std::source_location where) {
  Recorder record("linspace", graph, where);
  record.require_value(steps >= 0, "steps must not be negative, got {}", steps);
  record.require_dtype(dtype != DType::boolean, "bool counts nothing");
  for (const double each : {start, end}) {
    record.require_value(std::isfinite(each), "{} is no number to begin or end with", each);
    record.require_holds(dtype, is_floating(dtype) ? each : std::trunc(each), "an end");
  }
  return record.add<LinspaceOp>({start, end, steps}, {Shape{steps}, dtype});
}

Value logspace(const Graph& graph, double start, double end, std::int64_t steps, double base,
               DType dtype, std::source_location where) {
  const RecordScope scope(graph, where);
  const Recorder record("logspace", graph, where);
  record.require_dtype(is_floating(dtype), "expected a floating dtype, got {}", dtype);
  record.require_value(base > 0 && std::isfinite(base), "the base must be above 0, got {}", base);
  const DType wide = detail::at_least_float(dtype);
  const Value powers = linspace(graph, start, end, steps, wide, where);
  return cast(pow(graph.constant(Tensor::scalar(base, wide), where), powers), dtype);
}

Value tril_indices(const Graph& graph, std::int64_t rows, std::int64_t columns, std::int64_t offset,
                   std::source_location where) {
  return places_in("tril_indices", graph, rows, columns, where,
                   [=](std::int64_t i, std::int64_t j) { return j - i <= offset; });
}

Value triu_indices(const Graph& graph, std::int64_t rows, std::int64_t columns, std::int64_t offset,
                   std::source_location where) {
  return places_in("triu_indices", graph, rows, columns, where,
                   [=](std::int64_t i, std::int64_t j) { return j - i >= offset; });
}

std::string FullAttributes::text() const { return fmt::format("{}", value); }

namespace calls {

const Declaration<> zeros = {"zeros", ACLGRAD_C(aclnnInplaceZero), separate};
const Declaration<FullAttributes> full = {"full", ACLGRAD_C(aclnnInplaceFillScalar), separate};
const Declaration<EyeAttributes> eye = {"eye", ACLGRAD_C(aclnnEye), separate};
const Declaration<LinspaceAttributes> linspace = {
    "linspace", ACLGRAD_C(aclnnLinspace), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnLinspaceGetWorkspaceSize(call.scalar(values.start, DType::float64),
                                           call.scalar(values.end, DType::float64), values.steps,
                                           call.output(0), end...);
    }};

}  // namespace calls
}  // namespace aclgrad
