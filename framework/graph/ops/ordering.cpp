// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/ordering.h"

#include <algorithm>
#include <cmath>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_bincount.h"
#include "aclnnop/aclnn_bucketize.h"
#include "aclnnop/aclnn_histc.h"
#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_median.h"
#include "aclnnop/aclnn_searchsorted.h"
#include "aclnnop/aclnn_sort.h"
#include "graph/ops/record_helpers.h"
#include "graph/ops/reduction_helpers.h"

namespace aclgrad {
namespace {

void require_numbers_in_order(const Recorder& record, std::size_t input) {
  record.require_dtype(record.input(input).dtype() != DType::boolean,
                       "{} must be numbers, got bool", record.input(input));
}

template <class OpType>
Value record_median(Operand x) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  require_numbers_in_order(record, 0);
  if (!is_floating(x.dtype())) detail::require_elements(record, {});
  return record.add<OpType>({}, {Shape(), x.dtype()});
}

template <class OpType>
ValuesAndIndices record_median_along(Operand x, std::int64_t dim, bool keepdim) {
  require_numbers_in_order(Recorder(OpType::declaration().name, {x}, x.where), 0);
  return detail::record_search<OpType>(x, dim, keepdim);
}

void require_whole(const Recorder& record, std::size_t input) {
  const DType dtype = record.input(input).dtype();
  record.require_dtype(!is_floating(dtype) && dtype != DType::boolean,
                       "{} must be whole numbers, got {}", record.input(input), dtype);
}

}  // namespace

ValuesAndIndices sort(Operand x, std::int64_t dim, bool descending) {
  Recorder record("sort", {x}, x.where);
  return detail::record_found<SortOp>(record, {record.axis(dim, x.shape().rank()), descending},
                                      x.shape());
}

Value argsort(Operand x, std::int64_t dim, bool descending) {
  Recorder record("argsort", {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  return record.add<ArgsortOp>({dim, descending}, {x.shape(), DType::int64});
}

Value median(Operand x) { return record_median<MedianOp>(x); }
Value nanmedian(Operand x) { return record_median<NanmedianOp>(x); }

ValuesAndIndices median(Operand x, std::int64_t dim, bool keepdim) {
  return record_median_along<MedianDimOp>(x, dim, keepdim);
}
ValuesAndIndices nanmedian(Operand x, std::int64_t dim, bool keepdim) {
  return record_median_along<NanmedianDimOp>(x, dim, keepdim);
}

ValuesAndIndices kthvalue(Operand x, std::int64_t k, std::int64_t dim, bool keepdim) {
  Recorder record("kthvalue", {x}, x.where);
  require_numbers_in_order(record, 0);
  dim = record.axis(dim, x.shape().rank());
  const Shape shape = detail::along(record, dim, keepdim);
  const std::int64_t size = x.shape().rank() == 0 ? 1 : x.shape()[dim];
  record.require_value(k >= 1 && k <= size, "k = {} is out of range for axis {} of {}", k, dim,
                       x.shape());
  return detail::record_found<KthvalueOp>(record, {k, dim, keepdim}, shape);
}

Value searchsorted(Operand sequence, const Value& numbers, const SearchsortedOptions& options) {
  std::vector<Value> inputs = {sequence, numbers};
  if (options.sorter.valid()) inputs.push_back(options.sorter);
  Recorder record("searchsorted", std::move(inputs), sequence.where);
  for (const std::size_t input : {0, 1}) require_numbers_in_order(record, input);
  const Shape &from = sequence.shape(), &to = numbers.shape();
  const bool by_rows = from.rank() == to.rank() && from.rank() > 0 &&
                       detail::with_extent(from, static_cast<std::int64_t>(from.rank()) - 1, 0) ==
                           detail::with_extent(to, static_cast<std::int64_t>(to.rank()) - 1, 0);
  record.require_shape(from.rank() == 1 || by_rows,
                       "a sequence of shape {} has no row for each of the numbers' {}", from, to);
  if (options.sorter.valid()) {
    record.require_same_shape(2, 0);
    record.require_dtype(options.sorter.dtype() == DType::int64, "{} must be int64, got {}",
                         options.sorter, options.sorter.dtype());
  }
  return record.add<SearchsortedOp>({options.right}, {to, DType::int64});
}

Value bucketize(Operand x, const Value& boundaries, bool right) {
  Recorder record("bucketize", {x, boundaries}, x.where);
  for (const std::size_t input : {0, 1}) require_numbers_in_order(record, input);
  record.require_shape(boundaries.shape().rank() == 1,
                       "the boundaries must have one dimension, got {}", boundaries.shape());
  return record.add<BucketizeOp>({right}, {x.shape(), DType::int64});
}

Value bincount(Operand x, std::int64_t size, const Value& weights) {
  std::vector<Value> inputs = {x};
  if (weights.valid()) inputs.push_back(weights);
  Recorder record("bincount", std::move(inputs), x.where);
  require_whole(record, 0);
  record.require_shape(x.shape().rank() == 1, "expected numbers of one dimension, got {}",
                       x.shape());
  record.require_value(size >= 0, "the size must not be negative, got {}", size);
  DType dtype = DType::int64;
  if (weights.valid()) {
    record.require_same_shape(1, 0);
    dtype = weights.dtype() == DType::float32 ? DType::float32 : DType::float64;
  }
  return record.add<BincountOp>({size}, {Shape{size}, dtype});
}

Value histc(Operand x, std::int64_t bins, double min, double max) {
  Recorder record("histc", {x}, x.where);
  record.require_floating(0);
  record.require_value(bins > 0, "there must be intervals, got {}", bins);
  record.require_value(std::isfinite(min) && std::isfinite(max) && min <= max,
                       "expected a finite range, got {} to {}", min, max);
  record.require_holds(x.dtype(), min, "min");
  record.require_holds(x.dtype(), max, "max");
  return record.add<HistcOp>({bins, min, max}, {Shape{bins}, x.dtype()});
}

Value nonzero_static(Operand x, std::int64_t size, std::int64_t fill_value) {
  const RecordScope scope(x);
  const Recorder record("nonzero_static", {x}, x.where);
  const Shape& shape = x.shape();
  record.require_shape(shape.rank() != 0, "a scalar has no places");
  record.require_value(size >= 0, "the size must not be negative, got {}", size);
  const std::int64_t numel = shape.numel(), found = std::min(size, numel);
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const auto filling = static_cast<double>(fill_value);
  if (found == 0) return full(x.graph(), {size, rank}, filling, DType::int64, x.where);
  // What is not 0 stands first, in its order.
  const Value is_there = reshape(ne(x, 0.0), {numel});
  const Value places = slice(argsort(is_there, 0, true), 0, 0, found);
  std::vector<Value> columns;
  for (std::int64_t dim = 0; dim < rank; ++dim) {
    const auto extent = static_cast<double>(shape[dim]);
    Dims along(shape.rank(), 1);
    along[static_cast<std::size_t>(dim)] = shape[dim];
    const Value numbers = reshape(arange(x.graph(), 0, extent, 1, DType::int64), std::move(along));
    columns.push_back(index_select(reshape(expand(numbers, shape), {numel}), 0, places));
  }
  const Value is_found = reshape(index_select(is_there, 0, places), {found, 1});
  const Value rows = masked_fill(stack(std::move(columns), 1), eq(is_found, 0.0), filling);
  return size == found ? rows : pad(rows, {0, 0, 0, size - found}, filling);
}

namespace calls {

const Declaration<SortAttributes> sort = {"sort", ACLGRAD_C(aclnnSort), separate};
const Declaration<ArgsortAttributes> argsort = {"argsort", ACLGRAD_C(aclnnArgsort), separate};
const Declaration<> median = {"median", ACLGRAD_C(aclnnMedian), separate};
const Declaration<> nanmedian = {"nanmedian", ACLGRAD_C(aclnnNanMedian), separate};
const Declaration<SearchAttributes> median_dim = {"median", ACLGRAD_C(aclnnMedianDim), separate};
const Declaration<SearchAttributes> nanmedian_dim = {"nanmedian", ACLGRAD_C(aclnnNanMedianDim),
                                                     separate};
const Declaration<KthvalueAttributes> kthvalue = {"kthvalue", ACLGRAD_C(aclnnKthvalue), separate};
const Declaration<SearchsortedAttributes> searchsorted = {
    "searchsorted", ACLGRAD_C(aclnnSearchSorted), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const aclTensor* const sorter = call.input_count() > 2 ? call.input(2) : nullptr;
      return aclnnSearchSortedGetWorkspaceSize(call.input(0), call.input(1), false, values.right,
                                               sorter, call.output(0), end...);
    }};
const Declaration<SearchsortedAttributes> bucketize = {"bucketize", ACLGRAD_C(aclnnBucketize),
                                                       separate};
const Declaration<BincountAttributes> bincount = {
    "bincount", ACLGRAD_C(aclnnBincount), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const aclTensor* const weights = call.input_count() > 1 ? call.input(1) : nullptr;
      return aclnnBincountGetWorkspaceSize(call.input(0), weights, values.bins, call.output(0),
                                           end...);
    }};
const Declaration<HistcAttributes> histc = {"histc", ACLGRAD_C(aclnnHistc), separate};

}  // namespace calls
}  // namespace aclgrad
