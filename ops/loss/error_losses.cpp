// SPDX-License-Identifier: Apache-2.0
// aclnnSmoothL1Loss, aclnnL1Loss and their backwards.
#include <fmt/format.h>

#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/loss/loss_kernel.h"
#include "ops/loss/loss_reduction.h"

namespace aclgrad::ops::error_losses {
namespace {

constexpr DtypeSet kL1Dtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_INT64}, {ACL_BF16}};

Rule beta_known(size_t beta) {
  return require([beta](const Arguments& arguments) -> std::optional<std::string> {
    if (!(arguments.real(beta) < 0)) return std::nullopt;
    return fmt::format("{} must not be negative, but is {}.", arguments.name(beta),
                       arguments.real(beta));
  });
}

// ---- Forward: self, target, reduction, [beta,] result -------------------------------------------

enum : size_t { kSelf, kTarget, kReduction, kOutOfL1, kBeta = kOutOfL1, kOut };

const OperatorSpec kSmooth{
    "aclnnSmoothL1Loss",
    {input("self"), input("target"), attribute("reduction"), attribute("beta"), output("result")},
    Rules{not_null({kSelf, kTarget, kOut}), dtype_in({kSelf, kTarget, kOut}, kFloats),
          loss_reduction_known(kReduction), max_rank({kSelf, kTarget, kOut}),
          broadcastable(kSelf, kTarget),
          unless_reduced(kReduction, shape_is_broadcast(kOut, kSelf, kTarget)),
          if_reduced(kReduction, has_one_element(kOut)), beta_known(kBeta)}};

// A mean needs a floating dtype, and so does a difference from a floating target.
Rule is_floating_enough() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const aclDataType self = arguments.dtype(kSelf);
    const bool is_mean = loss_reduction(arguments, kReduction) == LossReduction::kMean;
    const bool is_mixed = !is_floating(self) && is_floating(arguments.dtype(kTarget));
    if (is_mean ? is_floating(self) : reduces(arguments, kReduction) || !is_mixed) {
      return std::nullopt;
    }
    return fmt::format("tensor {} is {}, expected a floating dtype{}.", arguments.name(kSelf),
                       dtype_name(self), is_mean ? " for a mean" : " beside a floating target");
  });
}

const OperatorSpec kL1{
    "aclnnL1Loss",
    {input("self"), input("target"), attribute("reduction"), output("out")},
    Rules{not_null({kSelf, kTarget, kOutOfL1}), loss_reduction_known(kReduction),
          promotes_to_one_of({kSelf, kTarget}, kL1Dtypes), is_floating_enough(),
          result_converts(promote_tensors(kSelf, kTarget), kOutOfL1),
          max_rank({kSelf, kTarget, kOutOfL1}), broadcastable(kSelf, kTarget),
          unless_reduced(kReduction, shape_is_broadcast(kOutOfL1, kSelf, kTarget)),
          if_reduced(kReduction, has_shape(kOutOfL1, {}))}};

Plan plan_forward(const Arguments& arguments, size_t out, double beta) {
  const Loss loss{
      {kSelf, kTarget}, out, *promote_tensors(kSelf, kTarget)(arguments), absolute_error(beta)};
  return plan_loss(arguments, kReduction, broadcast_shape(arguments, {kSelf, kTarget}), loss);
}

// ---- Backward: the gradient before these --------------------------------------------------------

enum : size_t {
  kGrad,
  kGradSelf,
  kGradTarget,
  kGradReduction,
  kGradInputOfL1,
  kGradBeta = kGradInputOfL1,
  kGradInput
};

const OperatorSpec kSmoothBackward{
    "aclnnSmoothL1LossBackward",
    {input("gradOut"), input("self"), input("target"), attribute("reduction"), attribute("beta"),
     output("gradInput")},
    Rules{not_null({kGrad, kGradSelf, kGradTarget, kGradInput}),
          dtype_in({kGrad, kGradSelf, kGradTarget, kGradInput}, kFloats),
          max_rank({kGrad, kGradSelf, kGradTarget, kGradInput}),
          loss_reduction_known(kGradReduction), beta_known(kGradBeta),
          broadcastable({kGrad, kGradSelf, kGradTarget}),
          shape_is_broadcast(kGradInput, {kGrad, kGradSelf, kGradTarget})}};

const OperatorSpec kL1Backward{
    "aclnnL1LossBackward",
    {input("gradOutput"), input("self"), input("target"), attribute("reduction"),
     output("gradInput")},
    Rules{not_null({kGrad, kGradSelf, kGradTarget, kGradInputOfL1}),
          loss_reduction_known(kGradReduction),
          promotes_to_one_of({kGrad, kGradSelf, kGradTarget}, kFloats),
          result_converts(promote_tensors({kGrad, kGradSelf, kGradTarget}), kGradInputOfL1),
          max_rank({kGrad, kGradSelf, kGradTarget, kGradInputOfL1}),
          broadcastable({kGrad, kGradSelf, kGradTarget}),
          shape_is_broadcast(kGradInputOfL1, {kGrad, kGradSelf, kGradTarget})}};

Plan plan_backward(const Arguments& arguments, size_t out, double beta) {
  const int64_t count =
      loss_divisor(arguments, kGradReduction, count_elements(arguments.shape(out)));
  return plan_elements(arguments, {{kGrad, kGradSelf, kGradTarget},
                                   out,
                                   *promote_tensors({kGrad, kGradSelf, kGradTarget})(arguments),
                                   absolute_error_gradient(beta, static_cast<double>(count))});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnSmoothL1Loss, kSmooth, [](const Arguments& arguments) {
  return plan_forward(arguments, kOut, arguments.real(kBeta));
})
ACLGRAD_OPERATOR(aclnnL1Loss, kL1,
                 [](const Arguments& arguments) { return plan_forward(arguments, kOutOfL1, 0); })
ACLGRAD_OPERATOR(aclnnSmoothL1LossBackward, kSmoothBackward, [](const Arguments& arguments) {
  return plan_backward(arguments, kGradInput, arguments.real(kGradBeta));
})
ACLGRAD_OPERATOR(aclnnL1LossBackward, kL1Backward, [](const Arguments& arguments) {
  return plan_backward(arguments, kGradInputOfL1, 0);
})

}  // namespace aclgrad::ops::error_losses
