// SPDX-License-Identifier: Apache-2.0
// aclnnNLLLoss, aclnnNLLLossBackward.
#include "aclnnop/aclnn_nll_loss.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_nll_loss_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/loss/nll_kernel.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kTargetDtypes{ACL_INT64, ACL_UINT8, ACL_INT32};

// ---- Checks of both directions ------------------------------------------------------------------

Rule rows_match(size_t self, size_t target) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(self);
    const Dims expected = shape.size() == 2 ? Dims{shape[0]} : Dims{};
    if (arguments.shape(target) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {} for {} of size {}, but is {}.",
                       arguments.name(target), to_string(expected), arguments.name(self),
                       to_string(shape), to_string(arguments.shape(target)));
  });
}

Rule one_weight_per_class(size_t self, size_t weight) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(self);
    const Dims expected{shape[shape.size() - 1]};
    if (arguments.shape(weight) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {}, one weight per class, but is {}.",
                       arguments.name(weight), to_string(expected),
                       to_string(arguments.shape(weight)));
  });
}

// The loss, or its gradient: one per row when nothing is reduced, else a single one of rank 0 or 1.
Rule has_loss_shape(size_t tensor, size_t self, size_t reduction) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    const Dims& input = arguments.shape(self);
    const auto kind = loss_reduction(arguments, reduction);
    if (kind == LossReduction::kNone && input.size() == 2) {
      if (shape == Dims{input[0]}) return std::nullopt;
      return fmt::format("tensor {} must have size [{}], but is {}.", arguments.name(tensor),
                         input[0], to_string(shape));
    }
    if (shape.size() <= 1 && count_elements(shape) == 1) return std::nullopt;
    return fmt::format("tensor {} must have size [] or [1], but is {}.", arguments.name(tensor),
                       to_string(shape));
  });
}

Rule has_classes(size_t self) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(self);
    const bool has_rows = shape.size() == 1 || shape[0] > 0;
    if (shape[shape.size() - 1] > 0 || !has_rows) return std::nullopt;
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

const OperatorSpec kSpec{
    "aclnnNLLLoss",
    {input("self"), input("target"), input("weight"), attribute("reduction"),
     attribute("ignoreIndex"), output("out"), output("totalWeightOut")},
    {not_null({kSelf, kTarget, kWeight, kOut, kTotalWeight}), same_dtype(kWeight, kSelf),
     can_cast_tensor(kSelf, kOut), can_cast_tensor(kSelf, kTotalWeight), dtype_in(kSelf, kFloats),
     dtype_in(kTarget, kTargetDtypes), loss_reduction_known(kReduction), not_0d(kSelf),
     max_rank(kSelf, 2), max_rank(kTarget, 1), rows_match(kSelf, kTarget),
     one_weight_per_class(kSelf, kWeight), has_loss_shape(kOut, kSelf, kReduction),
     has_one_element(kTotalWeight), has_classes(kSelf)}};

Plan plan(const Arguments& arguments) {
  return plan_nll(arguments,
                  nll_parameters(arguments, kSelf, kTarget, kWeight, kReduction, kIgnoreIndex),
                  kOut, kTotalWeight);
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

const OperatorSpec kSpec{
    "aclnnNLLLossBackward",
    {input("gradOutput"), input("self"), input("target"), input("weight"), attribute("reduction"),
     attribute("ignoreIndex"), input("totalWeight"), output("out")},
    {not_null({kGradOutput, kSelf, kTarget, kWeight, kTotalWeight, kOut}),
     same_dtype(kWeight, kSelf), same_dtype(kGradOutput, kSelf), same_dtype(kTotalWeight, kSelf),
     can_cast_tensor(kSelf, kOut), dtype_in(kSelf, kFloats), dtype_in(kTarget, kTargetDtypes),
     loss_reduction_known(kReduction), not_0d(kSelf), max_rank(kSelf, 2), max_rank(kTarget, 1),
     rows_match(kSelf, kTarget), one_weight_per_class(kSelf, kWeight),
     has_loss_shape(kGradOutput, kSelf, kReduction), has_one_element(kTotalWeight),
     same_shape(kOut, kSelf), has_classes(kSelf)}};

Plan plan(const Arguments& arguments) {
  return plan_nll_backward(
      arguments, nll_parameters(arguments, kSelf, kTarget, kWeight, kReduction, kIgnoreIndex),
      kGradOutput, kTotalWeight, kOut);
}

}  // namespace backward
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnNLLLoss, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnNLLLossBackward, backward::kSpec, backward::plan)
