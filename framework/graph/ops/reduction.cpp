// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/reduction.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_cdist.h"
#include "aclnnop/aclnn_cdist_backward.h"
#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_logsumexp.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_topk.h"
#include "aclnnop/aclnn_var.h"
#include "graph/ops/record_helpers.h"
#include "tensor/at_least_float.h"

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

std::string axes_text(const Axes& axes, bool keepdim) {
  return fmt::format("axes=[{}]{}", fmt::join(axes, ", "), keepdim ? ", keepdim" : "");
}

// Of no elements there is no largest one.
void require_elements(const Recorder& record, const Axes& axes) {
  const Shape& shape = record.input(0).shape();
  for (const std::int64_t axis : normalized(record, axes, shape.rank())) {
    record.require_shape(shape[axis] != 0, "axis {} of {} has no elements", axis, shape);
  }
}

// `attributes` makes those of the operator from the axes.
template <class OpType, class Attributes>
Value record_reduction(Recorder& record, Axes axes, bool keepdim, const Attributes& attributes) {
  const Value& x = record.input(0);
  axes = normalized(record, std::move(axes), x.shape().rank());
  Shape shape = reduced(x.shape(), axes, keepdim);
  return record.add<OpType>(attributes(std::move(axes)), {std::move(shape), x.dtype()});
}

template <class OpType>
Value record_reduction(Recorder& record, Axes axes, bool keepdim) {
  return record_reduction<OpType>(record, std::move(axes), keepdim, [&](Axes normal) {
    return ReductionAttributes{std::move(normal), keepdim};
  });
}

}  // namespace

Value reduce_sum(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("reduce_sum", {x}, x.where);
  return record_reduction<ReduceSumOp>(record, std::move(axes), keepdim);
}

Value mean(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("mean", {x}, x.where);
  record.require_floating(0);
  return record_reduction<MeanOp>(record, std::move(axes), keepdim);
}

Value amax(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("amax", {x}, x.where);
  require_elements(record, axes);
  return record_reduction<AmaxOp>(record, std::move(axes), keepdim);
}

Value amin(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("amin", {x}, x.where);
  require_elements(record, axes);
  return record_reduction<AminOp>(record, std::move(axes), keepdim);
}

Value var(Operand x, std::vector<std::int64_t> axes, VarOptions options) {
  Recorder record("var", {x}, x.where);
  record.require_floating(0);
  return record_reduction<VarOp>(record, std::move(axes), options.keepdim, [&](Axes normal) {
    return VarAttributes{std::move(normal), options.unbiased, options.keepdim};
  });
}

Value stddev(Operand x, std::vector<std::int64_t> axes, VarOptions options) {
  Recorder record("stddev", {x}, x.where);
  record.require_floating(0);
  return record_reduction<StddevOp>(record, std::move(axes), options.keepdim, [&](Axes normal) {
    return StddevAttributes{std::move(normal), options.unbiased ? 1 : 0, options.keepdim};
  });
}

Value logsumexp(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("logsumexp", {x}, x.where);
  record.require_floating(0);
  return record_reduction<LogsumexpOp>(record, std::move(axes), keepdim);
}

Value norm(Operand x, std::vector<std::int64_t> axes, NormOptions options) {
  Recorder record("norm", {x}, x.where);
  detail::require_number(record, options.p, "p");
  record.require_floating(0);
  return record_reduction<NormOp>(record, std::move(axes), options.keepdim, [&](Axes normal) {
    return NormAttributes{options.p, std::move(normal), options.keepdim};
  });
}

Value renorm(Operand x, double p, std::int64_t dim, double max_norm) {
  const RecordScope scope(x);
  const Recorder record("renorm", {x}, x.where);
  record.require_floating(0);
  const std::size_t rank = x.shape().rank();
  record.require_shape(rank >= 2, "expected slices of a tensor, got {}", x.shape());
  record.require_value(p > 0, "p must be above 0, got {}", p);
  record.require_value(max_norm >= 0, "max_norm must be at least 0, got {}", max_norm);
  dim = record.axis(dim, rank);
  if (std::isinf(max_norm)) return copy(x);
  Axes inside;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis) {
    if (axis != dim) inside.push_back(axis);
  }
  const DType wide = detail::at_least_float(x.dtype());  // which has 1e-7, and small factors
  const Value slices = cast(x, wide);
  const Value norms = norm(slices, inside, {.p = p, .keepdim = true});
  const Value scaled = reciprocal(norms + 1e-7) * max_norm;
  const Value one = x.graph().constant(Tensor::full({}, 1, wide));
  return cast(mul(slices, where(gt(norms, max_norm), scaled, one)), x.dtype());
}

Value cumsum(Operand x, std::int64_t dim, CumsumOptions options) {
  Recorder record("cumsum", {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  return record.add<CumsumOp>({dim, options.exclusive, options.reverse}, record.like(0));
}

Value cumprod(Operand x, std::int64_t dim) {
  Recorder record("cumprod", {x}, x.where);
  return record.add<CumprodOp>({record.axis(dim, x.shape().rank())}, record.like(0));
}

std::string ReductionAttributes::text() const { return axes_text(axes, keepdim); }
std::string VarAttributes::text() const {
  return axes_text(axes, keepdim) + (unbiased ? "" : ", biased");
}
std::string StddevAttributes::text() const {
  return axes_text(axes, keepdim) + (correction == 1 ? "" : ", biased");
}
std::string NormAttributes::text() const {
  return fmt::format("p={}, {}", p, axes_text(axes, keepdim));
}

namespace calls {

const Declaration<ReductionAttributes> reduce_sum = {"reduce_sum", ACLGRAD_C(aclnnReduceSum),
                                                     separate};
const Declaration<ReductionAttributes> mean = {"mean", ACLGRAD_C(aclnnMean), separate};

const Declaration<ReductionAttributes> amax = {"amax", ACLGRAD_C(aclnnAmax), separate};
const Declaration<ReductionAttributes> amin = {"amin", ACLGRAD_C(aclnnAmin), separate};
const Declaration<VarAttributes> var = {"var", ACLGRAD_C(aclnnVar), separate};
const Declaration<NormAttributes> norm = {"norm", ACLGRAD_C(aclnnNorm), separate};
const Declaration<StddevAttributes> stddev = {"stddev", ACLGRAD_C(aclnnStd), separate};
const Declaration<ReductionAttributes> logsumexp = {"logsumexp", ACLGRAD_C(aclnnLogSumExp),
                                                    separate};
const Declaration<CumsumAttributes> cumsum = {"cumsum", ACLGRAD_C(aclnnCumsumV2), separate};
const Declaration<DimAttributes> cumprod = {
    "cumprod", ACLGRAD_C(aclnnCumprod), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const aclScalar* const dim = call.scalar(static_cast<double>(values.dim), DType::int64);
      return aclnnCumprodGetWorkspaceSize(call.input(0), dim, call.output_dtype(), call.output(0),
                                          end...);
    }};

}  // namespace calls

namespace {

// Without the axis, or with extent 1. There must be elements along it.
Shape along(const Recorder& record, std::int64_t axis, bool keepdim) {
  const Shape& shape = record.input(0).shape();
  std::vector<std::int64_t> dims = shape.dims();
  if (dims.empty()) return shape;
  const auto place = dims.begin() + axis;
  record.require_shape(*place != 0, "axis {} of {} has no elements", axis, shape);
  if (keepdim) {
    *place = 1;
  } else {
    dims.erase(place);
  }
  return Shape(std::move(dims));
}

}  // namespace

Value argmax(Operand x, std::int64_t dim, bool keepdim) {
  Recorder record("argmax", {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  return record.add<ArgmaxOp>({dim, keepdim}, {along(record, dim, keepdim), DType::int64});
}

ValuesAndIndices max(Operand x, std::int64_t dim, bool keepdim) {
  Recorder record("max", {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  const Shape shape = along(record, dim, keepdim);
  const auto results =
      record.add<MaxOp>({dim, keepdim}, {{shape, x.dtype()}, {shape, DType::int64}});
  return {results[0], results[1]};
}

ValuesAndIndices topk(Operand x, std::int64_t k, std::int64_t dim, bool largest) {
  Recorder record("topk", {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  std::vector<std::int64_t> dims = x.shape().dims();
  const std::int64_t size = dims.empty() ? 1 : dims[static_cast<std::size_t>(dim)];
  record.require_shape(k >= (dims.empty() ? 1 : 0) && k <= size,
                       "k = {} is out of range for axis {} of {}", k, dim, x.shape());
  if (!dims.empty()) dims[static_cast<std::size_t>(dim)] = k;
  const Shape shape(std::move(dims));
  const auto results =
      record.add<TopkOp>({k, dim, largest, true}, {{shape, x.dtype()}, {shape, DType::int64}});
  return {results[0], results[1]};
}

ValuesAndIndices sort(Operand x, std::int64_t dim, bool descending) {
  const std::size_t rank = x.shape().rank();
  return topk(x, rank == 0 ? 1 : x.shape()[dim], dim, descending);
}

// ---- Distances ----------------------------------------------------------------------------------

namespace {

// [.., P, R] of inputs `first` [.., P, M] and the next one, [.., R, M].
Shape distances_shape(const Recorder& record, std::size_t first, double p) {
  record.require_floating(first);
  record.require_same_dtype(first, first + 1);
  const Shape& a = record.input(first).shape();
  const Shape& b = record.input(first + 1).shape();
  record.require_shape(a.rank() >= 2 && b.rank() >= 2 && a[-1] == b[-1],
                       "expected rows of one length, got {} and {}", a, b);
  record.require_value(p >= 0, "p must be at least 0, got {}", p);
  const auto before = [](const Shape& shape) {
    return Shape(std::vector<std::int64_t>(shape.begin(), shape.end() - 2));
  };
  std::vector<std::int64_t> dims = record.broadcast(before(a), before(b)).dims();
  dims.insert(dims.end(), {a[-2], b[-2]});
  return Shape(std::move(dims));
}

}  // namespace

Value cdist(Operand a, const Value& b, double p) {
  Recorder record("cdist", {a, b}, a.where);
  return record.add<CdistOp>({p}, {distances_shape(record, 0, p), a.dtype()});
}

Value cdist_backward(Operand grad, const Value& a, const Value& b, const Value& distances,
                     double p) {
  Recorder record("cdist_backward", {grad, a, b, distances}, grad.where);
  std::vector<std::int64_t> dims = distances_shape(record, 1, p).dims();
  record.require_same_dtype(0, 1);
  record.require_same_dtype(3, 1);
  for (const Value& each : {Value(grad), distances}) {
    record.require_shape(each.shape().dims() == dims,
                         "{} must have the shape of the distances, {}, got {}", each, Shape(dims),
                         each.shape());
  }
  dims.back() = a.shape()[-1];
  return record.add<CdistBackwardOp>({p}, {Shape(std::move(dims)), a.dtype()});
}

namespace calls {

const Declaration<CdistAttributes> cdist = {
    "cdist", ACLGRAD_C(aclnnCdist), separate, [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnCdistGetWorkspaceSize(call.input(0), call.input(1), to_float(values.p), 0,
                                        call.output(0), end...);
    }};
const Declaration<CdistAttributes> cdist_backward = {"cdist_backward",
                                                     ACLGRAD_C(aclnnCdistBackward), separate};
const Declaration<SearchAttributes> argmax = {"argmax", ACLGRAD_C(aclnnArgMax), separate};
const Declaration<SearchAttributes> max = {"max", ACLGRAD_C(aclnnMaxDim), separate};
const Declaration<TopkAttributes> topk = {"topk", ACLGRAD_C(aclnnTopk), separate};

}  // namespace calls
}  // namespace aclgrad
