// SPDX-License-Identifier: Apache-2.0
// aclnnAdd, aclnnInplaceAdd, aclnnAdds, aclnnInplaceAdds.
#include "aclnnop/aclnn_add.h"

#include "ops/operators/arithmetic.h"

namespace aclgrad::ops {
namespace {

const OperatorSpec kAdd{"aclnnAdd",
                        {input("self"), input("other"), attribute("alpha"), output("out")},
                        additive_rules(3)};
const OperatorSpec kInplaceAdd{
    "aclnnInplaceAdd", {in_out("selfRef"), input("other"), attribute("alpha")}, additive_rules(0)};
const OperatorSpec kAdds{"aclnnAdds",
                         {input("self"), attribute("other"), attribute("alpha"), output("out")},
                         additive_scalar_rules(3)};
const OperatorSpec kInplaceAdds{"aclnnInplaceAdds",
                                {in_out("selfRef"), attribute("other"), attribute("alpha")},
                                additive_scalar_rules(0)};

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor* self, const aclTensor* other,
                                     const aclScalar* alpha, aclTensor* out,
                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return plan_operator(
      kAdd, {self, other, alpha, out}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive(arguments, 3, Sign::kPlus); });
}

ACLGRAD_PHASE_TWO(aclnnAdd)

aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor* selfRef, const aclTensor* other,
                                            const aclScalar* alpha, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return plan_operator(
      kInplaceAdd, {selfRef, other, alpha}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive(arguments, 0, Sign::kPlus); });
}

ACLGRAD_PHASE_TWO(aclnnInplaceAdd)

aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor* self, const aclScalar* other,
                                      const aclScalar* alpha, aclTensor* out,
                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return plan_operator(
      kAdds, {self, other, alpha, out}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive_scalar(arguments, 3, Sign::kPlus); });
}

ACLGRAD_PHASE_TWO(aclnnAdds)

aclnnStatus aclnnInplaceAddsGetWorkspaceSize(const aclTensor* selfRef, const aclScalar* other,
                                             const aclScalar* alpha, uint64_t* workspaceSize,
                                             aclOpExecutor** executor) {
  return plan_operator(
      kInplaceAdds, {selfRef, other, alpha}, workspaceSize, executor,
      [](const Arguments& arguments) { return plan_additive_scalar(arguments, 0, Sign::kPlus); });
}

ACLGRAD_PHASE_TWO(aclnnInplaceAdds)
