// SPDX-License-Identifier: Apache-2.0
// aclnnSub, aclnnInplaceSub, aclnnSubs, aclnnInplaceSubs.
#include "aclnnop/aclnn_sub.h"

#include "ops/operators/arithmetic.h"

namespace aclgrad::ops {
namespace {

const OperatorSpec kSub{"aclnnSub",
                        {input("self"), input("other"), attribute("alpha"), output("out")},
                        additive_rules(3)};
const OperatorSpec kInplaceSub{
    "aclnnInplaceSub", {in_out("selfRef"), input("other"), attribute("alpha")}, additive_rules(0)};
const OperatorSpec kSubs{"aclnnSubs",
                         {input("self"), attribute("other"), attribute("alpha"), output("out")},
                         additive_scalar_rules(3)};
const OperatorSpec kInplaceSubs{"aclnnInplaceSubs",
                                {in_out("selfRef"), attribute("other"), attribute("alpha")},
                                additive_scalar_rules(0)};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

aclnnStatus aclnnSubGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                     const aclScalar* alpha, aclTensor* out,
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return plan_operator(
      kSub, {self, other, alpha, out}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive(arguments, 3, Sign::kMinus); });
}

ACLGRAD_PHASE_TWO(aclnnSub)

aclnnStatus aclnnInplaceSubGetWorkspaceSize(aclTensor* selfRef, const aclTensor* other,
                                            const aclScalar* alpha, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return plan_operator(
      kInplaceSub, {selfRef, other, alpha}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive(arguments, 0, Sign::kMinus); });
}

ACLGRAD_PHASE_TWO(aclnnInplaceSub)

aclnnStatus aclnnSubsGetWorkspaceSize(const aclTensor* self, const aclScalar* other,
                                      const aclScalar* alpha, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return plan_operator(
      kSubs, {self, other, alpha, out}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive_scalar(arguments, 3, Sign::kMinus); });
}

ACLGRAD_PHASE_TWO(aclnnSubs)

aclnnStatus aclnnInplaceSubsGetWorkspaceSize(aclTensor* selfRef, const aclScalar* other,
                                             const aclScalar* alpha, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
  return plan_operator(
      kInplaceSubs, {selfRef, other, alpha}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive_scalar(arguments, 0, Sign::kMinus); });
}

ACLGRAD_PHASE_TWO(aclnnInplaceSubs)
