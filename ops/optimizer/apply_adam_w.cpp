// SPDX-License-Identifier: Apache-2.0
// aclnnApplyAdamW.
#include "aclnnop/aclnn_apply_adam_w.h"

#include <array>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/optimizer/adamw_kernel.h"

namespace aclgrad::ops::apply_adam_w {
namespace {

enum : size_t {
  kVar,
  kM,
  kV,
  kBeta1Power,
  kBeta2Power,
  kLr,
  kWeightDecay,
  kBeta1,
  kBeta2,
  kEps,
  kGrad,
  kMaxGradNorm,
  kAmsgrad,
  kMaximize
};

constexpr std::array kNumberTensors{kBeta1Power, kBeta2Power, kLr, kWeightDecay,
                                    kBeta1,      kBeta2,      kEps};

bool is_amsgrad(const Arguments& arguments) { return arguments.flag(kAmsgrad); }
bool has_max_grad_norm(const Arguments& arguments) {
  return arguments[kMaxGradNorm].tensor() != nullptr;
}

std::vector<Rule> rules() {
  std::vector<Rule> list = {not_null({kVar, kM, kV, kBeta1Power, kBeta2Power, kLr, kWeightDecay,
                                      kBeta1, kBeta2, kEps, kGrad}),
                            when(is_amsgrad, not_null({kMaxGradNorm})), live_if_given(kMaxGradNorm),
                            dtype_in(kVar, kFloats)};
  for (size_t tensor = kM; tensor <= kGrad; ++tensor) list.push_back(same_dtype(tensor, kVar));
  list.push_back(when(has_max_grad_norm, same_dtype(kMaxGradNorm, kVar)));
  for (size_t tensor : {kM, kV, kGrad}) list.push_back(same_shape(tensor, kVar));
  list.push_back(when(has_max_grad_norm, same_shape(kMaxGradNorm, kVar)));
  for (size_t tensor : kNumberTensors) list.push_back(has_one_element(tensor));
  return list;
}

const OperatorSpec kSpec{
    "aclnnApplyAdamW",
    {in_out("varRef"), in_out("mRef"), in_out("vRef"), input("beta1Power"), input("beta2Power"),
     input("lr"), input("weightDecay"), input("beta1"), input("beta2"), input("eps"), input("grad"),
     input("maxGradNormOptional"), attribute("amsgrad"), attribute("maximize")},
    rules()};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kVar)) return {};
  return plan_adamw(
      arguments,
      {.var = kVar, .m = kM, .v = kV, .largest_v = kMaxGradNorm, .gradient = kGrad, .step = 0},
      AdamWNumbers{.lr = kLr,
                   .beta1 = kBeta1,
                   .beta2 = kBeta2,
                   .weight_decay = kWeightDecay,
                   .eps = kEps,
                   .beta1_power = kBeta1Power,
                   .beta2_power = kBeta2Power},
      arguments.flag(kAmsgrad), arguments.flag(kMaximize));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnApplyAdamW, kSpec, plan)

}  // namespace aclgrad::ops::apply_adam_w
