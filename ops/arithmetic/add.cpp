// SPDX-License-Identifier: Apache-2.0
// aclnnAdd, aclnnInplaceAdd, aclnnAdds, aclnnInplaceAdds.
#include "aclnnop/aclnn_add.h"

#include "ops/arithmetic/arithmetic_rules.h"

namespace aclgrad::ops::add {
namespace {

using namespace additive;

const OperatorSpec kAdd{"aclnnAdd",
                        {input("self"), input("other"), attribute("alpha"), output("out")},
                        additive_rules(kOut)};
const OperatorSpec kInplaceAdd{"aclnnInplaceAdd",
                               {in_out("selfRef"), input("other"), attribute("alpha")},
                               additive_rules(kSelf)};
const OperatorSpec kAdds{"aclnnAdds",
                         {input("self"), attribute("other"), attribute("alpha"), output("out")},
                         additive_scalar_rules(kOut)};
const OperatorSpec kInplaceAdds{"aclnnInplaceAdds",
                                {in_out("selfRef"), attribute("other"), attribute("alpha")},
                                additive_scalar_rules(kSelf)};

}  // namespace

ACLGRAD_OPERATOR(aclnnAdd, kAdd, [](const Arguments& arguments) {
  return plan_additive(arguments, kOut, Sign::kPlus);
})
ACLGRAD_OPERATOR(aclnnInplaceAdd, kInplaceAdd, [](const Arguments& arguments) {
  return plan_additive(arguments, kSelf, Sign::kPlus);
})
ACLGRAD_OPERATOR(aclnnAdds, kAdds, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, kOut, Sign::kPlus);
})
ACLGRAD_OPERATOR(aclnnInplaceAdds, kInplaceAdds, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, kSelf, Sign::kPlus);
})

}  // namespace aclgrad::ops::add
