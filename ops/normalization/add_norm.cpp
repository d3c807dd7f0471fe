// SPDX-License-Identifier: Apache-2.0
// aclnnAddRmsNorm, aclnnAddLayerNorm, aclnnAddLayerNormGrad: normalization of a residual sum.
#include <vector>

#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_layer_norm_grad.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/normalization/channel_rules.h"
#include "ops/normalization/row_rules.h"
#include "ops/normalization/summed_rows_kernel.h"

namespace aclgrad::ops::add_norm {
namespace {

constexpr DtypeSet kFloat{ACL_FLOAT};

// ---- Root mean square ---------------------------------------------------------------------------

namespace rms {

enum : size_t { kX1, kX2, kGamma, kEpsilon, kY, kRstd, kX };

std::vector<Rule> rules() {
  std::vector<Rule> list = {not_null({kX1, kX2, kGamma, kY, kRstd, kX}), dtype_in(kX1, kFloats)};
  for (const size_t each : {kX2, kGamma, kY, kX}) list.push_back(same_dtype(each, kX1));
  list.push_back(dtype_in(kRstd, kFloat));
  list.push_back(max_rank(kX1));
  for (const size_t each : {kX2, kY, kX}) list.push_back(same_shape(each, kX1));
  list.push_back(is_row_of(kGamma, kX1));
  list.push_back(has_number_per_row(kRstd, kX1, kGamma));
  return list;
}

const OperatorSpec kSpec{"aclnnAddRmsNorm",
                         {input("x1"), input("x2"), input("gamma"), attribute("epsilon"),
                          output("yOut"), output("rstdOut"), output("xOut")},
                         rules()};

Plan plan(const Arguments& arguments) {
  return plan_summed_rows(arguments, {.terms = {{kX1}, {kX2}}, .gamma = kGamma, .centered = false},
                          arguments.real(kEpsilon), {.sum = kX, .rstd = kRstd, .y = kY});
}

}  // namespace rms

// ---- Mean and deviation -------------------------------------------------------------------------

// x1's dtype, where x2 has it too; FLOAT for a mixture.
Rule has_dtype_of_sum(size_t tensor, size_t x1, size_t x2) {
  return has_dtype(tensor, [=](const Arguments& arguments) {
    return arguments.dtype(x1) == arguments.dtype(x2) ? arguments.dtype(x1) : ACL_FLOAT;
  });
}

namespace forward {

enum : size_t { kX1, kX2, kGamma, kBeta, kBias, kEpsilon, kAdditionalOutput, kY, kMean, kRstd, kX };

Rule if_wanted(Rule rule) {
  return when([](const Arguments& arguments) { return arguments.flag(kAdditionalOutput); },
              std::move(rule));
}

std::vector<Rule> rules() {
  std::vector<Rule> list = {not_null({kX1, kX2, kGamma, kBeta}), live_if_given(kBias),
                            not_null({kY, kMean, kRstd}), given_where(kAdditionalOutput, kX)};
  for (const size_t each : {kX1, kX2, kGamma, kBeta, kBias}) {
    list.push_back(if_given(each, dtype_in(each, kFloats)));
  }
  for (const size_t each : {kMean, kRstd}) list.push_back(dtype_in(each, kFloat));
  list.push_back(has_dtype_of_sum(kY, kX1, kX2));
  list.push_back(if_wanted(has_dtype_of_sum(kX, kX1, kX2)));
  list.push_back(max_rank(kX1));
  for (const size_t each : {kX2, kY}) list.push_back(same_shape(each, kX1));
  list.push_back(if_wanted(same_shape(kX, kX1)));
  list.push_back(is_row_of(kGamma, kX1));
  list.push_back(same_shape(kBeta, kGamma));
  list.push_back(if_given(kBias, broadcasts_to(kBias, kX1)));
  for (const size_t each : {kMean, kRstd}) {
    list.push_back(has_number_per_row(each, kX1, kGamma));
  }
  return list;
}

const OperatorSpec kSpec{
    "aclnnAddLayerNorm",
    {input("x1"), input("x2"), input("gamma"), input("beta"), input("biasOptional"),
     attribute("epsilon"), attribute("additionalOutput"), output("yOut"), output("meanOut"),
     output("rstdOut"), output("xOut")},
    rules()};

Plan plan(const Arguments& arguments) {
  SummedRows rows{.terms = {{kX1}, {kX2}}, .gamma = kGamma};
  if (arguments.given(kBias)) rows.terms.push_back({kBias});
  const bool wants_sum = arguments.flag(kAdditionalOutput);
  return plan_summed_rows(arguments, rows, arguments.real(kEpsilon),
                          {.beta = kBeta,
                           .mean = kMean,
                           .sum = wants_sum ? std::optional<size_t>(kX) : std::nullopt,
                           .rstd = kRstd,
                           .y = kY});
}

}  // namespace forward

namespace backward {

enum : size_t { kDy, kX1, kX2, kRstd, kMean, kGamma, kDsum, kDx, kDgamma, kDbeta };

std::vector<Rule> rules() {
  std::vector<Rule> list = {
      not_null({kDy, kX1, kX2, kRstd, kMean, kGamma, kDsum, kDx, kDgamma, kDbeta})};
  for (const size_t each : {kX1, kX2, kGamma}) list.push_back(dtype_in(each, kFloats));
  for (const size_t each : {kDy, kDsum, kDx}) list.push_back(has_dtype_of_sum(each, kX1, kX2));
  for (const size_t each : {kRstd, kMean, kDgamma, kDbeta}) list.push_back(dtype_in(each, kFloat));
  list.push_back(max_rank(kX1));
  for (const size_t each : {kDy, kX2, kDsum, kDx}) list.push_back(same_shape(each, kX1));
  list.push_back(is_row_of(kGamma, kX1));
  for (const size_t each : {kDgamma, kDbeta}) list.push_back(same_shape(each, kGamma));
  for (const size_t each : {kRstd, kMean}) {
    list.push_back(has_number_per_row(each, kX1, kGamma));
  }
  return list;
}

const OperatorSpec kSpec{
    "aclnnAddLayerNormGrad",
    {input("dy"), input("x1"), input("x2"), input("rstd"), input("mean"), input("gamma"),
     input("dsum"), output("dxOut"), output("dgammaOut"), output("dbetaOut")},
    rules()};

Plan plan(const Arguments& arguments) {
  return plan_summed_rows_backward(arguments, {.terms = {{kX1}, {kX2}}, .gamma = kGamma},
                                   {.dy = kDy,
                                    .mean = kMean,
                                    .rstd = kRstd,
                                    .also = kDsum,
                                    .to = {{kDx}},
                                    .gamma = kDgamma,
                                    .beta = kDbeta});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnAddRmsNorm, rms::kSpec, rms::plan)
ACLGRAD_OPERATOR(aclnnAddLayerNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnAddLayerNormGrad, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::add_norm
