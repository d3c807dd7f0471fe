// SPDX-License-Identifier: Apache-2.0
// What a gradient rule records.
#ifndef ACLGRAD_TESTS_REFERENCE_RULES_H_
#define ACLGRAD_TESTS_REFERENCE_RULES_H_

#include "tests/reference/words.h"

namespace aclgrad::reference {

/// The calls that backward() appends for one node: "`aclnnMul` twice"; that the gradient passes
/// through, where there are none; empty where the operator has no rule.
Text rule_of(const Words& words);

}  // namespace aclgrad::reference

#endif  // ACLGRAD_TESTS_REFERENCE_RULES_H_
