// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/reduction.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_all.h"
#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_any.h"
#include "aclnnop/aclnn_cdist.h"
#include "aclnnop/aclnn_cdist_backward.h"
#include "aclnnop/aclnn_cumprod.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_logsumexp.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_prod.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_std.h"
#include "aclnnop/aclnn_var.h"
#include "graph/ops/record_helpers.h"
#include "graph/ops/reduction_helpers.h"
#include "tensor/at_least_float.h"

namespace aclgrad {
namespace {

using detail::Axes;
using detail::record_reduction;
using detail::require_elements;

std::string axes_text(const Axes& axes, bool keepdim) {
  return fmt::format("axes=[{}]{}", fmt::join(axes, ", "), keepdim ? ", keepdim" : "");
}

template <class OpType>
Value record_truth(Operand x, Axes axes, bool keepdim) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  axes = detail::normalized(record, std::move(axes), x.shape().rank());
  Shape shape = detail::reduced(x.shape(), axes, keepdim);
  return record.add<OpType>({std::move(axes), keepdim}, {std::move(shape), DType::boolean});
}

}  // namespace

Value reduce_sum(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("reduce_sum", {x}, x.where);
  return record_reduction<ReduceSumOp>(record, std::move(axes), keepdim);
}

Value nansum(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("nansum", {x}, x.where);
  return record_reduction<NansumOp>(record, std::move(axes), keepdim);
}

Value count_nonzero(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  const RecordScope scope(x);
  return reduce_sum(cast(ne(x, 0.0), DType::int64), std::move(axes), keepdim);
}

Value prod(Operand x) {
  return Recorder("prod", {x}, x.where).add<ProdOp>({}, {Shape(), x.dtype()});
}

Value prod(Operand x, std::int64_t dim, bool keepdim) {
  Recorder record("prod", {x}, x.where);
  dim = record.axis(dim, x.shape().rank());
  const Axes axes = x.shape().rank() == 0 ? Axes{} : Axes{dim};
  return record.add<ProdDimOp>({dim, keepdim},
                               {detail::reduced(x.shape(), axes, keepdim), x.dtype()});
}

Value all(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  return record_truth<AllOp>(x, std::move(axes), keepdim);
}

Value any(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  return record_truth<AnyOp>(x, std::move(axes), keepdim);
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

MinAndMax aminmax(Operand x, std::vector<std::int64_t> axes, bool keepdim) {
  Recorder record("aminmax", {x}, x.where);
  require_elements(record, axes);
  axes = detail::normalized(record, std::move(axes), x.shape().rank());
  const TensorSpec spec{detail::reduced(x.shape(), axes, keepdim), x.dtype()};
  const auto results = record.add<AminmaxOp>({std::move(axes), keepdim}, {spec, spec});
  return {results[0], results[1]};
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

VarAndMean var_mean(Operand x, std::vector<std::int64_t> axes, VarOptions options) {
  const Value spread = var(x, axes, options);
  return {spread, mean(x, std::move(axes), options.keepdim)};
}

StddevAndMean stddev_mean(Operand x, std::vector<std::int64_t> axes, VarOptions options) {
  const Value spread = stddev(x, axes, options);
  return {spread, mean(x, std::move(axes), options.keepdim)};
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
const Declaration<ReductionAttributes> nansum = {"nansum", ACLGRAD_C(aclnnReduceNansum), separate};
const Declaration<> prod = {"prod", ACLGRAD_C(aclnnProd), separate};
const Declaration<SearchAttributes> prod_dim = {"prod", ACLGRAD_C(aclnnProdDim), separate};
const Declaration<ReductionAttributes> all = {"all", ACLGRAD_C(aclnnAll), separate};
const Declaration<ReductionAttributes> any = {"any", ACLGRAD_C(aclnnAny), separate};
const Declaration<ReductionAttributes> aminmax = {"aminmax", ACLGRAD_C(aclnnAminmax), separate};
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

}  // namespace calls
}  // namespace aclgrad
