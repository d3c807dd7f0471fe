// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNorm, aclnnRmsNormGrad.
#include "aclnnop/aclnn_rms_norm.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_rms_norm_grad.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/normalization/layer_norm_kernel.h"
#include "ops/normalization/row_rules.h"

namespace aclgrad::ops::rms_norm {
namespace {

constexpr DtypeSet kFloat{ACL_FLOAT};

// The vendor's code of both operators is generated, and finds wrong shapes when it plans.
Rule shape_rule(Rule rule) { return with_status(kInnerTilingError, std::move(rule)); }

// FLOAT, or that of x.
Rule is_weight_of(size_t gamma, size_t x) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType dtype = arguments.dtype(gamma);
    if (kFloat.contains(dtype) || dtype == arguments.dtype(x)) return std::nullopt;
    return fmt::format("tensor {} must be DT_FLOAT or of {}'s dtype {}, but is {}.",
                       arguments.name(gamma), arguments.name(x), dtype_name(arguments.dtype(x)),
                       dtype_name(dtype));
  });
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kX, kGamma, kEpsilon, kY, kRstd };

const OperatorSpec kSpec{
    "aclnnRmsNorm",
    {input("x"), input("gamma"), attribute("epsilon"), output("yOut"), output("rstdOut")},
    {not_null({kX, kGamma, kY, kRstd}), dtype_in(kX, kFloats), is_weight_of(kGamma, kX),
     same_dtype(kY, kX), dtype_in(kRstd, kFloat), shape_rule(max_rank(kX)),
     shape_rule(is_row_of(kGamma, kX)), shape_rule(same_shape(kY, kX)),
     shape_rule(has_number_per_row(kRstd, kX, kGamma))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kX)) return {};
  return plan_layer_norm(arguments,
                         {.input = kX,
                          .normalized = arguments.shape(kGamma).size(),
                          .weight = kGamma,
                          .rstd = kRstd,
                          .centered = false},
                         arguments.real(kEpsilon), kY);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kDy, kX, kRstd, kGamma, kDx, kDgamma };

const OperatorSpec kSpec{
    "aclnnRmsNormGrad",
    {input("dy"), input("x"), input("rstd"), input("gamma"), output("dxOut"), output("dgammaOut")},
    {not_null({kDy, kX, kRstd, kGamma, kDx, kDgamma}), dtype_in(kDy, kFloats), same_dtype(kX, kDy),
     dtype_in(kRstd, kFloat), is_weight_of(kGamma, kX), same_dtype(kDx, kX),
     dtype_in(kDgamma, kFloat), shape_rule(max_rank(kX)), shape_rule(same_shape(kDy, kX)),
     shape_rule(is_row_of(kGamma, kX)), shape_rule(has_number_per_row(kRstd, kX, kGamma)),
     shape_rule(same_shape(kDx, kX)), shape_rule(same_shape(kDgamma, kGamma))}};

Plan plan(const Arguments& arguments) {
  return plan_layer_norm_backward(arguments,
                                  {.input = kX,
                                   .normalized = arguments.shape(kGamma).size(),
                                   .weight = kGamma,
                                   .rstd = kRstd,
                                   .centered = false},
                                  kDy, {.input = kDx, .weight = kDgamma});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnRmsNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnRmsNormGrad, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::rms_norm
