// SPDX-License-Identifier: Apache-2.0
// Which elements are the largest or the smallest, along an axis, of all, or up to each.
#include "aclgrad/ops/reduction.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_cummax.h"
#include "aclnnop/aclnn_cummin.h"
#include "aclnnop/aclnn_max.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_min.h"
#include "aclnnop/aclnn_min_dim.h"
#include "aclnnop/aclnn_topk.h"
#include "graph/ops/reduction_helpers.h"

namespace aclgrad {
namespace {

template <class OpType>
Value record_place(Operand x, std::int64_t dim, bool keepdim) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  record.require_dtype(x.dtype() != DType::boolean, "bool has no order");
  dim = record.axis(dim, x.shape().rank());
  return record.add<OpType>({dim, keepdim}, {detail::along(record, dim, keepdim), DType::int64});
}

template <class OpType>
Value record_extremum(Operand x) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  detail::require_elements(record, {});
  return record.add<OpType>({}, {Shape(), x.dtype()});
}

template <class OpType>
ValuesAndIndices record_running(Operand x, std::int64_t dim) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  return detail::record_found<OpType>(record, {record.axis(dim, x.shape().rank())}, x.shape());
}

}  // namespace

Value argmax(Operand x, std::int64_t dim, bool keepdim) {
  return record_place<ArgmaxOp>(x, dim, keepdim);
}
Value argmin(Operand x, std::int64_t dim, bool keepdim) {
  return record_place<ArgminOp>(x, dim, keepdim);
}

ValuesAndIndices max(Operand x, std::int64_t dim, bool keepdim) {
  return detail::record_search<MaxOp>(x, dim, keepdim);
}
ValuesAndIndices min(Operand x, std::int64_t dim, bool keepdim) {
  return detail::record_search<MinOp>(x, dim, keepdim);
}

Value max(Operand x) { return record_extremum<MaxOfAllOp>(x); }
Value min(Operand x) { return record_extremum<MinOfAllOp>(x); }

ValuesAndIndices cummax(Operand x, std::int64_t dim) { return record_running<CummaxOp>(x, dim); }
ValuesAndIndices cummin(Operand x, std::int64_t dim) { return record_running<CumminOp>(x, dim); }

ValuesAndIndices topk(Operand x, std::int64_t k, std::int64_t dim, bool largest) {
  Recorder record("topk", {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  std::vector<std::int64_t> dims = x.shape().dims();
  const std::int64_t size = dims.empty() ? 1 : dims[static_cast<std::size_t>(dim)];
  record.require_shape(k >= (dims.empty() ? 1 : 0) && k <= size,
                       "k = {} is out of range for axis {} of {}", k, dim, x.shape());
  if (!dims.empty()) dims[static_cast<std::size_t>(dim)] = k;
  return detail::record_found<TopkOp>(record, {k, dim, largest, true}, Shape(std::move(dims)));
}

namespace calls {

const Declaration<SearchAttributes> argmax = {"argmax", ACLGRAD_C(aclnnArgMax), separate};
const Declaration<SearchAttributes> argmin = {"argmin", ACLGRAD_C(aclnnArgMin), separate};
const Declaration<SearchAttributes> max = {"max", ACLGRAD_C(aclnnMaxDim), separate};
const Declaration<SearchAttributes> min = {"min", ACLGRAD_C(aclnnMinDim), separate};
const Declaration<> max_of_all = {"max", ACLGRAD_C(aclnnMax), separate};
const Declaration<> min_of_all = {"min", ACLGRAD_C(aclnnMin), separate};
const Declaration<DimAttributes> cummax = {"cummax", ACLGRAD_C(aclnnCummax), separate};
const Declaration<DimAttributes> cummin = {"cummin", ACLGRAD_C(aclnnCummin), separate};
const Declaration<TopkAttributes> topk = {"topk", ACLGRAD_C(aclnnTopk), separate};

}  // namespace calls
}  // namespace aclgrad
