// SPDX-License-Identifier: Apache-2.0
// aclnnApplyAdamWV2.
#include "aclnnop/aclnn_apply_adam_w_v2.h"

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/optimizer/adamw_kernel.h"

namespace aclgrad::ops::apply_adam_w_v2 {
namespace {

enum : size_t {
  kVar,
  kM,
  kV,
  kMaxGradNorm,
  kGrad,
  kStep,
  kLr,
  kBeta1,
  kBeta2,
  kWeightDecay,
  kEps,
  kAmsgrad,
  kMaximize
};

constexpr DtypeSet kStepDtypes{ACL_FLOAT, ACL_INT64};

bool is_amsgrad(const Arguments& arguments) { return arguments.flag(kAmsgrad); }
bool has_max_grad_norm(const Arguments& arguments) {
  return arguments[kMaxGradNorm].tensor() != nullptr;
}

const OperatorSpec kSpec{
    "aclnnApplyAdamWV2",
    {in_out("varRef"), in_out("mRef"), in_out("vRef"), in_out("maxGradNormOptionalRef"),
     input("grad"), input("step"), attribute("lr"), attribute("beta1"), attribute("beta2"),
     attribute("weightDecay"), attribute("eps"), attribute("amsgrad"), attribute("maximize")},
    Rules{not_null({kVar, kM, kV}), when(is_amsgrad, not_null({kMaxGradNorm})),
          not_null({kGrad, kStep}), live_if_given(kMaxGradNorm), dtype_in({kVar, kM, kV}, kFloats),
          when(has_max_grad_norm, dtype_in(kMaxGradNorm, kFloats)), dtype_in(kGrad, kFloats),
          dtype_in(kStep, kStepDtypes), same_shape({kM, kV}, kVar),
          when(has_max_grad_norm, same_shape(kMaxGradNorm, kVar)), same_shape(kGrad, kVar),
          has_one_element(kStep)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kVar)) return {};
  const AdamWSettings settings{arguments.real(kLr),      arguments.real(kBeta1),
                               arguments.real(kBeta2),   arguments.real(kWeightDecay),
                               arguments.real(kEps),     arguments.flag(kAmsgrad),
                               arguments.flag(kMaximize)};
  return plan_adamw(arguments, {kVar, kM, kV, kMaxGradNorm, kGrad, kStep}, settings);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnApplyAdamWV2, kSpec, plan)

}  // namespace aclgrad::ops::apply_adam_w_v2
