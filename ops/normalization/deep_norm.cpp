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

// `like_x` have x's shape and dtype, `numbers` are FLOAT, one for each row.
std::vector<Rule> rules(Rule given, size_t x, size_t gamma, const std::vector<size_t>& like_x,
                        const std::vector<size_t>& numbers) {
  std::vector<Rule> list = {std::move(given), dtype_in(x, kFloats)};
  for (const size_t each : like_x) list.push_back(same_dtype(each, x));
  list.push_back(same_dtype(gamma, x));
  for (const size_t each : numbers) list.push_back(dtype_in(each, kFloat));
  list.push_back(max_rank(x));
  for (const size_t each : like_x) list.push_back(same_shape(each, x));
  list.push_back(is_row_of(gamma, x));
  for (const size_t each : numbers) list.push_back(has_number_per_row(each, x, gamma));
  return list;
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kX, kGx, kBeta, kGamma, kAlpha, kEpsilon, kMean, kRstd, kY };

std::vector<Rule> all_rules() {
  std::vector<Rule> list = rules(not_null({kX, kGx, kBeta, kGamma, kMean, kRstd, kY}), kX, kGamma,
                                 {kGx, kY}, {kMean, kRstd});
  list.push_back(same_dtype(kBeta, kX));
  list.push_back(same_shape(kBeta, kGamma));
  return list;
}

const OperatorSpec kSpec{
    "aclnnDeepNorm",
    {input("x"), input("gx"), input("beta"), input("gamma"), attribute("alphaValue"),
     attribute("epsilonValue"), output("meanOut"), output("rstdOut"), output("yOut")},
    all_rules()};

Plan plan(const Arguments& arguments) {
  return plan_summed_rows(arguments, {{{kX, arguments.real(kAlpha)}, {kGx}}, kGamma},
                          arguments.real(kEpsilon),
                          {.beta = kBeta, .mean = kMean, .rstd = kRstd, .y = kY});
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kDy, kX, kGx, kGamma, kMean, kRstd, kAlpha, kDx, kDgx, kDbeta, kDgamma };

std::vector<Rule> all_rules() {
  std::vector<Rule> list =
      rules(not_null({kDy, kX, kGx, kGamma, kMean, kRstd, kDx, kDgx, kDbeta, kDgamma}), kX, kGamma,
            {kDy, kGx, kDx, kDgx}, {kMean, kRstd});
  for (const size_t each : {kDbeta, kDgamma}) {
    list.push_back(dtype_in(each, kFloat));
    list.push_back(same_shape(each, kGamma));
  }
  return list;
}

const OperatorSpec kSpec{"aclnnDeepNormGrad",
                         {input("dy"), input("x"), input("gx"), input("gamma"), input("mean"),
                          input("rstd"), attribute("alphaValue"), output("dxOut"), output("dgxOut"),
                          output("dbetaOut"), output("dgammaOut")},
                         all_rules()};

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
