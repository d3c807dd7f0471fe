// SPDX-License-Identifier: Apache-2.0
// aclnnNLLLoss, aclnnNLLLoss2d and their backwards.
#include "aclnnop/aclnn_nll_loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_nll_loss2d.h"
#include "aclnnop/aclnn_nll_loss2d_backward.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/loss/class_scores.h"
#include "ops/loss/nll_kernel.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::nll_loss {
namespace {

constexpr DtypeSet kTargetDtypes{ACL_INT64, ACL_UINT8, ACL_INT32};

// ---- Checks of both directions ------------------------------------------------------------------

Rule rows_match(size_t self, size_t target) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(self);
    const Dims expected = rows_shape(shape);
    if (arguments.shape(target) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {} for {} of size {}, but is {}.",
                       arguments.name(target), to_string(expected), arguments.name(self),
                       to_string(shape), to_string(arguments.shape(target)));
  });
}

Rule one_weight_per_class(size_t self, size_t weight) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(self);
    const Dims expected{shape[class_dimension(shape)]};
    if (arguments.shape(weight) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {}, one weight per class, but is {}.",
                       arguments.name(weight), to_string(expected),
                       to_string(arguments.shape(weight)));
  });
}

Rule has_classes(size_t self) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(self);
    const Dims rows = rows_shape(shape);
    const bool has_rows = std::find(rows.begin(), rows.end(), 0) == rows.end();
    if (shape[class_dimension(shape)] > 0 || !has_rows) return std::nullopt;
    return fmt::format("tensor {} {} has targets but no classes, expected at least one.",
                       arguments.name(self), to_string(shape));
  });
}

NllParameters nll_parameters(const Arguments& arguments, size_t self, size_t target, size_t weight,
                             size_t reduction, size_t ignore_index) {
  return {self, target, weight, loss_reduction(arguments, reduction),
          arguments.integer(ignore_index)};
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kTarget, kWeight, kReduction, kIgnoreIndex, kOut, kTotalWeight };

const OperatorSpec kRows{
    "aclnnNLLLoss",
    {input("self"), input("target"), input("weight"), attribute("reduction"),
     attribute("ignoreIndex"), output("out"), output("totalWeightOut")},
    {not_null({kSelf, kTarget, kWeight, kOut, kTotalWeight}), same_dtype(kWeight, kSelf),
     can_cast_tensor(kSelf, kOut), can_cast_tensor(kSelf, kTotalWeight), dtype_in(kSelf, kFloats),
     dtype_in(kTarget, kTargetDtypes), loss_reduction_known(kReduction), not_0d(kSelf),
     max_rank(kSelf, 2), max_rank(kTarget, 1), rows_match(kSelf, kTarget),
     one_weight_per_class(kSelf, kWeight), has_loss_shape(kOut, kSelf, kReduction),
     has_one_element(kTotalWeight), has_classes(kSelf)}};

const OperatorSpec kPictures{
    "aclnnNLLLoss2d",
    {input("self"), input("target"), input("weight"), attribute("reduction"),
     attribute("ignoreIndex"), output("out"), output("totalWeight")},
    Rules{not_null({kSelf, kTarget, kWeight, kOut, kTotalWeight}), dtype_in(kSelf, kRealFloats),
          dtype_in(kTarget, kTargetDtypes), same_dtype({kWeight, kOut, kTotalWeight}, kSelf),
          min_rank(kSelf, 4), max_rank(kSelf, 4), rows_match(kSelf, kTarget),
          one_weight_per_class(kSelf, kWeight), loss_reduction_known(kReduction),
          has_loss_shape(kOut, kSelf, kReduction), has_one_element(kTotalWeight),
          has_classes(kSelf)}};

Plan plan(const Arguments& arguments, bool clears_total) {
  return plan_nll(arguments,
                  nll_parameters(arguments, kSelf, kTarget, kWeight, kReduction, kIgnoreIndex),
                  kOut, kTotalWeight, clears_total);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradOutput,
  kSelf,
  kTarget,
  kWeight,
  kReduction,
  kIgnoreIndex,
  kTotalWeight,
  kOut
};

const OperatorSpec kRows{
    "aclnnNLLLossBackward",
    {input("gradOutput"), input("self"), input("target"), input("weight"), attribute("reduction"),
     attribute("ignoreIndex"), input("totalWeight"), output("out")},
    Rules{not_null({kGradOutput, kSelf, kTarget, kWeight, kTotalWeight, kOut}),
          same_dtype({kWeight, kGradOutput, kTotalWeight}, kSelf), can_cast_tensor(kSelf, kOut),
          dtype_in(kSelf, kFloats), dtype_in(kTarget, kTargetDtypes),
          loss_reduction_known(kReduction), not_0d(kSelf), max_rank(kSelf, 2), max_rank(kTarget, 1),
          rows_match(kSelf, kTarget), one_weight_per_class(kSelf, kWeight),
          has_loss_shape(kGradOutput, kSelf, kReduction), has_one_element(kTotalWeight),
          same_shape(kOut, kSelf), has_classes(kSelf)}};

const OperatorSpec kPictures{
    "aclnnNLLLoss2dBackward",
    {input("gradOutput"), input("self"), input("target"), input("weight"), attribute("reduction"),
     attribute("ignoreIndex"), input("totalWeight"), output("gradInput")},
    Rules{not_null({kGradOutput, kSelf, kTarget, kWeight, kTotalWeight, kOut}),
          dtype_in(kGradOutput, kRealFloats), same_dtype(kSelf, kGradOutput),
          dtype_in(kTarget, kTargetDtypes), same_dtype({kWeight, kTotalWeight, kOut}, kGradOutput),
          min_rank(kSelf, 4), max_rank(kSelf, 4), rows_match(kSelf, kTarget),
          one_weight_per_class(kSelf, kWeight), loss_reduction_known(kReduction),
          has_loss_shape(kGradOutput, kSelf, kReduction), has_one_element(kTotalWeight),
          same_shape(kOut, kSelf), has_classes(kSelf)}};

Plan plan(const Arguments& arguments) {
  return plan_nll_backward(
      arguments, nll_parameters(arguments, kSelf, kTarget, kWeight, kReduction, kIgnoreIndex),
      kGradOutput, kTotalWeight, kOut);
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnNLLLoss, forward::kRows,
                 [](const Arguments& arguments) { return forward::plan(arguments, false); })
ACLGRAD_OPERATOR(aclnnNLLLoss2d, forward::kPictures,
                 [](const Arguments& arguments) { return forward::plan(arguments, true); })
ACLGRAD_OPERATOR(aclnnNLLLossBackward, backward::kRows, backward::plan)
ACLGRAD_OPERATOR(aclnnNLLLoss2dBackward, backward::kPictures, backward::plan)

}  // namespace aclgrad::ops::nll_loss
