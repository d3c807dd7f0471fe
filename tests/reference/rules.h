// SPDX-License-Identifier: Apache-2.0
// What a gradient rule records.
#pragma once

#include "tests/reference/words.h"

namespace aclgrad::reference {

/// The calls that backward() appends for one node: "`aclnnMul` twice"; that the gradient passes
/// through, where there are none; empty where the operator has no rule.
Text rule_of(const Words& words);

}  // namespace aclgrad::reference
