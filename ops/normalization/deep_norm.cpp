// SPDX-License-Identifier: Apache-2.0
// aclnnDeepNorm, aclnnDeepNormGrad: layer normalization of a weighted sum, with a residual branch.
#include <vector>

#include "aclnnop/aclnn_deep_norm.h"
#include "aclnnop/aclnn_deep_norm_grad.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/normalization/row_rules.h"
#include "ops/normalization/summed_rows_kernel.h"

namespace aclgrad::ops::deep_norm {
namespace {

constexpr DtypeSet kFloat{ACL_FLOAT};

// ---- Checks -------------------------------------------------------------------------------------

// `like_x` have x's shape and dtype, `numbers` are FLOAT, one for each row; `more` come last.
Rules rules(Rule given, size_t x, size_t gamma, const std::vector<size_t>& like_x,
            const std::vector<size_t>& numbers, const Rules& more) {
  return {std::move(given),
          dtype_in(x, kFloats),
          same_dtype(like_x, x),
          same_dtype(gamma, x),
          dtype_in(numbers, kFloat),
          max_rank(x),
          same_shape(like_x, x),
          is_row_of(gamma, x),
          have_number_per_row(numbers, x, gamma),
          more};
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kX, kGx, kBeta, kGamma, kAlpha, kEpsilon, kMean, kRstd, kY };

const OperatorSpec kSpec{
    "aclnnDeepNorm",
    {input("x"), input("gx"), input("beta"), input("gamma"), attribute("alphaValue"),
     attribute("epsilonValue"), output("meanOut"), output("rstdOut"), output("yOut")},
    rules(not_null({kX, kGx, kBeta, kGamma, kMean, kRstd, kY}), kX, kGamma, {kGx, kY},
          {kMean, kRstd}, {same_dtype(kBeta, kX), same_shape(kBeta, kGamma)})};

Plan plan(const Arguments& arguments) {
  return plan_summed_rows(arguments, {{{kX, arguments.real(kAlpha)}, {kGx}}, kGamma},
                          arguments.real(kEpsilon),
                          {.beta = kBeta, .mean = kMean, .rstd = kRstd, .y = kY});
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kDy, kX, kGx, kGamma, kMean, kRstd, kAlpha, kDx, kDgx, kDbeta, kDgamma };

Rules of_parameter(size_t gradient) {
  return {dtype_in(gradient, kFloat), same_shape(gradient, kGamma)};
}

const OperatorSpec kSpec{
    "aclnnDeepNormGrad",
    {input("dy"), input("x"), input("gx"), input("gamma"), input("mean"), input("rstd"),
     attribute("alphaValue"), output("dxOut"), output("dgxOut"), output("dbetaOut"),
     output("dgammaOut")},
    rules(not_null({kDy, kX, kGx, kGamma, kMean, kRstd, kDx, kDgx, kDbeta, kDgamma}), kX, kGamma,
          {kDy, kGx, kDx, kDgx}, {kMean, kRstd}, {of_parameter(kDbeta), of_parameter(kDgamma)})};

Plan plan(const Arguments& arguments) {
  const double alpha = arguments.real(kAlpha);
  return plan_summed_rows_backward(arguments, {{{kX, alpha}, {kGx}}, kGamma},
                                   {.dy = kDy,
                                    .mean = kMean,
                                    .rstd = kRstd,
                                    .to = {{kDgx}, {kDx, alpha}},
                                    .gamma = kDgamma,
                                    .beta = kDbeta});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnDeepNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnDeepNormGrad, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::deep_norm
