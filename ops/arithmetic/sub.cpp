// SPDX-License-Identifier: Apache-2.0
// aclnnSub, aclnnInplaceSub, aclnnSubs, aclnnInplaceSubs.
#include "aclnnop/aclnn_sub.h"

#include "ops/arithmetic/arithmetic_rules.h"

namespace aclgrad::ops::sub {
namespace {

using namespace additive;

const OperatorSpec kSub{"aclnnSub",
                        {input("self"), input("other"), attribute("alpha"), output("out")},
                        additive_rules(kOut)};
const OperatorSpec kInplaceSub{"aclnnInplaceSub",
                               {in_out("selfRef"), input("other"), attribute("alpha")},
                               additive_rules(kSelf)};
const OperatorSpec kSubs{"aclnnSubs",
                         {input("self"), attribute("other"), attribute("alpha"), output("out")},
                         additive_scalar_rules(kOut)};
const OperatorSpec kInplaceSubs{"aclnnInplaceSubs",
                                {in_out("selfRef"), attribute("other"), attribute("alpha")},
                                additive_scalar_rules(kSelf)};

}  // namespace

ACLGRAD_OPERATOR(aclnnSub, kSub, [](const Arguments& arguments) {
  return plan_additive(arguments, kOut, Sign::kMinus);
})
ACLGRAD_OPERATOR(aclnnInplaceSub, kInplaceSub, [](const Arguments& arguments) {
  return plan_additive(arguments, kSelf, Sign::kMinus);
})
ACLGRAD_OPERATOR(aclnnSubs, kSubs, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, kOut, Sign::kMinus);
})
ACLGRAD_OPERATOR(aclnnInplaceSubs, kInplaceSubs, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, kSelf, Sign::kMinus);
})

}  // namespace aclgrad::ops::sub
