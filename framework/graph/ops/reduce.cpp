// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/reduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"

namespace aclgrad {
namespace {

using Axes = std::vector<std::int64_t>;

// From the front, sorted, all of them when none are given.
Axes normalized(const Recorder& record, Axes axes, std::size_t rank) {
  if (axes.empty()) {
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
    return axes;
  }
  for (std::int64_t& axis : axes) axis = record.axis(axis, rank);
  std::sort(axes.begin(), axes.end());
  const auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) record.shape_error(fmt::format("axis {} is named twice", *twice));
  return rank == 0 ? Axes{} : axes;
}

Shape reduced(const Shape& shape, const Axes& axes, bool keepdim) {
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const bool gone = std::binary_search(axes.begin(), axes.end(), static_cast<std::int64_t>(i));
    if (!gone) dims.push_back(shape.dims()[i]);
    if (gone && keepdim) dims.push_back(1);
  }
  return Shape(std::move(dims));
}

template <class ReductionOp>
Value record_reduction(Recorder& record, Axes axes, bool keepdim) {
  const Value& x = record.input(0);
  axes = normalized(record, std::move(axes), x.shape().rank());
  Shape shape = reduced(x.shape(), axes, keepdim);
  return record.add<ReductionOp>({std::move(axes), keepdim}, {std::move(shape), x.dtype()});
}

}  // namespace

Value reduce_sum(const Value& x, std::vector<std::int64_t> axes, bool keepdim,
                 std::source_location where) {
  Recorder record("reduce_sum", {x}, where);
  return record_reduction<ReduceSumOp>(record, std::move(axes), keepdim);
}

Value mean(const Value& x, std::vector<std::int64_t> axes, bool keepdim,
           std::source_location where) {
  Recorder record("mean", {x}, where);
  record.require_floating(0);
  return record_reduction<MeanOp>(record, std::move(axes), keepdim);
}

std::string ReductionAttributes::text() const {
  return fmt::format("axes=[{}]{}", fmt::join(axes, ", "), keepdim ? ", keepdim" : "");
}

namespace calls {

constexpr Declaration<ReductionAttributes> reduce_sum("reduce_sum", "aclnnReduceSum",
                                                      aclnnReduceSum, separate,
                                                      in_order<aclnnReduceSumGetWorkspaceSize>);
constexpr Declaration<ReductionAttributes> mean("mean", "aclnnMean", aclnnMean, separate,
                                                in_order<aclnnMeanGetWorkspaceSize>);

}  // namespace calls
}  // namespace aclgrad
