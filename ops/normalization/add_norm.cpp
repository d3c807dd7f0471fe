// SPDX-License-Identifier: Apache-2.0
// aclnnAddRmsNorm, in place, too, aclnnAddLayerNorm, aclnnAddLayerNormGrad: normalization of a
// residual sum.
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_layer_norm_grad.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_inplace_add_rms_norm.h"
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

Rules rules() {
  return {not_null({kX1, kX2, kGamma, kY, kRstd, kX}),
          dtype_in(kX1, kFloats),
          same_dtype({kX2, kGamma, kY, kX}, kX1),
          dtype_in(kRstd, kFloat),
          max_rank(kX1),
          same_shape({kX2, kY, kX}, kX1),
          is_row_of(kGamma, kX1),
          has_number_per_row(kRstd, kX1, kGamma)};
}

const OperatorSpec kSpec{"aclnnAddRmsNorm",
                         {input("x1"), input("x2"), input("gamma"), attribute("epsilon"),
                          output("yOut"), output("rstdOut"), output("xOut")},
                         rules()};

Plan plan(const Arguments& arguments) {
  return plan_summed_rows(arguments, {.terms = {{kX1}, {kX2}}, .gamma = kGamma, .centered = false},
                          arguments.real(kEpsilon), {.sum = kX, .rstd = kRstd, .y = kY});
}

// y into x1, the sum into x2: a row is read before it is written.
namespace in_place {

enum : size_t { kRstdRef = 4 };

const OperatorSpec kSpec{
    "aclnnInplaceAddRmsNorm",
    {in_out("x1"), in_out("x2"), input("gamma"), attribute("epsilon"), output("rstd")},
    Rules{not_null({kX1, kX2, kGamma, kRstdRef}), dtype_in(kX1, kFloats),
          same_dtype({kX2, kGamma}, kX1), dtype_in(kRstdRef, kFloat), max_rank(kX1),
          same_shape(kX2, kX1), is_row_of(kGamma, kX1), has_number_per_row(kRstdRef, kX1, kGamma)}};

Plan plan(const Arguments& arguments) {
  return plan_summed_rows(arguments, {.terms = {{kX1}, {kX2}}, .gamma = kGamma, .centered = false},
                          arguments.real(kEpsilon), {.sum = kX2, .rstd = kRstdRef, .y = kX1});
}

}  // namespace in_place
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

Rules rules() {
  return {not_null({kX1, kX2, kGamma, kBeta}),
          live_if_given(kBias),
          not_null({kY, kMean, kRstd}),
          given_where(kAdditionalOutput, kX),
          dtype_in({kX1, kX2, kGamma, kBeta, kBias}, kFloats),
          dtype_in({kMean, kRstd}, kFloat),
          has_dtype_of_sum(kY, kX1, kX2),
          if_wanted(has_dtype_of_sum(kX, kX1, kX2)),
          max_rank(kX1),
          same_shape({kX2, kY}, kX1),
          if_wanted(same_shape(kX, kX1)),
          is_row_of(kGamma, kX1),
          same_shape(kBeta, kGamma),
          broadcasts_to(kBias, kX1),
          have_number_per_row({kMean, kRstd}, kX1, kGamma)};
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

Rules rules() {
  return {
      not_null({kDy, kX1, kX2, kRstd, kMean, kGamma, kDsum, kDx, kDgamma, kDbeta}),
      dtype_in({kX1, kX2, kGamma}, kFloats),
      of_each({kDy, kDsum, kDx}, [](size_t tensor) { return has_dtype_of_sum(tensor, kX1, kX2); }),
      dtype_in({kRstd, kMean, kDgamma, kDbeta}, kFloat),
      max_rank(kX1),
      same_shape({kDy, kX2, kDsum, kDx}, kX1),
      is_row_of(kGamma, kX1),
      same_shape({kDgamma, kDbeta}, kGamma),
      have_number_per_row({kRstd, kMean}, kX1, kGamma)};
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
ACLGRAD_OPERATOR(aclnnInplaceAddRmsNorm, rms::in_place::kSpec, rms::in_place::plan)
ACLGRAD_OPERATOR(aclnnAddLayerNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnAddLayerNormGrad, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::add_norm
