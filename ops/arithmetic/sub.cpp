// SPDX-License-Identifier: Apache-2.0
// aclnnSub, aclnnInplaceSub, aclnnSubs, aclnnInplaceSubs.
#include "aclnnop/aclnn_sub.h"

#include "ops/arithmetic/arithmetic_rules.h"

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

ACLGRAD_OPERATOR(aclnnSub, 4, kSub, [](const Arguments& arguments) {
  return plan_additive(arguments, 3, Sign::kMinus);
})
ACLGRAD_OPERATOR(aclnnInplaceSub, 3, kInplaceSub, [](const Arguments& arguments) {
  return plan_additive(arguments, 0, Sign::kMinus);
})
ACLGRAD_OPERATOR(aclnnSubs, 4, kSubs, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, 3, Sign::kMinus);
})
ACLGRAD_OPERATOR(aclnnInplaceSubs, 3, kInplaceSubs, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, 0, Sign::kMinus);
})
