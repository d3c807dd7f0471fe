// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/index.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_index_select.h"
#include "graph/ops/index_helpers.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
using detail::require_index;
namespace {

std::int64_t checked_row(const Recorder& record, std::optional<std::int64_t> row,
                         std::int64_t rows) {
  if (!row) return -1;
  if (*row < 0 || *row >= rows) {
    record.value_error(fmt::format("padding_idx must be in [0, {}], got {}", rows - 1, *row));
  }
  return *row;
}

}  // namespace

Value index_select(Operand x, std::int64_t dim, const Value& index) {
  Recorder record("index_select", {x, index}, x.where);
  dim = detail::slices_dim(record, dim);
  return record.add<IndexSelectOp>(
      {dim}, {detail::with_extent(x.shape(), dim, index.shape().numel()), x.dtype()});
}

Value gather(Operand x, std::int64_t dim, const Value& index) {
  Recorder record("gather", {x, index}, x.where);
  require_index(record, 1);
  dim = record.axis(dim, x.shape().rank());
  detail::require_fits(record, index.shape(), x.shape(), dim);
  return record.add<GatherOp>({dim}, {index.shape(), x.dtype()});
}

Value embedding(Operand weight, const Value& indices, std::optional<std::int64_t> padding_idx) {
  Recorder record("embedding", {weight, indices}, weight.where);
  require_index(record, 1);
  if (weight.shape().rank() != 2) {
    record.shape_error(fmt::format("the weight must be a matrix, got {}", weight.shape()));
  }
  const std::int64_t padding = checked_row(record, padding_idx, weight.shape()[0]);
  Dims dims = indices.shape().dims();
  dims.push_back(weight.shape()[1]);
  return record.add<EmbeddingOp>({padding}, {Shape(std::move(dims)), weight.dtype()});
}

Value embedding_dense_backward(Operand grad, const Value& indices, std::int64_t rows,
                               std::optional<std::int64_t> padding_idx) {
  Recorder record("embedding_dense_backward", {grad, indices}, grad.where);
  record.require_floating(0);
  require_index(record, 1);
  Dims expected = indices.shape().dims();
  expected.push_back(grad.shape().rank() == 0 ? 0 : grad.shape()[-1]);
  if (grad.shape().dims() != expected) {
    record.shape_error(fmt::format("{} with shape {} must be rows for indices of shape {}",
                                   grad.description(), grad.shape(), indices.shape()));
  }
  if (rows < 0) record.value_error(fmt::format("rows must not be negative, got {}", rows));
  const std::int64_t padding = checked_row(record, padding_idx, rows);
  return record.add<EmbeddingDenseBackwardOp>({rows, padding, false},
                                              {Shape{rows, grad.shape()[-1]}, grad.dtype()});
}

Value arange(const Graph& graph, double start, double end, double step, DType dtype,
             std::source_location where) {
  Recorder record("arange", graph, where);
  if (!is_floating(dtype) && dtype != DType::int32 && dtype != DType::int64) {
    record.dtype_error(fmt::format("expected a floating dtype, int32 or int64, got {}", dtype));
  }
  for (const double each : {start, end, step}) {
    if (is_floating(dtype) ? std::isfinite(each) : std::trunc(each) == each) continue;
    record.value_error(fmt::format("{} is no {} to count by", each, dtype));
  }
  const double count = std::ceil((end - start) / step);
  if (!(step < 0 || step > 0) || !(count >= 0 && count < 0x1p62)) {
    record.value_error(fmt::format("a step of {} does not lead from {} to {}", step, start, end));
  }
  record.require_holds(dtype, start, "start");
  if (count > 1) record.require_holds(dtype, start + (count - 1) * step, "the last element");
  return record.add<ArangeOp>({start, end, step}, {Shape{static_cast<std::int64_t>(count)}, dtype});
}

std::string EmbeddingAttributes::text() const {
  return padding_idx < 0 ? "" : fmt::format("padding_idx={}", padding_idx);
}

namespace calls {

const Declaration<AlongAttributes> index_select = {"index_select", ACLGRAD_C(aclnnIndexSelect),
                                                   separate};
const Declaration<AlongAttributes> gather = {"gather", ACLGRAD_C(aclnnGather), separate};
const Declaration<EmbeddingAttributes> embedding = {
    "embedding", ACLGRAD_C(aclnnEmbedding), separate,
    [](const auto&, AclnnCall& call, auto... end) {
      return aclnnEmbeddingGetWorkspaceSize(call.input(0), call.input(1), call.output(0), end...);
    }};
const Declaration<EmbeddingBackwardAttributes> embedding_dense_backward = {
    "embedding_dense_backward", ACLGRAD_C(aclnnEmbeddingDenseBackward), separate};

const Declaration<ArangeAttributes> arange = {
    "arange", ACLGRAD_C(aclnnArange), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      // Exact, whatever the result's dtype is.
      const DType dtype = call.output_spec(0).dtype;
      const auto exactly = [&](double number) {
        return call.scalar(number, is_floating(dtype) ? DType::float64 : dtype);
      };
      return aclnnArangeGetWorkspaceSize(exactly(values.start), exactly(values.end),
                                         exactly(values.step), call.output(0), end...);
    }};

}  // namespace calls
}  // namespace aclgrad
