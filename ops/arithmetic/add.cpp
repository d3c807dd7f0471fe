// SPDX-License-Identifier: Apache-2.0
// aclnnAdd, aclnnInplaceAdd, aclnnAdds, aclnnInplaceAdds.
#include "aclnnop/aclnn_add.h"

#include "ops/arithmetic/arithmetic_rules.h"

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

ACLGRAD_OPERATOR(aclnnAdd, 4, kAdd, [](const Arguments& arguments) {
  return plan_additive(arguments, 3, Sign::kPlus);
})
ACLGRAD_OPERATOR(aclnnInplaceAdd, 3, kInplaceAdd, [](const Arguments& arguments) {
  return plan_additive(arguments, 0, Sign::kPlus);
})
ACLGRAD_OPERATOR(aclnnAdds, 4, kAdds, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, 3, Sign::kPlus);
})
ACLGRAD_OPERATOR(aclnnInplaceAdds, 3, kInplaceAdds, [](const Arguments& arguments) {
  return plan_additive_scalar(arguments, 0, Sign::kPlus);
})
