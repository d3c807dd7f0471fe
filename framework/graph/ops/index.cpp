// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/index.h"

#include <cmath>

#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_gather.h"
#include "aclnnop/aclnn_index_select.h"
#include "aclnnop/aclnn_one_hot.h"
#include "graph/ops/index_helpers.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
using detail::require_index;

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
  record.require_shape(weight.shape().rank() == 2, "the weight must be a matrix, got {}",
                       weight.shape());
  const std::int64_t padding = detail::padding_row(record, padding_idx, weight.shape()[0]);
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
  record.require_shape(grad.shape().dims() == expected,
                       "{} with shape {} must be rows for indices of shape {}", grad, grad.shape(),
                       indices.shape());
  record.require_value(rows >= 0, "rows must not be negative, got {}", rows);
  const std::int64_t padding = detail::padding_row(record, padding_idx, rows);
  return record.add<EmbeddingDenseBackwardOp>({rows, padding, false},
                                              {Shape{rows, grad.shape()[-1]}, grad.dtype()});
}

Value arange(const Graph& graph, double start, double end, double step, DType dtype,
             std::source_location where) {
  Recorder record("arange", graph, where);
  record.require_dtype(is_floating(dtype) || dtype == DType::int32 || dtype == DType::int64,
                       "expected a floating dtype, int32 or int64, got {}", dtype);
  for (const double each : {start, end, step}) {
    record.require_value(is_floating(dtype) ? std::isfinite(each) : std::trunc(each) == each,
                         "{} is no {} to count by", each, dtype);
  }
  const double count = std::ceil((end - start) / step);
  record.require_value((step < 0 || step > 0) && count >= 0 && count < 0x1p62,
                       "a step of {} does not lead from {} to {}", step, start, end);
  record.require_holds(dtype, start, "start");
  if (count > 1) record.require_holds(dtype, start + (count - 1) * step, "the last element");
  return record.add<ArangeOp>({start, end, step}, {Shape{static_cast<std::int64_t>(count)}, dtype});
}

Value one_hot(Operand x, std::int64_t classes, DType dtype) {
  const RecordScope scope(x);
  const auto number = [&](double value) {
    return x.graph().constant(Tensor::full({1}, value, dtype), x.where);
  };
  const Value on = number(1), off = number(0);
  Recorder record("one_hot", {x, on, off}, x.where);
  record.require_dtype(!is_floating(x.dtype()) && x.dtype() != DType::boolean,
                       "{} must be whole numbers, got {}", x, x.dtype());
  record.require_value(classes >= 0, "classes must not be negative, got {}", classes);
  Dims dims = x.shape().dims();
  dims.push_back(classes);
  return record.add<OneHotOp>({classes}, {Shape(std::move(dims)), dtype});
}

std::string EmbeddingAttributes::text() const {
  return padding_idx < 0 ? "" : fmt::format("padding_idx={}", padding_idx);
}

namespace calls {

const Declaration<DimAttributes> index_select = {"index_select", ACLGRAD_C(aclnnIndexSelect),
                                                 separate};
const Declaration<DimAttributes> gather = {"gather", ACLGRAD_C(aclnnGather), separate};
const Declaration<EmbeddingAttributes> embedding = {"embedding", ACLGRAD_C(aclnnEmbedding),
                                                    separate};
const Declaration<EmbeddingBackwardAttributes> embedding_dense_backward = {
    "embedding_dense_backward", ACLGRAD_C(aclnnEmbeddingDenseBackward), separate};

const Declaration<OneHotAttributes> one_hot = {"one_hot", ACLGRAD_C(aclnnOneHot), separate};

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
